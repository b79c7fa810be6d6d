"""What commands of agents and of sessions find of the runtime's own files: nothing, whatever they try. The project around them is theirs."""
import json, os, subprocess
from workspace_files import HARN, harn, put, replies, say, view

put(".nanobot/agents/a/AGENT.md", "---\nname: a\ntools: [Bash]\ntool_approvals: {rules: [{tool: Bash, allow: true}]}\n---\nRun.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\n---\nDo it.\n")
put("a.txt", "text\n")
# Approvals make the key; this one is not needed for anything else.
put(".harn/keys/approvals.key", "5" * 64 + "\n")
os.chmod(".harn/keys/approvals.key", 0o600)
HIDDEN = 'd=.ha; d="${d}rn"; '
COMMANDS = [
    HIDDEN + 'cat "$d"/k*/*; ls -A "$d"; ls "$d"-runs',
    "grep -rlE '5{60}' . ; find . -name 'approv*'; echo looked",
    HIDDEN + 'umount "$d" 2>&1 | head -c 6; ls -A "$d"',
    HIDDEN + 'echo mine > "$d"/note; cat "$d"/note; echo new > b.txt; cat a.txt b.txt; mkdir -p sub/deep; ls',
]
replies("replies.jsonl", *({"text": "", "tool_calls": [{"name": "Bash", "arguments": {"command": one}}]} for one in COMMANDS), {"text": "over"})
say(harn("task", "run", "t", "--llm-mock", "replies.jsonl"))
for call in view()["steps"][0]["tool_calls"]:
    say("->", [line for line in (call.get("output") or "ERROR " + call["error"]).splitlines() if "/keys" not in line or "5555" in line])
say("in the project:", open("b.txt").read().strip(), os.path.exists(".harn/note"), open(".harn/keys/approvals.key").read().strip() == "5" * 64)

put("secret.txt", "not hidden: needle\n")
calls = [{"id": "t1", "tool": "shell.exec", "args": {"cmd": "grep -rlE 5{60} ."}}, {"id": "t2", "tool": "shell.exec", "args": {"cmd": "grep -r --include=secret.txt needle ."}},
         {"id": "t3", "tool": "shell.exec", "args": {"cmd": "find . -name approv*"}}]
replies("chat.jsonl", {"text": "<<<TOOL_CALLS_JSON>>>" + json.dumps(calls) + "<<<END_TOOL_CALLS_JSON>>>"}, {"text": "done"})
say(subprocess.run([HARN, "chat", "--id", "s", "--message", "look", "--provider", "mock", "--llm-mock", "chat.jsonl"], capture_output=True, text=True).stdout.strip())
for message in json.load(open(".harn/sessions/s/checkpoint.json"))["recent_messages"]:
    if message["role"] == "tool":
        result = json.loads(message["content"])
        say(result["id"], result["error"] or result["output"]["stdout"].strip().splitlines())
