import os, subprocess
from http_server import Server

with Server() as server:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", server.url(""), "2"],
                          capture_output=True, text=True, timeout=55)
    print(f"{done.stdout}{done.stderr}exit {done.returncode}")
