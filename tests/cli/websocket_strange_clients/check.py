import os, socket, struct, subprocess
from websocket_peer import BINARY, CLOSE, PING, TEXT, client, frame, read_frame, read_head

BYE = frame(CLOSE, struct.pack(">H", 1000), mask=True)
PARTS = {
    "unmasked": [frame(TEXT, "x")],
    "fragments": [frame(TEXT, "a", final=False, mask=True), frame(0, "b", mask=True), BYE],
    "text in a text": [frame(TEXT, "a", final=False, mask=True), frame(TEXT, "b", mask=True)],
    "rest of nothing": [frame(0, "b", mask=True)],
    "bad utf-8": [frame(TEXT, b"\xc3\x28", mask=True)],
    "oversize": [frame(BINARY, b"x" * 1001, mask=True)],
    "oversize in fragments": [frame(BINARY, b"x" * 600, final=False, mask=True), frame(0, b"x" * 600, mask=True)],
    "ping in pieces": [frame(PING, "x", final=False, mask=True)],
    "cut": [frame(TEXT, "whole", mask=True), frame(TEXT, "x" * 50, mask=True)[:20]],
    "good": [frame(TEXT, "hi", mask=True), frame(PING, "p", mask=True), BYE],
}
done = subprocess.Popen([os.environ["HARN"], "run", "--no-sandbox", "main.harn", str(len(PARTS))], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
port = int(done.stdout.readline().split(":")[1])

# What is no handshake never gets to the program.
for head in ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.0\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nX: " + "x" * 40000 + "\r\n\r\n",
             "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n\r\n",
             "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 8\r\n\r\n"):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        try:
            connection.sendall(head.encode())
            print(head[:15].strip(), "->", read_head(connection)[0])
        except ConnectionError:
            print(head[:15].strip(), "-> cut")
socket.create_connection(("127.0.0.1", port))  # one that says nothing at all keeps nobody waiting

for name, frames in PARTS.items():
    connection, line = client(port)
    for piece in frames:
        connection.sendall(piece)
    if name == "cut":
        connection.close()
    else:
        try:
            while True:
                opcode, payload, masked = read_frame(connection)
                if opcode == CLOSE:
                    print(f"{name}: told {struct.unpack('>H', payload[:2])[0]}", "masked" if masked else "")
        except OSError:
            pass
        connection.close()
    print(f"{name}: {done.stdout.readline()}", end="")
print(done.stdout.read(), end="")
print("exit", done.wait(20))
