import os, signal, subprocess, time

harn = os.environ["HARN"]
for how in ["computing", "waiting", "handled"]:
    run = subprocess.Popen([harn, "run", "--no-sandbox", "--while-limit", "0", "--record", "tape", "main.harn", how],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while run.stderr.readline() != "ready\n":
        pass
    time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    again = subprocess.run([harn, "replay", "tape"], capture_output=True, text=True, timeout=60)
    print(how, run.returncode, out.splitlines()[-1], "the same" if (out, run.returncode) == (again.stdout, again.returncode) else (out, again))
