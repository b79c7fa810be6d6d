"""A handler of http.server that says nothing of its own and answers with JSON."""
import http.server, json


class JsonHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def answer(self, status, value, **headers):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items(): self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
