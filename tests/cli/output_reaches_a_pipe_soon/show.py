"""The 200 lines must be here long before the program has finished computing."""
import sys
import time

times = {}
for line in iter(sys.stdin.readline, ""):
    times[line.strip()] = time.monotonic()
print(times["end"] - times["200"] > 0.5)
