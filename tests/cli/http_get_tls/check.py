import os, ssl, subprocess, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"over TLS")

    def log_message(self, *_):
        pass

class Server(ThreadingHTTPServer):
    def handle_error(self, *_):  # clients that do not trust us hang up
        pass

# certificate.pem is its own authority, made with:
# openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=localhost
#   -addext subjectAltName=DNS:localhost -keyout key.pem -out certificate.pem
server = Server(("127.0.0.1", 0), Answer)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("certificate.pem", "key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()

def get(host, options="nil", **variables):
    port = server.server_address[1]
    code = f'println(try {{ http_get("https://{host}:{port}/", {options}).body }})'
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "-e", code], capture_output=True, text=True, timeout=30,
                          env=os.environ | variables)
    print((done.stdout + done.stderr).replace(str(port), "PORT"), end="")

get("localhost")
get("localhost", SSL_CERT_FILE="certificate.pem")
get("127.0.0.1", SSL_CERT_FILE="certificate.pem")
get("localhost", '{tls: {ca_file: "certificate.pem"}}')
get("127.0.0.1", '{tls: {ca_file: "certificate.pem"}}')
get("127.0.0.1", "{tls: {verify: false}}")
get("localhost", '{tls: {ca_file: "missing.pem"}}')
