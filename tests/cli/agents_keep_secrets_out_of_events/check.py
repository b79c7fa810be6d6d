import json, os, subprocess
TOKEN = "of-no-known-shape-77"
done = subprocess.run([os.environ["HARN"], "run", "--json", "main.harn"], capture_output=True, text=True, timeout=50, env={**os.environ, "API_TOKEN": TOKEN})
for line in done.stdout.splitlines():
    data = json.loads(line)["data"]
    if data["event_type"] in ("tool_call", "tool_result"): print(data["event_type"], data.get("args", data.get("result")))
    if data.get("kind") == "loop_complete": print(data["payload"]["task"], "|", data["payload"]["visible_text"])
print(TOKEN in done.stdout)
