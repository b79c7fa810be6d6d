import json, os, subprocess
done = subprocess.run([os.environ["HARN"], "run", "--json", "--emit-summary-json", "main.harn"], capture_output=True, text=True, timeout=50)
for line in done.stdout.splitlines():
    data = json.loads(line)["data"]
    print(data["seq"], data["event_type"], data.get("kind", ""), data.get("name", ""), data.get("args", ""), data.get("result", ""), data.get("payload", "") if data["event_type"] == "stdout" else "")
summary = json.loads(done.stderr)
print(summary["event"], summary["exit_code"], {key: value for key, value in summary["llm"].items() if key != "time_ms"})
