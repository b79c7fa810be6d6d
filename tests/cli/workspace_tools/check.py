"""What the built-in tools do, and what they refuse, as a model sees it."""
import json, os, subprocess
from workspace_files import HARN, put




TOOLS = ["Read", "Write", "Edit", "Glob", "Grep", "Bash", "WebFetch"]
rules = "".join(f"    - {{tool: {name}, allow: true}}\n" for name in TOOLS)
put("space/.nanobot/agents/a/AGENT.md", f"---\nname: a\ntools: [{', '.join(TOOLS)}]\ntool_approvals:\n  rules:\n{rules}---\nWork.\n")
put("space/.nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\n---\nDo it.\n")
put("space/harn.toml", '[nanobot]\ncommands = ["echo *", "cat *", "sleep *", "false"]\ndomains = ["docs.example.com"]\n')
put("space/a.txt", "one\ntwo\nthree\n")
put("space/image.png", b"\x89PNG\r\n\x1a\n\xff\xfe")
put("space/.env", "TOKEN=hunter2hunter2\n")
put("space/.gitignore", "*.log\nbuild/\n!keep.log\n")
put("space/x.log", "two\n")
put("space/keep.log", "two\n")
put("space/build/y.txt", "two\n")
put("space/twice.txt", "ab ab\n")
put("space/leak.txt", "the key is " + "sk-abcdefghijklmnopqrstuvwxyz123456" + "\n")
put("outside.txt", "two secret\n")
put("space/config/server.pem", "TOKEN=hunter2hunter2\n")
os.symlink(".env", "space/harmless.txt")
os.symlink("../outside.txt", "space/link.txt")
os.symlink("..", "space/up")

SECRET = "sk-abcdefghijklmnopqrstuvwxyz123456"
os.environ["DEMO_API_KEY"] = SECRET

CALLS = [
    ("Read", {"file_path": "a.txt"}), ("Read", {"file_path": "a.txt", "offset": 2, "limit": 1}), ("Read", {"file_path": "a.txt", "offset": 9}),
    ("Read", {"file_path": "../outside.txt"}), ("Read", {"file_path": os.path.abspath("outside.txt")}), ("Read", {"file_path": "link.txt"}),
    ("Read", {"file_path": "up/outside.txt"}), ("Read", {"file_path": ".env"}), ("Read", {"file_path": ".harn/keys/approvals.key"}), ("Read", {"file_path": "image.png"}),
    ("Read", {"file_path": "none.txt"}), ("Read", {"file": "a.txt"}), ("Read", {"file_path": "."}),
    ("Glob", {"pattern": "**/*.txt"}), ("Grep", {"pattern": "t[w]o"}), ("Grep", {"pattern": "TOKEN=|hunter"}), ("Grep", {"pattern": "("}), ("Grep", {"pattern": "TWO", "ignore_case": True, "glob": "*.txt"}), ("Grep", {"pattern": "two", "path": "up"}),
    ("Write", {"file_path": "new/b.txt", "content": "b\n"}), ("Write", {"file_path": "../c.txt", "content": "c"}), ("Write", {"file_path": "link.txt", "content": "c"}),
    ("Edit", {"file_path": "a.txt", "old_string": "two", "new_string": "2"}), ("Edit", {"file_path": "a.txt", "old_string": "zwei", "new_string": "2"}),
    ("Edit", {"file_path": "twice.txt", "old_string": "ab", "new_string": "c"}), ("Edit", {"file_path": "twice.txt", "old_string": "ab", "new_string": "c", "replace_all": True}),
    ("Bash", {"command": "echo hi; echo there"}), ("Bash", {"command": "echo \"key: $DEMO_API_KEY\""}), ("Bash", {"command": "cat leak.txt"}), ("Bash", {"command": "echo later", "background": True}), ("Bash", {"output_of": "command1"}), ("Bash", {"output_of": "command9"}), ("Bash", {}),
    ("Bash", {"command": "sleep 300", "background": True}), ("Bash", {"command": "false"}), ("Bash", {"command": "rm a.txt"}), ("Bash", {"command": "echo hi && rm a.txt"}), 
    ("Bash", {"command": "sleep 30", "timeout_ms": 200}), ("WebFetch", {"url": "https://elsewhere.example.com/x"}), ("WebFetch", {"url": "file:///etc/passwd"}), ("Fly", {}),
]
replies = [{"text": "", "tool_calls": [{"name": name, "arguments": args}]} for name, args in CALLS] + [{"text": "over"}]
put("space/replies.jsonl", "".join(json.dumps(one) + "\n" for one in replies))
ran = subprocess.run([HARN, "task", "run", "t", "--json", "--llm-mock", "replies.jsonl"], cwd="space", capture_output=True, text=True)
print("exit", ran.returncode, ran.stderr)
entries = [json.loads(line) for line in ran.stdout.splitlines()]
print("status", [one["state"] for one in entries if one.get("state")])
topic = subprocess.run([HARN, "runs", "show", "last", "--json"], cwd="space", capture_output=True, text=True)
view = json.loads(topic.stdout)
results = [json.dumps(call["input"])[:60] + " -> " + (call.get("output") or "ERROR " + call["error"]) for step in view["steps"] for call in step["tool_calls"]]
here = os.getcwd()
for line in results:
    print(line.replace(here, "HERE"))
refused = [call for step in view["steps"] for call in step["tool_calls"] if call.get("refused")]
print(len(CALLS), "calls,", len(results) - len(refused), "were run,", len(refused), "were refused")
print("outside:", open("outside.txt").read().strip(), os.path.exists("c.txt"), open("space/a.txt").read().split(), open("space/twice.txt").read().strip())
kept = [os.path.join(top, name) for root in ("space/.harn", "space/.harn-runs") for top, _, names in os.walk(root) for name in names]
print("secret in the record:", [name for name in kept if b"hunter2" in open(name, "rb").read() or SECRET.encode() in open(name, "rb").read()])

# In spite of a rule: what a command names outside of the project, what it destroys, and files that hold the agent itself.
for name, args in [("Bash", {"command": "cat ../outside.txt"}), ("Bash", {"command": "echo x > /dev/null"}), ("Bash", {"command": "rm -rf build"}), ("Bash", {"command": "cat .e*"}), ("Bash", {"command": "cat config/*.p?m"}), ("Bash", {"command": "cat t*.txt"}),
                   ("Write", {"file_path": ".nanobot/agents/a/AGENT.md", "content": "free"})]:
    put("space/replies.jsonl", "".join(json.dumps(one) + "\n" for one in [{"text": "", "tool_calls": [{"name": name, "arguments": args}]}, {"text": "over"}]))
    ran = subprocess.run([HARN, "task", "run", "t", "--llm-mock", "replies.jsonl"], cwd="space", capture_output=True, text=True)
    print(ran.returncode, next((line for line in ran.stderr.splitlines() if "approval needed" in line), ran.stdout.strip()))
