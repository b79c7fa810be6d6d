"""Approvals at a terminal: once, always for this rule, denied with a reason; the diff has colours."""
import os, re, subprocess
from terminal import Terminal
from workspace_files import HARN, put, replies, say, view




def write(number):
    return {"text": f"I write {number}.", "tool_calls": [{"name": "Write", "arguments": {"file_path": f"{number}.txt", "content": f"text {number}\n"}}]}


put(".nanobot/agents/a/AGENT.md", "---\nname: a\ntools: [Write]\n---\nWrite.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\n---\nDo it.\n")
replies("replies.jsonl", write(1), write(2), write(3), {"text": "over"})
replies("deny.jsonl", write(4), {"text": "then not"})



screen = Terminal("task", "run", "t", "--llm-mock", "replies.jsonl", echo=False)
seen = screen.read_until("[d]eny: ")
say("colours:", "\x1b[" in seen and "+text 1" in re.sub(r"\x1b\[[0-9;]*m", "", seen))
say("justified:", "I write 1." in seen)
screen.send("o\n")
screen.read_until("[d]eny: ")
screen.send("always\n")
say("exit", screen.finish(), "asked again:", "[d]eny" in screen.text, "said:", "over" in screen.text, "cost:", "tokens" in screen.text)
say(sorted(name for name in os.listdir(".") if name.endswith(".txt")), view()["status"])
subprocess.run([HARN, "runs", "verify", "last"])

screen = Terminal("task", "run", "t", "--llm-mock", "deny.jsonl", echo=False)
screen.read_until("[d]eny: ")
screen.send("what?\n")
screen.read_until("[d]eny: ")
screen.send("d not today\n")
say("exit", screen.finish(), os.path.exists("4.txt"), "then not" in screen.text)

# A terminal that goes away has not decided.
screen = Terminal("task", "run", "t", "--llm-mock", "deny.jsonl", echo=False)
screen.read_until("[d]eny: ")
screen.send("\x04")
say("exit", screen.finish(), view()["status"], [one["id"] for one in view()["requests"]])
