# Keys are told as they are pressed, and a line is a line again afterwards.
import os, subprocess

from terminal import Terminal

terminal = Terminal("run", "main.harn")


def line():
    return terminal.read_until("\r\n").removesuffix("\r\n")


for keys in ["q", "\x1b[A", "ä", "\x03", "\x04"]:
    terminal.read_until("> ")
    terminal.wait_for_editor()
    terminal.send(keys)
    print(line())
print(line())
terminal.send("a line\n")
print(terminal.read_until("}\r\n").replace("\r", ""), end="")
print(terminal.is_raw(), terminal.finish())
print(subprocess.run([os.environ["HARN"], "run", "main.harn"], input="no keys\nbut lines\n", capture_output=True, text=True).stdout)
