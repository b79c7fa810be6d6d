import os, re, subprocess
from postgres_server import PASSWORD, Server

def run(*arguments, **variables):
    done = subprocess.run([os.environ["HARN"], *arguments], capture_output=True, text=True, timeout=50, env=os.environ | variables)
    for line in (done.stdout + done.stderr).replace(port, "PORT").splitlines():
        if "without the sandbox" not in line:
            print("  " + line)
    print(f"  exit {done.returncode}")

with Server() as server:
    port = str(server.port)
    print("recorded")
    run("run", "--no-sandbox", "--record", "tape", "main.harn", DATABASE=server.url)
    tape = open("tape", "rb").read()
    print(PASSWORD.encode() in tape, b"pa5s%25w0rd" in tape)
    print("denied")
    run("run", "--no-sandbox", "main.harn", DATABASE=server.url, HARN_DENY="network")
    run("run", "main.harn", DATABASE=server.url)
    print("egress by name, and by the address of the connection")
    run("run", "--no-sandbox", "main.harn", DATABASE=server.url, HARN_EGRESS_DEFAULT="deny")
    run("run", "--no-sandbox", "main.harn", DATABASE=server.url.replace("127.0.0.1", "localhost"), HARN_EGRESS_DENY="127.0.0.0/8,::1")
    run("run", "--no-sandbox", "main.harn", DATABASE=server.url, HARN_EGRESS_DEFAULT="deny", HARN_EGRESS_ALLOW=f"127.0.0.1:{port}")
    print("over a socket")
    run("run", "--no-sandbox", "main.harn", DATABASE=server.url.replace(f"127.0.0.1:{port}", f":{port}") + f"?host={server.directory}")
print("replayed without a server")
run("replay", "tape")
