import os, signal, subprocess, time
process = subprocess.Popen([os.environ["HARN"], "test", "tests"], stdout=subprocess.PIPE, text=True)
lines = [process.stdout.readline(), process.stdout.readline()]  # the heading and test_a
time.sleep(0.2)
children = open(f"/proc/{process.pid}/task/{process.pid}/children").read().split()
assert len(children) == 1, children
os.kill(int(children[0]), signal.SIGKILL)
lines += process.stdout.readlines()
print("".join(lines), end="")
print("exit", process.wait())
