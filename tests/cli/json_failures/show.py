import json
import sys

for line in sys.stdin:
    answer = json.loads(line)
    assert answer["ok"] is False and answer["schemaVersion"] == 1
    print(answer["error"]["code"] + ": " + answer["error"]["message"].splitlines()[0])
