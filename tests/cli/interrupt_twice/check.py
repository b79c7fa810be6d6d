import os, signal, subprocess, sys, time

def start(*words, **more):
    return subprocess.Popen([os.environ["HARN"], *words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **more)

def wait_for(process, text):
    line = process.stdout.readline()
    assert text in line, line

def finish(process):
    out, err = process.communicate(timeout=30)
    print(f"exit {process.returncode}\nstdout: {out!r}\nstderr: {err!r}")

process = start("main.harn")
process.stderr.readline()
process.send_signal(signal.SIGINT)
assert process.stderr.readline() == "cleaning\n"
process.send_signal(signal.SIGINT)
finish(process)
