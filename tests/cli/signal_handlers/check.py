import os, signal, subprocess, time

def run(program, *signals):
    process = subprocess.Popen([os.environ["HARN"], program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr.readline() == "ready\n"
    for number in signals:
        time.sleep(0.2)
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    print(f"{program}: exit {process.returncode}, {out!r}, {err!r}")

run("handled.harn", signal.SIGTERM)
run("handled.harn", signal.SIGINT)
run("busy.harn", signal.SIGINT)
run("slow.harn", signal.SIGINT)
for _ in range(3): run("updating.harn", signal.SIGINT)
run("unhandled.harn", signal.SIGHUP)
run("wedged.harn", signal.SIGINT, signal.SIGINT)
