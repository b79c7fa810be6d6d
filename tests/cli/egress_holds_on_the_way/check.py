# Rules hold for redirects, for names that lead to denied addresses, for proxies and for connections that are there.
import os, re, subprocess
from http_server import Server

def run(code, **variables):
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "-e", code], capture_output=True, text=True, timeout=50,
                          env=os.environ | variables)
    out = done.stdout + done.stderr
    for running in (server, other):
        out = out.replace(str(running.port), "PORT")
    # Which address of a name is tried last differs from machine to machine.
    print(re.sub(r"\S+ is denied by rule .*", "the address is denied", out), end="")

SHOW = "fn show(url, options = nil) { try { println(http_get(url, options).body) } catch (e) { println(e.type + ': ' + e.reason) } }\n".replace("'", '"')

with Server(keep_alive=True) as server, Server() as other:
    here, there = server.url(""), other.url("")
    run(SHOW + f'''egress_policy({{allow: ["127.0.0.1:{server.port}"]}})
show("{here}/text")
show("{here}/redirect-to?url={there}/text")
show("{here}/text", {{proxy: "{there}"}})
show("{server.url("/text", host="localhost")}")''')
    run(SHOW + f'''egress_policy({{deny: ["127.0.0.0/8", "::1"]}})
show("{server.url("/text", host="localhost")}")
show("http://127.1:{server.port}/text")
show("http://2130706433:{server.port}/text")''')
    # The connection is older than the rule.
    run(SHOW + f'''show("{server.url("/text", host="localhost")}")
egress_policy({{deny: ["127.0.0.1", "::1"]}})
show("{server.url("/text", host="localhost")}")''')
    # A proxy would look at the address, and nobody here does.
    run(SHOW + f'''egress_policy({{deny: ["10.0.0.0/8"]}})
for host in ["10.1", "0x0a000001", "167772161", "10.0.0.1.", "[64:ff9b::a00:1]"] {{ show("http://${{host}}/text") }}''', http_proxy=here)
    run(SHOW + f'show("{here}/text")', HARN_EGRESS_DENY="10.0.0.0/8")
    run(SHOW + f'show("{here}/text")', HARN_EGRESS_ALLOW="example.com")
    run(SHOW + f'show("{here}/text")', HARN_EGRESS_ALLOW="no rule at all")
    run(SHOW + f'show("{here}/text")', HARN_EGRESS_ALLOW="example.com", HARN_EGRESS_DEFAULT="allow")
    run("egress_policy({})", HARN_EGRESS_DENY="10.0.0.0/8")
