import os
import resource
import subprocess
import time
from http_server import Server

with Server() as server:
    run = subprocess.Popen([os.environ["HARN"], "main.harn", server.url("")], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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
    print("memory stayed small:", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 100_000)
