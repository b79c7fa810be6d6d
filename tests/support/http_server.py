"""A local HTTP server for tests, with answers of every kind.

  /text                 "hello"
  /echo                 the request as JSON: method, path, query, headers
  /body                 the request's method, type, length and body
  /events/MS            three server-sent events, MS milliseconds apart
  /status/N             status N
  /slow/MS              "slow" after MS milliseconds
  /hang                 never
  /drip/MS              the head and one byte, the rest after MS milliseconds
  /big/BYTES            that many bytes
  /flood                bytes without end, as fast as they are taken; `server.flooded` counts them
  /see-other            303 to /echo
  /gzip                 "hello", packed
  /redirect/N           N redirects, then "hello"
  /redirect-to?url=URL  one redirect there
  /loop                 redirects to itself
  /cut                  half of the promised body, then the connection is closed
  /close                closed without an answer
  /garbage              what is no HTTP
  /flaky/KEY/N/STATUS   STATUS for the first N requests with this KEY, then "hello"
  /limited/KEY/SECONDS  429 with Retry-After once, then "hello"
  /latin1               bytes that are no UTF-8
  /cookies              two set-cookie headers
  /count                how many requests there were

`with Server() as server:` runs it in a thread; `server.url("/text")`. As a program it prints its address.
"""

import asyncio
import gzip
import json
import random
import threading
import urllib.parse


class Server:
    def __init__(self, keep_alive=False):
        self.keep_alive = keep_alive
        self.seen = {}
        self.requests = 0
        self.connections = 0
        self.open = 0
        self.flooded = 0

    def __enter__(self):
        ready = threading.Event()
        self.loop = asyncio.new_event_loop()

        async def start():
            self.server = await asyncio.start_server(self.connection, "127.0.0.1", 0, backlog=4096)
            self.port = self.server.sockets[0].getsockname()[1]
            ready.set()

        def run():
            self.loop.run_until_complete(start())
            self.loop.run_forever()

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        ready.wait()
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self.stop(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    async def stop(self):
        self.server.close()
        self.loop.set_exception_handler(lambda *_: None)  # connections that had not begun say so loudly
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def url(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"

    async def connection(self, reader, writer):
        self.open += 1
        self.connections += 1
        try:
            while await self.request(reader, writer) and self.keep_alive:
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def request(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
        self.requests += 1
        method, target, _ = head[0].split(" ")
        headers = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
        path, _, query = target.partition("?")
        length = {name.lower(): value for name, value in headers.items()}.get("content-length")
        self.body = await reader.readexactly(int(length or 0))
        words = path.strip("/").split("/")
        answer = getattr(self, "on_" + words[0].replace("-", "_"), None)
        if not answer:
            await self.send(writer, 404, b"no such page")
            return True
        return await answer(writer, *words[1:], query=query, headers=headers, method=method, path=path) is not False

    async def send(self, writer, status, body=b"", headers=(), length=None):
        lines = [f"HTTP/1.1 {status} Text", f"Content-Length: {len(body) if length is None else length}", *headers]
        if not self.keep_alive:
            lines.append("Connection: close")
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()

    async def on_text(self, writer, **_):
        await self.send(writer, 200, b"hello", ["Content-Type: text/plain", "X-Two: a", "X-Two: b"])

    async def on_echo(self, writer, *_, query, headers, method, path):
        body = {"method": method, "path": path, "query": query,
                "headers": {name.lower(): value for name, value in headers.items()}}
        await self.send(writer, 200, json.dumps(body).encode())

    async def on_body(self, writer, *_, headers, method, **__):
        known = {name.lower(): value for name, value in headers.items()}
        line = f"{method} {known.get('content-type')} {known.get('content-length')} {known.get('x-s')} "
        await self.send(writer, 200, line.encode() + self.body)

    async def on_events(self, writer, ms, **_):
        writer.write(b"HTTP/1.1 200 Text\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\xef\xbb\xbf: hello\n\n")
        for piece in (b"data: one\r", b"\ndata:two\r\n\r\n", b"event: tick\nid: 7\nretry: 50\nda", b"ta: x\n\n", b"data\n\ndata: lost"):
            await writer.drain()
            await asyncio.sleep(int(ms) / 1000)
            writer.write(piece)
        await writer.drain()
        return False

    async def on_status(self, writer, status, **_):
        await self.send(writer, int(status), b"status " + status.encode())

    async def on_slow(self, writer, ms, **_):
        await asyncio.sleep(int(ms) / 1000)
        await self.send(writer, 200, b"slow")

    async def on_random(self, writer, most_ms, **_):
        await asyncio.sleep(random.random() * int(most_ms) / 1000)
        await self.send(writer, 200, b"x" * random.randrange(20000))

    async def on_hang(self, writer, **_):
        await asyncio.sleep(3600)

    async def on_drip(self, writer, ms, **_):
        await self.send(writer, 200, b"d", length=4)
        await asyncio.sleep(int(ms) / 1000)
        writer.write(b"rip")
        await writer.drain()

    async def on_big(self, writer, size, **_):
        await self.send(writer, 200, b"b" * int(size))

    async def on_flood(self, writer, **_):
        writer.write(b"HTTP/1.1 200 Text\r\n\r\n")
        while True:
            writer.write(b"f" * 65536)
            await writer.drain()
            self.flooded += 65536

    async def on_see_other(self, writer, **_):
        await self.send(writer, 303, b"", ["Location: /echo"])

    async def on_gzip(self, writer, **_):
        await self.send(writer, 200, gzip.compress(b"hello"), ["Content-Encoding: gzip"])

    async def on_redirect(self, writer, count, **_):
        left = int(count)
        await self.send(writer, 302, b"", [f"Location: {f'/redirect/{left - 1}' if left > 1 else '/text'}"])

    async def on_redirect_to(self, writer, *, query, **_):
        target = urllib.parse.parse_qs(query)["url"][0]
        await self.send(writer, 302, b"", [f"Location: {target}"])

    async def on_loop(self, writer, **_):
        await self.send(writer, 301, b"", ["Location: /loop"])

    async def on_cut(self, writer, **_):
        await self.send(writer, 200, b"half", length=8)
        return False

    async def on_close(self, writer, **_):
        return False

    async def on_garbage(self, writer, **_):
        writer.write(b"\x00\x01\x02 nonsense\r\n\r\n")
        return False

    async def on_flaky(self, writer, key, count, status, **_):
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] <= int(count):
            await self.send(writer, int(status), b"not yet")
        else:
            await self.send(writer, 200, b"hello")

    async def on_limited(self, writer, key, seconds, **_):
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] == 1:
            await self.send(writer, 429, b"wait", [f"Retry-After: {seconds}"])
        else:
            await self.send(writer, 200, b"hello")

    async def on_latin1(self, writer, **_):
        await self.send(writer, 200, b"caf\xe9")

    async def on_cookies(self, writer, **_):
        await self.send(writer, 200, b"", ["Set-Cookie: a=1", "Set-Cookie: b=2"])

    async def on_count(self, writer, **_):
        await self.send(writer, 200, str(self.requests).encode())


if __name__ == "__main__":
    with Server() as running:
        print(running.url(""), flush=True)
        threading.Event().wait()
