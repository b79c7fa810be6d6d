"""A program on a terminal of its own, and a person who waits for what it says before they type.

As a command, it types one line for each time the prompt is seen, and prints what stood on the screen:

    python3 terminal.py PROMPT LINE... -- harn WORDS...
"""
import fcntl, os, pty, select, struct, sys, termios, time


class Terminal:
    """The harn under test with these words. Without echo, the screen has only what the program wrote."""

    def __init__(self, *words, echo=True, columns=0, **variables):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            if not echo:
                state = termios.tcgetattr(0)
                state[3] &= ~termios.ECHO
                termios.tcsetattr(0, termios.TCSANOW, state)
            if columns:
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 10, columns, 0, 0))
                os.environ.pop("COLUMNS", None)
            os.environ.update({"TERM": "xterm", **variables})
            os.execv(os.environ["HARN"], [os.environ["HARN"], *words])

    def read_some(self, seconds):
        """False when the program has closed the terminal."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            block = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += block.decode()
        return bool(block)

    def read_until(self, text, seconds=40):
        """What was written up to and with this text. The rest stays."""
        end = time.time() + seconds
        while text not in self.text:
            if time.time() > end:
                raise SystemExit(f"no {text!r} in {self.text!r}")
            if not self.read_some(0.1):
                break
        seen, found, self.text = self.text.partition(text)
        return seen + found

    def is_raw(self):
        return not termios.tcgetattr(self.fd)[3] & termios.ICANON

    def wait_for_editor(self):
        """Keys sent before the line editor has taken over the terminal mean something else."""
        while not self.is_raw():
            time.sleep(0.01)

    def send(self, text):
        os.write(self.fd, text.encode())

    def finish(self):
        """The exit code, when the program has ended. What it wrote is in `text`."""
        while self.read_some(None):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def main():
    prompt, *lines = sys.argv[1:sys.argv.index("--")]
    terminal = Terminal(*sys.argv[sys.argv.index("--") + 1:], echo=False)
    seen = ""
    for line in lines:
        seen += terminal.read_until(prompt)
        terminal.send(line + "\n")
    terminal.finish()
    print((seen + terminal.text).replace("\r", ""), end="")


if __name__ == "__main__":
    main()
