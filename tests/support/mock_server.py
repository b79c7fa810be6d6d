"""`harn mock-server` for the length of a test.

  with MockServer("--script", "replies.jsonl") as server:
      server.post("/v1/messages", {...})         # (status, headers, text)
      server.exit_code                            # after the block
"""

import http.client
import json
import os
import signal
import subprocess
from urllib.parse import urlsplit


class MockServer:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([os.environ["HARN"], "mock-server", "--json", *arguments],
                                        stdout=subprocess.PIPE, text=True)
        first = json.loads(self.process.stdout.readline())
        self.url = first["url"]
        self.place = urlsplit(self.url).netloc
        self.events = []
        self.exit_code = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=20)
        self.events = [json.loads(line) for line in rest.splitlines()]
        self.exit_code = self.process.returncode

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.place, timeout=20)
        text = json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, text, {"content-type": "application/json"})
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, headers, answer.read().decode()

    def post(self, path, body):
        return self.request("POST", path, body)

    def get(self, path):
        return self.request("GET", path)


def events(text):
    """The data of server-sent events."""
    return [line[len("data: "):] for line in text.splitlines() if line.startswith("data: ")]
