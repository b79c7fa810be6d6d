import os, re

from terminal import Terminal

terminal = Terminal("repl", NO_COLOR="1")
terminal.read_until("harn> ")

def enter(text, until="harn> "):
    terminal.wait_for_editor()
    terminal.send(text)
    seen = terminal.read_until(until)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen).replace("\r", "")

assert "_1 = 3\n" in enter("1 + 2\r")
enter("let answer = 42\r")
assert "_2 = 42\n" in enter("answ\t\r"), "completion of a session name"
enter("fn twice(x) {\r", "... ")
enter("x * 2\r", "... ")
enter("}\r")
assert "_3 = 8\n" in enter("twice(4)\r"), "input of several lines"
assert "_4 = 8\n" in enter("\x1b[A\r"), "history"
enter("println(\"run\" + \"ning\") ; for x in 0 to 1000000000000 { }\r", "running")
terminal.send("\x03")
assert "interrupted\r\n" in terminal.read_until("harn> "), "Ctrl-C stops the input"
enter("half a line\x03")
enter("[1,\r", "... ")
enter("\x03")
assert "_5 = 5\n" in enter("2 + 3\r"), "the session goes on"
enter("if false {\r", "... ")
enter("1\r", "... ")
enter("}\r", "... ")
assert "_6 = 2\n" in enter("else { 2 }\r"), "else on a line of its own"
enter("if true {\r", "... ")
enter("3\r", "... ")
enter("}\r", "... ")
assert "_7 = 3\n" in enter("\r"), "an empty line ends the input"
enter("4 +\r", "... ")
assert "_8 = 9\n" in enter("5\r"), "a last operator goes on"
terminal.wait_for_editor()
terminal.send("\x04")
print("left with", terminal.finish())
history = open(os.path.expanduser("~/.harn/repl_history")).read()
assert "answer" in history and "twice" in history
