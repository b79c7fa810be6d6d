# A file of 200 MB, most of which is a hole, is hashed, packed and unpacked within a few megabytes.
import os

LIMIT_MB = 64

with open("big", "wb") as file:
    for place in range(0, 200 << 20, 20 << 20):
        file.seek(place)
        file.write(os.urandom(1 << 20))
    file.truncate(200 << 20)


def run(*words):
    child = os.fork()
    if child == 0:
        os.execv(os.environ["HARN"], ["harn", "run", *words])
    _, status, usage = os.wait4(child, 0)
    return status, usage.ru_maxrss >> 10


# Sanitizers keep what was freed for a while.
_, least = run("-e", "nil")
status, held = run("main.harn")
print("exit", status, "ok" if held < LIMIT_MB or least > LIMIT_MB / 2 else f"{held} MB")
