import os, subprocess, time
from websocket_peer import Server

def run(*arguments, **variables):
    done = subprocess.run([os.environ["HARN"], *arguments], capture_output=True, text=True, timeout=50, env=os.environ | variables)
    for line in (done.stdout + done.stderr).replace(port, "PORT").splitlines():
        if "without the sandbox" not in line:
            print("  " + line)
    print(f"  exit {done.returncode}")

with Server() as server:
    port = str(server.port)
    url = f"ws://127.0.0.1:{port}"
    print("recorded")
    run("run", "--no-sandbox", "--record", "tape", "main.harn", url)
    print(server.notes[-2:])
    tape = open("tape", "rb").read()
    print("replayed without a server")
    count = len(server.notes)
    run("replay", "tape")
    print(len(server.notes) == count)
    print("denied")
    run("run", "--no-sandbox", "main.harn", url, HARN_DENY="network")
    print("in the sandbox")
    run("run", "main.harn", url)
    print("egress by name, and by the address of the connection")
    run("run", "--no-sandbox", "main.harn", url, HARN_EGRESS_DEFAULT="deny")
    run("run", "--no-sandbox", "main.harn", f"ws://localhost:{port}", HARN_EGRESS_DENY="127.0.0.0/8,::1")
    print("through a proxy")
    run("run", "--no-sandbox", "proxied.harn", f"http://127.0.0.1:{port}")
    print(server.notes[-3:])
