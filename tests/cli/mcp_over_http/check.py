import os
import subprocess
from mcp_server import HttpServer

with HttpServer(token="t-1") as server:
    subprocess.run([os.environ["HARN"], "run", "--no-sandbox", "main.harn", server.url], stderr=subprocess.DEVNULL)
    print("versions", sorted(server.versions), "ended", server.is_ended)
