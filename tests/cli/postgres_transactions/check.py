import os, subprocess
from postgres_server import Server

with Server() as server:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True, timeout=50,
                          env=os.environ | {"DATABASE": server.url})
    print(done.stdout + done.stderr, end="")
    print(f"exit {done.returncode}")
