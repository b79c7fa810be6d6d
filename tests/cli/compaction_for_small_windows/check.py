# An agent makes room before its model forgets how it began: a small context of a local model is less than what is usual.
import json, os, subprocess

from mock_server import MockServer

with open("replies.jsonl", "w") as file:
    for _ in range(3):
        for n in range(8): file.write(json.dumps({"tool_calls": [{"name": "dump", "arguments": {"n": n}}]}) + "\n")
        file.write(json.dumps({"text": "read"}) + "\n")
with MockServer("--script", "replies.jsonl", "--quiet") as server:
    environment = os.environ | {"OLLAMA_HOST": server.url, "HARN_OLLAMA_NUM_CTX": "4000"}
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], env=environment, capture_output=True, text=True, timeout=60)
    print(done.stdout + "".join(line for line in done.stderr.splitlines(True) if "without the sandbox" not in line), end="")
