from terminal import Terminal


def run(pager, keys, **variables):
    """What a person at a terminal of 33 columns sees who types the keys, each after the text that it answers."""
    terminal = Terminal("run", "--no-sandbox", "main.harn", columns=33, NO_COLOR="1", HARN_PAGER=pager, **variables)
    seen = ""
    for text, key in keys:
        seen += terminal.read_until(text)
        terminal.send(key)
    terminal.finish()
    seen += terminal.text
    print(seen.replace("\r\n", "\n").replace("warning: running without the sandbox: the program may use all files and the network\n", ""), end="")
    print("----")


run("sh pager.sh", [("lines]\r\n", "q\n"), ("more?\r\n", "typed\n")])
run("sh pager.sh", [("lines]\r\n", "q\n"), ("more?\r\n", "typed\n")], PAGER_EXIT="3")
run("no-such-pager", [("more?\r\n", "typed\n")])
