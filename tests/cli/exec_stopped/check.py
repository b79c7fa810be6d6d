import os, random, signal, subprocess, time

# How long the children sleep, in a fraction of a second that nobody else uses: how they are found again.
mark = f".{random.randrange(10**8, 10**9)}"

def finish(process):
    out, err = process.communicate(timeout=30)
    print(f"exit {process.returncode}\n{out}{err}", end="")
    for attempt in range(200):  # the kernel takes a moment to remove what was killed
        left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.count(f"sleep 7005{mark}")
        if left == 0:
            break
        time.sleep(0.005)
    print(f"{left} left")

def start(how):
    return subprocess.Popen([os.environ["HARN"], "main.harn", how, mark],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

finish(start("end"))
process = start("wait")
process.stderr.readline()
process.send_signal(signal.SIGTERM)
finish(process)
