import os, random, subprocess, time

mark = f".{random.randrange(10**8, 10**9)}"
run = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", mark], capture_output=True, text=True, timeout=60)
print(f"exit {run.returncode}\n{run.stdout}", end="")
for attempt in range(200):
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.count(f"sleep 7109{mark}")
    if left == 0:
        break
    time.sleep(0.005)
print(f"the end: {left} left")
