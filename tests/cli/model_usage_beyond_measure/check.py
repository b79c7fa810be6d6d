"""A server that counts tokens wrongly: more than there can be, fewer than none, no number."""
import http.server, json, os, subprocess, threading

COUNTS = [10 ** 25, 2 ** 63, 9223372036854775807, -5, "many", 1e300]


class Model(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        count = COUNTS.pop(0)
        body = json.dumps({"model": "gpt-4o", "choices": [{"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
                           "usage": {"prompt_tokens": count, "completion_tokens": count,
                                     "prompt_tokens_details": {"cached_tokens": count}}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ.update(OPENAI_BASE_URL=f"http://127.0.0.1:{server.server_port}/v1", OPENAI_API_KEY="key")
done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True)
print(done.stdout + done.stderr, end="")
