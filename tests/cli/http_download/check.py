import os, subprocess, tempfile
from http_server import Server

with Server() as server, tempfile.TemporaryDirectory() as folder:
    program = os.path.abspath("main.harn")
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", program, "--", server.url("")], cwd=folder, capture_output=True,
                          text=True, timeout=50)
    print((done.stdout + done.stderr).replace(str(server.port), "PORT"), end="")
    print(sorted(os.listdir(folder)), os.path.getsize(os.path.join(folder, "big")), f"exit {done.returncode}")
