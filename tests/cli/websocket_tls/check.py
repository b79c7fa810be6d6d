import os, re, ssl, subprocess
from websocket_peer import Server

# certificate.pem is that of http_get_tls.
def secure(connection):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("certificate.pem", "key.pem")
    return context.wrap_socket(connection, server_side=True)

with Server(secure) as server, Server() as plain:
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", str(server.port)], capture_output=True, text=True, timeout=50)
    print(re.sub(r":\d{4,5}\b", ":PORT", done.stdout + done.stderr), end="")
    code = f'println(try {{ websocket_connect("wss://localhost:{plain.port}/echo") }})'
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "-e", code], capture_output=True, text=True, timeout=50)
    print(re.sub(r":\d{4,5}\b", ":PORT", done.stdout), end="")
