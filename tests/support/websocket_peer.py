"""The other side of a WebSocket, byte by byte (RFC 6455), so that it can break every rule.

`with Server() as server:` listens on `server.port` and plays the part that the path names:

  /echo          sends back what it gets, and answers pings and closes
  /fragments     one text in three frames, with a ping between them; then closes with 1000
  /binary        256 bytes, then closes with 4000 "done"
  /masked        a frame with a mask, which a server must not send
  /bad-utf8      a text that is none
  /oversize      a text of 2,000 bytes
  /huge          the head of a frame that says it has 2^62 bytes
  /reserved      a frame with a reserved bit
  /opcode        a frame with an unknown opcode
  /long-ping     a ping with 126 bytes
  /bad-close     a close with a code that nobody may send
  /no-code       a close without a code
  /half          half a frame, and then nothing more: the connection is cut
  /cut           cut at once
  /stubborn      never answers a close
  /hang          never answers the handshake
  /garbage       what is no HTTP
  /accept        a handshake with the wrong answer to the key
  /redirect      302
  /status/N      that status
  /protocol      a subprotocol that nobody has asked for
  /head          a head without end
  /headers       the head of the request, as a text

As a proxy it goes nowhere: behind a CONNECT it plays the part of the target, and refuses hosts that begin with "closed.".

`client(port, path)` shakes hands as a client and returns a socket; `frame` and `read_frame` make and read frames.
"""

import base64
import hashlib
import os
import socket
import struct
import threading
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(opcode, payload=b"", final=True, mask=False, reserved=0):
    payload = payload.encode() if isinstance(payload, str) else payload
    head = bytes([(0x80 if final else 0) | reserved | opcode])
    bit = 0x80 if mask else 0
    if len(payload) < 126:
        head += bytes([bit | len(payload)])
    elif len(payload) < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", len(payload))
    if not mask:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(b ^ key[i % 4] for i, b in enumerate(payload))


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise ConnectionError("cut")
        data += piece
    return data


def read_frame(connection):
    """(opcode, payload, whether it was masked)"""
    first, second = read_exactly(connection, 2)
    size = second & 127
    if size == 126:
        size = struct.unpack(">H", read_exactly(connection, 2))[0]
    elif size == 127:
        size = struct.unpack(">Q", read_exactly(connection, 8))[0]
    key = read_exactly(connection, 4) if second & 0x80 else b""
    payload = read_exactly(connection, size)
    if key:
        payload = bytes(b ^ key[i % 4] for i, b in enumerate(payload))
    return first & 15, payload, bool(key)


def read_head(connection):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += read_exactly(connection, 1)
    lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    return lines[0], {name.lower(): value for name, value in headers.items()}


def answer_to(key):
    return base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()


def client(port, path="/", headers="", key="dGhlIHNhbXBsZSBub25jZQ=="):
    """A connection after the handshake, and the first line of the answer."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall((f"GET {path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{headers}\r\n").encode())
    line, answer = read_head(connection)
    assert " 101 " not in line or answer["sec-websocket-accept"] == answer_to(key), answer
    return connection, line


class Server:
    def __init__(self, wrap=lambda connection: connection):
        self.wrap = wrap
        self.notes = []  # what peers said, in order

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.settimeout(20)
            connection = self.wrap(connection)
            line, headers = read_head(connection)
            if line.startswith("CONNECT "):
                return self.tunnel(connection, line.split(" ")[1], headers)
            self.play(connection, line.split(" ")[1], headers)
        except (OSError, ConnectionError):
            pass
        finally:
            connection.close()

    def tunnel(self, connection, target, headers):
        self.notes.append(("CONNECT", target.split(":")[0], headers.get("proxy-authorization", "")))
        if target.startswith("closed."):
            connection.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
            return
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        line, headers = read_head(connection)
        self.play(connection, line.split(" ")[1], headers)

    def shake_hands(self, connection, headers, more=""):
        connection.sendall(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Accept: {answer_to(headers['sec-websocket-key'])}\r\n{more}\r\n").encode())

    def play(self, connection, path, headers):
        path = path.split("?")[0]
        if path == "/hang":
            time.sleep(20)
        elif path == "/cut":
            return
        elif path == "/garbage":
            connection.sendall(b"SSH-2.0-hello\r\n\r\n")
        elif path == "/head":
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n")
            for _ in range(10_000):
                connection.sendall(b"X-More: " + b"x" * 100 + b"\r\n")
        elif path == "/accept":
            self.shake_hands(connection, {"sec-websocket-key": "another"})
        elif path == "/redirect":
            connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: ws://other.test/?key=secret\r\nContent-Length: 0\r\n\r\n")
        elif path.startswith("/status/"):
            connection.sendall(f"HTTP/1.1 {path[8:]} No\r\nContent-Length: 0\r\n\r\n".encode())
        elif path == "/protocol":
            self.shake_hands(connection, headers, "Sec-WebSocket-Protocol: surprise\r\n")
            time.sleep(1)
        else:
            self.shake_hands(connection, headers)
            self.talk(connection, path, headers)

    SENT = {
        "/fragments": [frame(TEXT, "gr", final=False), frame(PING, "still there?"), frame(0, b"\xc3", final=False),
                       frame(0, b"\xbc\xc3\x9fe"), frame(CLOSE, struct.pack(">H", 1000))],
        "/binary": [frame(BINARY, bytes(range(256))), frame(CLOSE, struct.pack(">H", 4000) + b"done")],
        "/masked": [frame(TEXT, "x", mask=True)],
        "/bad-utf8": [frame(TEXT, b"\xff\xfe")],
        "/oversize": [frame(TEXT, "x" * 2000)],
        "/huge": [bytes([0x82, 127]) + struct.pack(">Q", 1 << 62)],
        "/reserved": [frame(TEXT, "x", reserved=0x20)],
        "/opcode": [frame(5, "x")],
        "/long-ping": [frame(PING, "x" * 126)],
        "/bad-close": [frame(CLOSE, struct.pack(">H", 1006))],
        "/no-code": [frame(CLOSE)],
        "/half": [frame(TEXT, "x" * 100)[:50]],
    }

    def talk(self, connection, path, headers):
        if path == "/headers":
            shown = sorted(name for name in headers if name not in ("sec-websocket-key", "host"))
            connection.sendall(frame(TEXT, ", ".join(f"{name}={headers[name]}" for name in shown)))
        for piece in self.SENT.get(path, []):
            connection.sendall(piece)
        if path == "/half":
            return
        while True:
            opcode, payload, masked = read_frame(connection)
            assert masked, "a client must mask what it sends"
            self.notes.append((path, opcode, payload[:2].hex() if opcode == CLOSE else payload[:20]))
            if opcode == CLOSE and path != "/stubborn":
                if path not in self.SENT:
                    connection.sendall(frame(CLOSE, payload))
                return
            if opcode == PING:
                connection.sendall(frame(PONG, payload))
            if opcode in (TEXT, BINARY) and path == "/echo":
                connection.sendall(frame(opcode, payload))
