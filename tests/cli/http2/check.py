"""A real HTTP/2 server (nghttpd): many requests over one connection, large bodies both ways, and answers in pieces."""
import os, pathlib, re, shutil, socket, subprocess, time

work = pathlib.Path("root")
work.mkdir()
(work / "small").write_text("over HTTP/2")
(work / "large").write_bytes(bytes(range(256)) * 8192)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
server = subprocess.Popen([shutil.which("nghttpd") or "/usr/sbin/nghttpd", "-v", "-a", "127.0.0.1", "-d", "root", "--echo-upload", str(port),
                           "key.pem", "certificate.pem"], stdout=open("log", "w"), stderr=subprocess.STDOUT)
try:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    done = subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "SSL_CERT_FILE": "certificate.pem", "BASE": f"https://localhost:{port}"})
    print(done.stdout + "".join(line for line in done.stderr.splitlines(True) if "without the sandbox" not in line), end="")
finally:
    server.terminate()
    server.wait()
seen = pathlib.Path("log").read_text(errors="replace")
streams = {(a, b) for a, b in re.findall(r"\[id=(\d+)\].*?recv HEADERS frame .*?stream_id=(\d+)", seen)}
print("requests came as HTTP/2:", len(streams))
print("connections were shared:", len({a for a, _ in streams}) < len(streams) / 4)
