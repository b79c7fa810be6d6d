import glob, json, os, subprocess
harn = os.environ["HARN"]
def run(*words):
    done = subprocess.run([harn, "run", *words], capture_output=True, text=True, timeout=50)
    return done.returncode, done.stdout, done.stderr
print(run("main.harn"))
(snapshot,) = glob.glob(".harn/workers/worker_*.json")
kept = json.load(open(snapshot))
print(kept["_type"], kept["version"], kept["status"], [message["role"] for message in kept["session"]["messages"]])
# The mock model calls the tools that it has; this time it should only talk.
del kept["spec"]["options"]["tools"]
json.dump(kept, open(snapshot, "w"))
code, out, err = run("--json", "--resume", snapshot)
events = [json.loads(line)["data"] for line in out.splitlines()]
print(code, err, [event["event_type"] for event in events if event["event_type"] != "transcript"])
result = events[-1]
print(result["value"]["status"], len(result["value"]["transcript"]["messages"]))
print(json.load(open(snapshot))["status"])
# It has ended, and does not go on again.
print(run("--resume", snapshot)[2].splitlines()[0])
json.dump({**kept, "version": 99}, open("newer.json", "w"))
print(run("--resume", "newer.json")[2].splitlines()[0].replace(os.getcwd(), ""))
open("broken.json", "w").write("{")
print(run("--resume", "broken.json")[2].splitlines()[0].replace(os.getcwd(), ""))
