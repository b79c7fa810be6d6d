import os
import resource
import subprocess
import time
from http_server import Server

# A sanitizer keeps what was freed for a while, which would look like a program that keeps it.
environment = dict(os.environ)
environment["ASAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1"]))

def most_memory():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


subprocess.run([os.environ["HARN"], "idle.harn"], env=environment, check=True)
idle = most_memory()
with Server() as server:
    run = subprocess.Popen([os.environ["HARN"], "run", "--no-sandbox", "main.harn", server.url("")], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    for line in run.stdout:
        if line != "now nobody reads\n":
            print(line.replace(str(server.port), "PORT"), end="")
            continue
        # What the sockets hold between them comes to some megabytes.
        seen = -1
        while seen != server.flooded:
            seen = server.flooded
            time.sleep(0.3)
        print("the server was stopped:", seen < 64 << 20)
        run.stdin.write("go on\n")
        run.stdin.close()
    print("exit", run.wait(timeout=30))
    print("memory stayed small:", most_memory() - idle < 64_000)
