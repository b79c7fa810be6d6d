# An answer that breaks off is asked for again: who watches is told, and a terminal does not show it twice.
import os, re, subprocess

from mock_server import MockServer
from terminal import Terminal

os.environ["ANTHROPIC_API_KEY"] = "key"
with MockServer("--script", "replies.jsonl", "--quiet") as server:
    os.environ["ANTHROPIC_BASE_URL"] = server.url
    print(subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True).stdout, end="")
with MockServer("--script", "replies.jsonl", "--quiet") as server:
    os.environ["ANTHROPIC_BASE_URL"] = server.url
    terminal = Terminal("run", "--no-sandbox", "quiet.harn")
    terminal.finish()
    left = re.sub(r"[^\n]*\r\x1b\[K", "", terminal.text.replace("\r\n", "\n"))
    print([line for line in re.sub(r"\x1b\[\d+m", "", left).splitlines() if line.startswith("|")])
