"""WebFetch on a real server: the text of a page, redirects to hosts that are allowed and not, bodies without end, errors."""
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from workspace_files import harn, put, replies, say, view

sent = []


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
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
paths = ["/page", "/plain", "/moved", "/away", "/round", "/none", "/endless"]
replies("replies.jsonl", *({"text": "", "tool_calls": [{"name": "WebFetch", "arguments": {"url": top + path}}]} for path in paths), {"text": "over"})
say(harn("task", "run", "t", "--llm-mock", "replies.jsonl"))
for path, call in zip(paths, view()["steps"][0]["tool_calls"]):
    say(path, "->", repr((call.get("output") or "ERROR " + call["error"]).replace(top, "TOP")))
say("stopped early:", sum(sent) < 60_000_000)
server.shutdown()
