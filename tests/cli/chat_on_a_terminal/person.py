"""A person who talks, edits, stops an answer and leaves. Waits for what is on the screen, never for time."""
import json
from mock_server import MockServer
from terminal import Terminal


def say(t, text, until="revision "):
    t.read_until("> ")
    t.wait_for_editor()
    t.send(text)
    return t.read_until(until).replace("\r", "")


with MockServer("--script", "model.jsonl", "--quiet") as server:
    t = Terminal("chat", "--id", "b", "--provider", "openai", "--model", "gpt-4o-mini", FORCE_COLOR="1",
                 OPENAI_BASE_URL=f"http://{server.place}", OPENAI_API_KEY="sk-test")
    screen = say(t, "hi\r")
    print("markdown is styled:", "\x1b[1m# Hello" in screen and "\x1b[1mbold\x1b[0m" in screen)
    print("a marker was shown:", "<<<" in screen or "NOTES" in screen)
    say(t, "first \\\r", "... ")
    t.wait_for_editor()
    t.send("second\r")
    t.read_until("Both lines.")
    say(t, "tell me\r", "It")
    t.send("\x03")
    print("stopped:", "(stopped)" in t.read_until("(stopped)"))
    print("goes on:", "Still here." in say(t, "still there?\r", "Still here."))
    say(t, "\x03", "(Ctrl-C again to leave)")
    say(t, "/nonsense\r", "unknown command /nonsense")
    say(t, "\x04", "is saved")
    print("left with", t.finish())

checkpoint = json.load(open(".harn/sessions/b/checkpoint.json"))
for message in checkpoint["recent_messages"]:
    print(message["role"], json.dumps(message["content"]))
print(checkpoint["state"]["goals"])
