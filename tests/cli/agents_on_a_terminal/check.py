# What a person sees: the status line is taken away before anything else is written, and nothing of it is left.
import re

from terminal import Terminal

terminal = Terminal("run", "main.harn")
terminal.finish()
text = terminal.text.replace("\r\n", "\n")
print("status line:", bool(re.search(r"turn 2 \| [\d,]+ tokens", text)))
left = re.sub(r"[^\n]*\r\x1b\[K", "", text)
left = re.sub(r"\x1b\[\d+m", "", left)
print(re.sub(r"\(\d+ ms\)", "(N ms)", left), end="")
