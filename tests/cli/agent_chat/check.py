"""A chat: piped, at a terminal with an approval, models that are allowed and not, and one that is gone on with."""
import json, os, re, subprocess
from mock_server import MockServer
from terminal import Terminal
from workspace_files import HARN, put, replies, say





def chat(text, *words):
    done = subprocess.run([HARN, "agent", "chat", *words], input=text, capture_output=True, text=True)
    say(done.returncode, re.sub(r"run_\w+", "RUN", done.stdout + done.stderr))


put(".nanobot/agents/a/AGENT.md", "---\nname: a\nmodel: mock\nallowed_models: [mock-large]\ntools: [Write]\n---\nTalk.\n")
put(".nanobot/agents/runner/AGENT.md", "---\nname: runner\ntools: [Bash]\ntool_approvals: {rules: [{tool: Bash, allow: true}]}\n---\nRun.\n")
put(".nanobot/agents/talker/AGENT.md", "---\nname: talker\nmodel: gpt-4o-mini\ntools: []\n---\nTalk.\n")
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

def typed(screen, text, until):
    """Types at the prompt, and waits for what is shown then."""
    screen.read_until("> ")
    screen.wait_for_editor()
    screen.send(text)
    return screen.read_until(until)


screen = Terminal("agent", "chat", "a", "--llm-mock", "three.jsonl")
typed(screen, "write x\r", "[d]eny: ")
screen.send("o\n")
screen.read_until("Written.")
# Up brings back what was typed, in an earlier chat too.
say("history:", "write x" in typed(screen, "\x1b[A", "write x"))
screen.send("\x03")
screen.read_until("> ")
screen.wait_for_editor()
screen.send("/exit\r")
say(screen.finish(), open("x.txt").read().strip())

# Said as it comes, and stopped in the middle; the chat goes on, and so does one that is resumed.
with MockServer("--script", "model.jsonl", "--quiet") as server:
    os.environ.update(OPENAI_BASE_URL=f"http://{server.place}", OPENAI_API_KEY="sk-test")
    screen = Terminal("agent", "chat", "talker", OPENAI_BASE_URL=f"http://{server.place}", OPENAI_API_KEY="sk-test")
    typed(screen, "tell me\r", "It ")
    screen.send("\x03")
    say("stopped:", "(stopped)" in screen.read_until("(stopped)"))
    say("goes on:", "Still here." in typed(screen, "still there?\r", "Still here."))
    typed(screen, "\x03", "(Ctrl-C again to leave)")
    typed(screen, "\x04", "--resume")
    say(screen.finish())
    run = subprocess.run([HARN, "runs", "list"], capture_output=True, text=True).stdout.split()[0]
    chat("and now?\n", "--resume", run)

# Stopped while a command runs: that ends with it, and what the agent was about to do is forgotten.
replies("four.jsonl", {"text": "", "tool_calls": [{"name": "Bash", "arguments": {"command": "touch begun; sleep 60; touch ended"}}]}, {"text": "Fine."})
screen = Terminal("agent", "chat", "runner", "--llm-mock", "four.jsonl")
screen.read_until("> ")
screen.wait_for_editor()
screen.send("wait\r")
while not os.path.exists("begun"):
    screen.read_some(0.05)
screen.send("\x03")
say("stopped:", "(stopped)" in screen.read_until("(stopped)"))
say("goes on:", "Fine." in typed(screen, "well?\r", "Fine."))
typed(screen, "/exit\r", "harn runs show")
say(screen.finish(), os.path.exists("ended"))

# A chat is a run: it is replayed and verified like one, and goes on as a chat.
runs = [line.split()[:2] for line in subprocess.run([HARN, "runs", "list"], capture_output=True, text=True).stdout.splitlines()]
for run, state in runs:
    replayed = subprocess.run([HARN, "runs", "replay", run], capture_output=True, text=True)
    verified = subprocess.run([HARN, "runs", "verify", run], capture_output=True, text=True)
    say(state, replayed.returncode, (replayed.stdout + replayed.stderr).split("\n")[0], "|", verified.stdout.strip())
replies("ask.jsonl", {"text": "", "tool_calls": [{"name": "Write", "arguments": {"file_path": "y.txt", "content": "y\n"}}]})
replies("then.jsonl", {"text": "Written."})
chat("write y\n", "a", "--llm-mock", "ask.jsonl")
for words in (["resume", "last"], ["approve", "last"]):
    done = subprocess.run([HARN, "runs", *words], capture_output=True, text=True)
    say(done.returncode, re.sub(r"run_\w+", "RUN", done.stdout + done.stderr).strip())
run = subprocess.run([HARN, "runs", "list"], capture_output=True, text=True).stdout.split()[0]
chat("/exit\n", "--resume", run, "--llm-mock", "then.jsonl")
say(open("y.txt").read().strip())

# What was said and done is shown, in text and as JSON.
shown = subprocess.run([HARN, "runs", "show", run], capture_output=True, text=True).stdout
say(shown[shown.index("\n> "):])
view = json.loads(subprocess.run([HARN, "runs", "show", "--json", run], capture_output=True, text=True).stdout)
say([(turn["asked"], turn["said"], [call["tool"] for call in turn["tool_calls"]]) for turn in view["turns"]])
for run, _ in runs:
    shown = subprocess.run([HARN, "runs", "show", run], capture_output=True, text=True).stdout
    if "(stopped)" in shown and "Bash" not in shown:
        say([line for line in shown.splitlines() if line.startswith("> ")])

# A record that was brought elsewhere can be shown there.
os.makedirs("elsewhere")
record = os.path.abspath(f".harn-runs/{run}.json")
for words in ([record], ["last", "--dir", os.path.dirname(record)]):
    there = subprocess.run([HARN, "runs", "show", *words], capture_output=True, text=True, cwd="elsewhere")
    say(there.returncode, "  task:    chat" in there.stdout, "> " in there.stdout)
