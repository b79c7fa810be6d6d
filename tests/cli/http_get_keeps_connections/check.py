import os, subprocess
from http_server import Server

with Server(keep_alive=True) as server:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", server.url("")], capture_output=True, text=True, timeout=50)
    print(f"{done.stdout}{done.stderr}exit {done.returncode}")
    print("connections:", "as many as were in use" if server.connections <= 110 else server.connections)
