"""Approvals at a terminal: once, always for this rule, denied with a reason; the diff has colours."""
import functools, json, os, re, subprocess
from terminal import Terminal

HARN = os.environ["HARN"]
print = functools.partial(print, flush=True)


def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def write(number):
    return {"text": f"I write {number}.", "tool_calls": [{"name": "Write", "arguments": {"file_path": f"{number}.txt", "content": f"text {number}\n"}}]}


put(".nanobot/agents/a/AGENT.md", "---\nname: a\ntools: [Write]\n---\nWrite.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\n---\nDo it.\n")
put("replies.jsonl", "".join(json.dumps(one) + "\n" for one in [write(1), write(2), write(3), {"text": "over"}]))
put("deny.jsonl", "".join(json.dumps(one) + "\n" for one in [write(4), {"text": "then not"}]))


def told():
    shown = subprocess.run([HARN, "runs", "show", "last", "--json"], capture_output=True, text=True)
    return json.loads(shown.stdout)


screen = Terminal("task", "run", "t", "--llm-mock", "replies.jsonl", echo=False)
seen = screen.read_until("[d]eny: ")
print("colours:", "\x1b[" in seen and "+text 1" in re.sub(r"\x1b\[[0-9;]*m", "", seen))
print("justified:", "I write 1." in seen)
screen.send("o\n")
screen.read_until("[d]eny: ")
screen.send("always\n")
print("exit", screen.finish(), "asked again:", "[d]eny" in screen.text, "said:", "over" in screen.text, "cost:", "tokens" in screen.text)
print(sorted(name for name in os.listdir(".") if name.endswith(".txt")), told()["status"])
subprocess.run([HARN, "runs", "verify", "last"])

screen = Terminal("task", "run", "t", "--llm-mock", "deny.jsonl", echo=False)
screen.read_until("[d]eny: ")
screen.send("what?\n")
screen.read_until("[d]eny: ")
screen.send("d not today\n")
print("exit", screen.finish(), os.path.exists("4.txt"), "then not" in screen.text)

# A terminal that goes away has not decided.
screen = Terminal("task", "run", "t", "--llm-mock", "deny.jsonl", echo=False)
screen.read_until("[d]eny: ")
screen.send("\x04")
print("exit", screen.finish(), told()["status"], [one["id"] for one in told()["requests"]])
