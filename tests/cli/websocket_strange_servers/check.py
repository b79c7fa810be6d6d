import os, subprocess
from websocket_peer import Server

with Server() as server:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", f"ws://127.0.0.1:{server.port}"],
                          capture_output=True, text=True, timeout=50)
    print((done.stdout + done.stderr).replace(str(server.port), "PORT"), end="")
    print(f"exit {done.returncode}")
    # What each of them was told.
    for note in server.notes:
        print(note)
