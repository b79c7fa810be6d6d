import os, resource, subprocess

# Little enough that each program runs into it, and enough to start.
def limit():
    resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))

def run(*words):
    done = subprocess.run([os.environ["HARN"], "run", *words], capture_output=True, text=True, timeout=50, preexec_fn=limit)
    print(f"{done.stdout}{done.stderr}exit {done.returncode}")

# Sanitizers need more addresses than that to begin with.
if subprocess.run([os.environ["HARN"], "run", "-e", "nil"], capture_output=True, preexec_fn=limit).returncode != 0:
    print(open("skipped.txt").read(), end="")
    raise SystemExit

run("caught.harn")
run("uncaught.harn")
# There is no room for the message either: what was written before is there all the same.
run("last.harn")
run("--json", "last.harn")
