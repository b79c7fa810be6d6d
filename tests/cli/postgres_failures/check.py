import os, subprocess
from postgres_server import PASSWORD, Server

with Server() as server:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True, timeout=50,
                          env=os.environ | {"DATABASE": server.url, "HARN_SECRET_DB_MAIN": server.url})
    output = done.stdout + done.stderr
    print(output.replace(str(server.port), "PORT"), end="")
    print(f"exit {done.returncode}")
    print([word for word in (PASSWORD, "pa5s%25w0rd", "s3cret", "wr0ng") if word in output])
