"""Kills a conversation at random moments, many times: whatever was acknowledged by an answer's revision is in the checkpoint, which can always be read, and so can the
trace. `python3 kills.py 1000` does it more often."""
import json
import os
import random
import signal
import subprocess
import sys

HARN = os.environ["HARN"]
random.seed(5)
acknowledged = 0  # the last revision that the conversation has told
lost = broken = told = 0
with open("model.jsonl", "w") as file:
    for n in range(50):
        file.write(json.dumps({"text": f"answer {n} <<<NOTES_JSON>>>{{\"add_decisions\": [\"d{n}\"]}}<<<END_NOTES_JSON>>>"}) + "\n")

for round in range(int(sys.argv[1])):
    words = [HARN, "chat", "--id", "k", "--json", "--llm-mock", "model.jsonl"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(b"".join(b"question %d\n" % n for n in range(40)))
    process.stdin.flush()
    lines = random.randrange(0, 60)
    for _ in range(lines):
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            break
        event = json.loads(line)
        if event["type"] == "answer":
            acknowledged = event["revision"]
            told += 1
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    process.stdin.close()
    process.wait()
    shown = subprocess.run([HARN, "chat", "show", "k", "--json"], capture_output=True, text=True)
    if shown.returncode != 0:
        # Killed before the first save: then nothing was acknowledged.
        broken += acknowledged > 0
        continue
    lost += json.loads(shown.stdout)["revision"] < acknowledged
    traced = subprocess.run([HARN, "chat", "trace", "k", "--json"], capture_output=True, text=True)
    broken += traced.returncode != 0 or not all(set(json.loads(line)) == {"ts", "kind", "data"} for line in traced.stdout.splitlines())

print(f"lost {lost}, broken {broken}, some were answered: {told > 0}")
process = subprocess.run([HARN, "chat", "--resume", "k", "--message", "still there?", "--llm-mock", "model.jsonl"], capture_output=True, text=True)
print("goes on:", process.returncode, process.stdout.strip())
print("left behind:", [name for name in os.listdir(".harn/sessions/k") if name.endswith(".tmp")])
subprocess.run([HARN, "chat", "rm", "k"], check=True, capture_output=True)
print("removed:", not os.path.exists(".harn/sessions/k"))
