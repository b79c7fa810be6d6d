from terminal import Terminal

for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {}):
    terminal = Terminal("main.harn", **variables)
    code = terminal.finish()
    print(terminal.text.replace("\r", "").replace("\x1b", "ESC"), end="")
    print(code)
