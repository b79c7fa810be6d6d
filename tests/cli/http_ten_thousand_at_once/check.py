# Ten thousand tasks ask a server at the same time, and all of them are answered.
import os

from fast_server import FastServer

LIMIT_MB = 500


def run(*words):
    child = os.fork()
    if child == 0:
        os.execv(os.environ["HARN"], ["harn", "run", *words])
    _, status, usage = os.wait4(child, 0)
    return status, usage.ru_maxrss >> 10


_, least = run("-e", "nil")
with FastServer(delay=0.2) as server:
    status, held = run("--no-sandbox", "main.harn", "--", server.url)
print("exit", status, server.requests)
# Sanitizers need more.
print("memory:", "ok" if held < LIMIT_MB or least > LIMIT_MB / 10 else f"{held} MB")
