import os, re, subprocess
from http_server import Server

with Server() as server, Server() as other:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", server.url(""), other.url("")],
                          capture_output=True, text=True, timeout=50)
    out = done.stdout + done.stderr
    for running in (server, other):
        out = out.replace(str(running.port), "PORT")
    out = re.sub(r"after \d+ m[a-z]*", "after N ms", out)
    print(re.sub(r'"accept-encoding": "[^"]*gzip[^"]*", ', "", out), end="")  # what this libcurl can unpack
    print(f"exit {done.returncode}")
