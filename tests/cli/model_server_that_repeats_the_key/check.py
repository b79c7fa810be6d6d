"""Servers that repeat the key that they were sent: as a refusal, in a long one, and in the middle of an answer."""
import http.server, json, os, subprocess, threading

KEY = "of-no-known-shape-0123456789"


class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_POST(self):
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if "stream breaks" in asked:
            error = {"type": "error", "error": {"type": "overloaded_error", "message": f"{KEY} is overloaded"}}
            return self.answer(200, "text/event-stream", f"event: error\ndata: {json.dumps(error)}\n\n")
        # What is shown is cut after some hundred characters: this one in the middle of the key.
        padding = "x" * 590 if "long" in asked else ""
        return self.answer(401, "application/json", json.dumps({"error": {"type": "authentication_error", "message": f"{padding}{KEY} is wrong"}}))

    def answer(self, status, kind, text):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ.update(ANTHROPIC_BASE_URL=f"http://127.0.0.1:{server.server_port}", ANTHROPIC_API_KEY=KEY)
said = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True)
print(said.stdout, end="")
print([part for part in (KEY, KEY[:10]) if part in said.stdout + said.stderr])
