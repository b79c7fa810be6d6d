"""A client of `harn lsp`: speaks the protocol over pipes, and keeps what the server publishes."""

import json
import subprocess
from pathlib import Path


class Client:
    def __init__(self, harn, root):
        self.root = Path(root)
        self.process = subprocess.Popen([harn, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self.last_id = 0
        self.published = {}
        self.versions = {}
        self.texts = {}
        self.capabilities = self.request("initialize", {"processId": None, "rootUri": self.uri(""), "capabilities": {}})
        self.notify("initialized", {})

    def uri(self, name):
        return (self.root / name).resolve().as_uri()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            raise EOFError("the server has gone")
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published[params["uri"]] = params
        return message

    def request(self, method, params):
        message = self.ask(method, params)
        if "error" in message:
            raise RuntimeError(message["error"])
        return message["result"]

    def ask(self, method, params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.last_id:
                return message

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def open(self, name, text=None):
        if text is None:
            text = (self.root / name).read_text()
        self.versions[name] = 1
        self.texts[name] = text
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "harn", "version": 1, "text": text}})

    def change(self, name, text):
        self.edit(name, [{"text": text}])
        self.texts[name] = text

    def edit(self, name, changes):
        self.versions[name] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri(name), "version": self.versions[name]}, "contentChanges": changes})

    def diagnostics(self, name):
        """Those of the version that was sent last."""
        uri = self.uri(name)
        while self.published.get(uri, {}).get("version") != self.versions[name]:
            self.receive()
        return self.published[uri]["diagnostics"]

    def place(self, name, marker, inside=0):
        """Where a piece of the text begins, `inside` characters further: what a request takes."""
        text = self.texts[name]
        offset = text.index(marker) + inside
        before = text[:offset]
        line = before.count("\n")
        column = len(before[before.rfind("\n") + 1:].encode("utf-16-le")) // 2
        return {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": column}}

    def close(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(10)
