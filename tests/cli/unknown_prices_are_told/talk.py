"""A price that nobody knows is not nothing: neither in a line of JSON nor on the screen."""
import json, os, subprocess
from mock_server import MockServer
from terminal import Terminal

with MockServer("--script", "model.jsonl", "--quiet") as server:
    place = {"OPENAI_BASE_URL": f"http://{server.place}", "OPENAI_API_KEY": "sk-test"}
    words = ["chat", "--id", "a", "--provider", "openai", "--model", "nobodys-model"]
    out = subprocess.run([os.environ["HARN"], *words, "--json", "--message", "hi"], env={**os.environ, **place},
                         capture_output=True, text=True, check=True).stdout
    print("cost_usd:", [json.loads(line)["cost_usd"] for line in out.splitlines() if '"answer"' in line])
    t = Terminal(*words, **place)
    t.read_until("> ")
    t.wait_for_editor()
    t.send("again\r")
    print("on the screen:", "cost unknown" in t.read_until("revision"))
    # Before the editor has the terminal, Ctrl-D is an end of input that nobody reads.
    t.read_until("> ")
    t.wait_for_editor()
    t.send("\x04")
    t.finish()
