"""An HTTP server that says "hello" to everything, to many at a time.

`with FastServer(delay) as server:` runs it in a process of its own: `server.url`, and after the end `server.requests` and
`server.most`, how many were waiting for their answer at the same time. An answer takes `delay` seconds.
"""

import asyncio
import multiprocessing
import resource

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"


class Connection(asyncio.Protocol):
    def __init__(self, counts, delay):
        self.counts = counts
        self.delay = delay
        self.head = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.head += data
        while b"\r\n\r\n" in self.head:
            _, _, self.head = self.head.partition(b"\r\n\r\n")
            self.counts["requests"] += 1
            self.counts["now"] += 1
            self.counts["most"] = max(self.counts["most"], self.counts["now"])
            asyncio.get_running_loop().call_later(self.delay, self.answer)

    def answer(self):
        self.counts["now"] -= 1
        self.transport.write(ANSWER)


async def serve(pipe, delay):
    counts = {"requests": 0, "now": 0, "most": 0}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(counts, delay), "127.0.0.1", 0, backlog=16384)
    pipe.send(server.sockets[0].getsockname()[1])
    await loop.run_in_executor(None, pipe.recv)
    pipe.send(counts)


def main(pipe, delay):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(serve(pipe, delay))


class FastServer:
    def __init__(self, delay=0.0):
        self.delay = delay

    def __enter__(self):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=main, args=(theirs, self.delay), daemon=True)
        self.process.start()
        self.url = f"http://127.0.0.1:{self.pipe.recv()}/"
        return self

    def __exit__(self, *_):
        self.pipe.send("end")
        counts = self.pipe.recv()
        self.requests, self.most = counts["requests"], counts["most"]
        self.process.join(5)
        self.process.kill()
