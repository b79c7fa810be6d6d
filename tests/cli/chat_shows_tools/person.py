"""A person sees which tools are called, between what is said."""
from terminal import Terminal

t = Terminal("chat", "--id", "a", "--llm-mock", "model.jsonl")
t.read_until("> ")
t.wait_for_editor()
t.send("look\r")
screen = t.read_until("revision ").replace("\r", "")
t.read_until("> ")
t.wait_for_editor()
t.send("\x04")
t.finish()
print(screen[screen.index("I look."):screen.index("There it is.")])
