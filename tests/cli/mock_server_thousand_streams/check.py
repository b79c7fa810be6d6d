"""A thousand streams at once, each with pauses between its pieces: all of them arrive whole, and at the same time."""
import json
import selectors
import socket
import time
from mock_server import MockServer

COUNT = 1000
BODY = json.dumps({"model": "g", "stream": True, "messages": [{"role": "user", "content": "*"}]}).encode()
REQUEST = (b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(BODY)) + BODY

with MockServer("--script", "replies.jsonl", "--quiet") as server:
    host, port = server.place.split(":")
    waiting = selectors.DefaultSelector()
    started = time.monotonic()
    for _ in range(COUNT):
        one = socket.create_connection((host, int(port)))
        one.sendall(REQUEST)
        waiting.register(one, selectors.EVENT_READ, bytearray())
    whole = 0
    while waiting.get_map():
        for key, _ in waiting.select(timeout=20):
            piece = key.fileobj.recv(65536)
            if piece:
                key.data.extend(piece)
                continue
            whole += key.data.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
            waiting.unregister(key.fileobj)
            key.fileobj.close()
    took = time.monotonic() - started
    with open(f"/proc/{server.process.pid}/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

print(whole, "whole", "together" if took < 20 else took, "small" if peak < 300_000 else peak, "exit", server.exit_code)
