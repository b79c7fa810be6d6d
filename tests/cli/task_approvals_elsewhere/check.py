"""Decisions by other processes: denied with a reason, one at a time, about a file that has changed since, forged, and two that go on at once."""
import json, os, sqlite3, subprocess
from workspace_files import HARN, harn, put, replies, say, view







def write(name, text):
    return {"name": "Write", "arguments": {"file_path": name, "content": text}}


put(".nanobot/agents/a/AGENT.md", "---\nname: a\ntools: [Write, Read]\n---\nWrite.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\n---\nDo it.\n")
replies("two.jsonl", {"text": "two files", "tool_calls": [write("1.txt", "1\n"), write("2.txt", "2\n")]})
replies("over.jsonl", {"text": "over"})

say("--- one approved, one denied")
say(harn("task", "run", "t", "--llm-mock", "two.jsonl")[0], [one["id"] for one in view()["requests"]])
say(harn("runs", "approve", "last", "a1")[:2], os.path.exists("1.txt"))
say(harn("runs", "deny", "last", "a2", "--reason", "not now", "--llm-mock", "over.jsonl"))
say(open("1.txt").read().strip(), os.path.exists("2.txt"), view()["status"])
say(harn("runs", "approve", "last")[2].split("already: ")[1], harn("runs", "verify", "last")[:2], harn("runs", "replay", "last")[:2])

say("--- the file has changed since it was shown")
replies("one.jsonl", {"text": "one file", "tool_calls": [write("1.txt", "new\n")]})
say(harn("task", "run", "t", "--llm-mock", "one.jsonl")[0])
put("1.txt", "somebody else\n")
code, out, told = harn("runs", "approve", "last", "--llm-mock", "over.jsonl")
say(code, "-somebody else" in told, open("1.txt").read().strip())
say(harn("runs", "approve", "last", "--llm-mock", "over.jsonl")[:2], open("1.txt").read().strip())

say("--- canceled")
say(harn("task", "run", "t", "--llm-mock", "one.jsonl")[0], harn("runs", "cancel", "last", "--reason", "no use")[:2], view()["status"], view()["error"])
say(harn("runs", "resume", "last")[0], harn("runs", "cancel", "last")[0])

say("--- two go on at once")
put("1.txt", "old\n")
say(harn("task", "run", "t", "--llm-mock", "one.jsonl")[0])
both = [subprocess.Popen([HARN, "runs", "approve", "last", "--llm-mock", "over.jsonl"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
codes = sorted(one.wait() for one in both)
say(0 in codes, view()["status"], open("1.txt").read().strip(), harn("runs", "verify", "last")[0])

say("--- a forged decision")
put("3.txt", "old\n")
replies("three.jsonl", {"text": "three", "tool_calls": [write("3.txt", "forged\n")]})
say(harn("task", "run", "t", "--llm-mock", "three.jsonl")[0])
log = sqlite3.connect(".harn/events.sqlite")
run = view()["run_id"]
request = [one for batch in log.execute("select payload from event_log where topic = ?", [f"workspace.run.{run}"]) for one in json.loads(batch[0])["entries"] if one["kind"] == "request"][0]
log.close()
receipt = {"run_id": run, "request_id": request["key"], "digest": request["digest"], "decision": "approved", "by": "nobody", "at": "2026-01-01T00:00:00Z", "signature": "0" * 64}
entry = {"kind": "decision", "at": "2026-01-01T00:00:00Z", "key": request["key"], "tool": "Write", "receipt": receipt}
put("forge.harn", f'event_log.append("workspace.run.{run}", "entries", json_parse({json.dumps(json.dumps({"owner": None, "entries": [entry]})).replace("$", chr(92) + "$")}))\n')
put("harn.toml", "")
say(harn("run", "forge.harn")[0], harn("runs", "verify", "last")[0])
say(harn("runs", "resume", "last", "--llm-mock", "over.jsonl")[0], open("3.txt").read().strip())
say(oct(os.stat(".harn/keys/approvals.key").st_mode & 0o777))
say("--- diff")
say(harn("runs", "diff", "last", view()["run_id"])[1])
