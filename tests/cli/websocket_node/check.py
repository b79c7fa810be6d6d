"""Node's own WebSocket client, where there is one. (Without node, the raw client plays its part, so that the output is the same.)"""
import os, shutil, struct, subprocess
from websocket_peer import CLOSE, TEXT, client, frame, read_frame

CODE = """
const socket = new WebSocket(`ws://${process.argv[1]}/chat`, ["chat"]);
socket.binaryType = "arraybuffer";
socket.onopen = () => socket.send("hello");
socket.onmessage = (event) => {
  if (typeof event.data === "string") { console.log(socket.protocol, event.data.length); socket.send(new Uint8Array([1, 2, 255])); }
  else { console.log(new Uint8Array(event.data).join()); socket.close(4001, "enough"); }
};
socket.onclose = (event) => console.log(event.code, event.reason, event.wasClean);
"""

def by_node(address):
    return subprocess.run(["node", "--experimental-websocket", "--no-warnings", "-e", CODE, address], capture_output=True, text=True, timeout=30).stdout

def by_hand(address):
    connection, _ = client(int(address.split(":")[1]), "/chat", "Sec-WebSocket-Protocol: chat\r\n")
    connection.sendall(frame(TEXT, "hello", mask=True))
    text = read_frame(connection)[1]
    connection.sendall(frame(2, bytes([1, 2, 255]), mask=True))
    data = read_frame(connection)[1]
    connection.sendall(frame(CLOSE, struct.pack(">H", 4001) + b"enough", mask=True))
    payload = read_frame(connection)[1]
    return f"chat {len(text)}\n{','.join(str(b) for b in data)}\n{struct.unpack('>H', payload[:2])[0]} {payload[2:].decode()} true\n"

done = subprocess.Popen([os.environ["HARN"], "run", "--no-sandbox", "main.harn"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
address = done.stdout.readline().strip()
has_node = shutil.which("node") and subprocess.run(["node", "--experimental-websocket", "--no-warnings", "-e", "WebSocket"], capture_output=True).returncode == 0
print((by_node if has_node else by_hand)(address), end="")
print(done.stdout.read(), end="")
print("exit", done.wait(20))
