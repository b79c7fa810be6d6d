"""A server that ends its stream before the answer, and does not let anybody go on with it."""
import http.server, json, os, subprocess, threading


class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200 if "id" in message else 202)
        if message.get("method") == "initialize":
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {
                "protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "cut", "version": "1"}}}).encode()
            self.send_header("Content-Type", "application/json")
        elif message.get("params", {}).get("name") == "batch":
            body = json.dumps([{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "debug", "data": "x"}},
                               {"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": "in a batch"}]}}])
            body = f"data: {body}\n\n".encode()
            self.send_header("Content-Type", "text/event-stream")
        elif "id" in message:
            body = b'id: 7\nretry: 10\ndata: {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "debug", "data": "x"}}\n\n'
            self.send_header("Content-Type", "text/event-stream")
        else:
            body = b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True,
                      env=os.environ | {"SERVER": f"http://127.0.0.1:{server.server_port}/mcp"})
print(done.stdout.replace(str(server.server_port), "PORT"), end="")
