import json
import sys

for line in sys.stdin.buffer:
    answer = json.loads(line.decode("utf-8"))
    print(json.dumps(answer.get("data") or answer.get("error") or answer, ensure_ascii=True)[:120])
