import os, subprocess
from http_server import Server

with Server() as server:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", server.url("")], capture_output=True, text=True, timeout=50)
    print((done.stdout + done.stderr).replace(str(server.port), "PORT"), end="")
    print(f"exit {done.returncode}")
