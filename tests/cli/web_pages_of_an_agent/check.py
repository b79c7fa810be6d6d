"""WebFetch on a real server: the text of a page in any charset, redirects to hosts that are allowed and not, bodies without end or that are no text, errors."""
import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from workspace_files import harn, put, replies, say, view

sent = []
# What has a type, maybe an encoding, and a body.
BODIES = {
    "/western": ("text/html; charset=ISO-8859-1", None, "<p>Café</p>".encode("latin-1")),
    "/meta": ("text/html", None, b'<meta charset="windows-1252"><p>\x93Caf\xe9\x94</p>'),
    "/unsaid": ("text/html", None, b"<p>Caf\xe9</p>"),
    "/wide": ("text/plain; charset=utf-16le", None, "Café 𝄞".encode("utf-16le")),
    "/picture": ("image/png", None, b"\x89PNG\r\n\x1a\n\0\0"),
    "/octets": ("application/octet-stream", None, "a plain text".encode()),
    "/squeezed": ("text/plain", "gzip", gzip.compress(b"squeezed")),
    "/bomb": ("text/plain", "gzip", gzip.compress(b"x" * 100_000_000, 1)),
}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path in BODIES:
            return self.given(*BODIES[self.path])
        to = {"/moved": "/page", "/away": f"http://localhost:{self.server.server_port}/page", "/round": "/round"}.get(self.path)
        self.send_response(302 if to else 404 if self.path == "/none" else 200)
        if to:
            self.send_header("location", to)
        self.send_header("content-type", "text/html; charset=utf-8" if self.path == "/page" else "text/plain")
        self.end_headers()
        if self.path == "/page":
            self.wfile.write(b"<html><head><title>T</title><script>evil()</script></head><body><h1>Caf\xc3\xa9</h1><p>Open &amp; warm.</p></body></html>")
        if self.path == "/plain":
            self.wfile.write(b"just text")
        if self.path == "/endless":
            self.endless()

    def given(self, kind, encoding, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        if encoding:
            self.send_header("content-encoding", encoding)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def endless(self):
        try:
            for _ in range(2000):
                self.wfile.write(b"x" * 100000)
                sent.append(100000)
        except OSError:
            pass

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
threading.Thread(target=server.serve_forever, daemon=True).start()
top = f"http://127.0.0.1:{server.server_port}"
put(".nanobot/agents/a/AGENT.md", "---\nname: a\ntools: [WebFetch]\ntool_approvals: {rules: [{tool: WebFetch, allow: true}]}\n---\nRead.\n")
put(".nanobot/tasks/t/TASK.md", "---\nname: t\nagent: a\n---\nDo it.\n")
put("harn.toml", '[nanobot]\ndomains = ["127.0.0.1"]\n')
paths = ["/page", "/plain", "/moved", "/away", "/round", "/none", "/endless", *BODIES]
replies("replies.jsonl", *({"text": "", "tool_calls": [{"name": "WebFetch", "arguments": {"url": top + path}}]} for path in paths), {"text": "over"})
say(harn("task", "run", "t", "--llm-mock", "replies.jsonl"))
for path, call in zip(paths, view()["steps"][0]["tool_calls"]):
    say(path, "->", repr((call.get("output") or "ERROR " + call["error"]).replace(top, "TOP")))
say("stopped early:", sum(sent) < 60_000_000)
server.shutdown()
