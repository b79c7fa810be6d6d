import glob, os, re, subprocess
harn = os.environ["HARN"]
def run(*words):
    done = subprocess.run([harn, "run", *words], capture_output=True, text=True, timeout=50)
    text = (done.stdout + done.stderr).replace(os.getcwd(), "")
    print(done.returncode, re.sub(r"\S*worker_[-0-9a-f]+", "worker_ID", text).strip())
run("main.harn")
(snapshot,) = glob.glob(".harn/workers/worker_*.json")
# The program's own tool is not here without the program.
run("--resume", snapshot)
# The first loop of the program goes on where it was.
run("--resume", snapshot, "main.harn", "again")
# It has ended.
run("--resume", snapshot, "main.harn", "again")
run("--resume", "nothing.json", "main.harn")
