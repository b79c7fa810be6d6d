import os, random, signal, subprocess

# How long the child sleeps, in a fraction of a second that nobody else uses: how it is found again.
nap = f"7006.{random.randrange(10**8, 10**9)}"
process = subprocess.Popen([os.environ["HARN"], "main.harn", nap], stderr=subprocess.PIPE, text=True)
process.stderr.readline()
process.send_signal(signal.SIGTERM)
assert process.stderr.readline() == "cleaning\n"
while f"sleep {nap}" not in (running := subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout):
    pass
process.send_signal(signal.SIGTERM)
print(f"exit {process.wait(timeout=30)}")
running = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True).stdout
left = [line for line in running.split("\n") if f"sleep {nap}" in line and not line.startswith("Z")]
print(f"{len(left)} left")
