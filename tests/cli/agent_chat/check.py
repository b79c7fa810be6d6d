"""A chat: piped, at a terminal with an approval, models that are allowed and not, and one that is gone on with."""
import json, os, subprocess
from terminal import Terminal
from workspace_files import HARN, put, replies, say





def chat(text, *words):
    done = subprocess.run([HARN, "agent", "chat", *words], input=text, capture_output=True, text=True)
    say(done.returncode, done.stdout + done.stderr)


put(".nanobot/agents/a/AGENT.md", "---\nname: a\nmodel: mock\nallowed_models: [mock-large]\ntools: [Write]\n---\nTalk.\n")
put(".nanobot/agents/runner/AGENT.md", "---\nname: runner\ntools: [Bash]\ntool_approvals: {rules: [{tool: Bash, allow: true}]}\n---\nRun.\n")
replies("one.jsonl", {"text": "Hello."}, {"text": "Two lines, I see."})
replies("two.jsonl", {"text": "I remember."})
replies("three.jsonl", {"text": "I write it.", "tool_calls": [{"name": "Write", "arguments": {"file_path": "x.txt", "content": "x\n"}}]}, {"text": "Written."})

chat("hi\n/model\n/model gpt-9\n/model mock-large\nfirst\\\nsecond\n/history\n/tools\n/fly\n", "a", "--llm-mock", "one.jsonl")
run = subprocess.run([HARN, "runs", "list"], capture_output=True, text=True).stdout.split()[0]
chat("and now?\n/exit\n", "--resume", run, "--llm-mock", "two.jsonl")
chat("", "--resume", run)
chat("hi\n", "a", "--model", "gpt-9")
chat("hi\n")
chat("hi\n", "nobody")

screen = Terminal("agent", "chat", "a", "--llm-mock", "three.jsonl", echo=False)
screen.read_until("> ")
screen.send("write x\n")
screen.read_until("[d]eny: ")
screen.send("o\n")
screen.read_until("Written.")
screen.send("/exit\n")
say(screen.finish(), open("x.txt").read().strip())

# Interrupted while a command runs, and gone on with.
replies("four.jsonl", {"text": "", "tool_calls": [{"name": "Bash", "arguments": {"command": "touch begun; sleep 60"}}]})
replies("five.jsonl", {"text": "I was interrupted."})
screen = Terminal("agent", "chat", "runner", "--llm-mock", "four.jsonl", echo=False)
screen.read_until("> ")
screen.send("wait\n")
while not os.path.exists("begun"):
    screen.read_some(0.05)
screen.send("\x03")
say(screen.finish(), "--resume" in screen.text)
run = subprocess.run([HARN, "runs", "list"], capture_output=True, text=True).stdout.split()[0]
chat("", "--resume", run, "--llm-mock", "five.jsonl")
