import os, pty, re, select, sys, termios, time

class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *words, **variables):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm", **variables})
            os.execv(os.environ["HARN"], [os.environ["HARN"], *words])

    def read_until(self, text, seconds=20):
        end = time.time() + seconds
        while text not in self.text:
            if time.time() > end:
                raise SystemExit(f"no {text!r} in {self.text!r}")
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 65536).decode()
                except OSError:
                    break
        seen, _, self.text = self.text.partition(text)
        return seen + text

    def wait_for_editor(self):
        """Keys sent before the line editor has taken over the terminal mean something else."""
        while termios.tcgetattr(self.fd)[3] & termios.ICANON:
            time.sleep(0.01)

    def send(self, text):
        os.write(self.fd, text.encode())

    def finish(self):
        while True:
            try:
                block = os.read(self.fd, 65536)
            except OSError:
                break
            if not block:
                break
            self.text += block.decode()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {}):
    terminal = Terminal("main.harn", **variables)
    code = terminal.finish()
    print(terminal.text.replace("\r", "").replace("\x1b", "ESC"), end="")
    print(code)
