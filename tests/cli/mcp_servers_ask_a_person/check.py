from terminal import Terminal

# The person agrees, mistypes a number once, and leaves out what may be left out.
terminal = Terminal("run", "--no-sandbox", "main.harn", echo=False)
for prompt, line in [("[n]o: ", "y"), ("age (integer): ", "old"), ("age (integer): ", "36"), ("colour (red | blue, may be empty): ", ""),
                     ("Your name (string): ", "Ada"), ("sure (boolean): ", "yes"), ("[n]o: ", "n")]:
    seen = terminal.read_until(prompt)
    if prompt == "[n]o: ":
        print(seen.replace("\r", ""))
    terminal.send(line + "\n")
terminal.finish()
print(terminal.text.replace("\r", ""))

# Who says nothing has said no.
terminal = Terminal("run", "--no-sandbox", "main.harn", echo=False, HARN_HOST_CALL_TIMEOUT_SECS="1")
terminal.finish()
print(terminal.text.replace("\r", "").split("\n")[-3:])
