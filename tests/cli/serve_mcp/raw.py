"""What a client that misbehaves gets."""
import json, os, subprocess
process = subprocess.Popen([os.environ["HARN"], "serve", "mcp", "server.harn"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
def ask(line):
    process.stdin.write(line + "\n")
    process.stdin.flush()
    print(process.stdout.readline().strip())
ask("not json")
ask("[]")
ask('{"jsonrpc": "2.0", "id": 1, "method": "completion/complete"}')
ask('{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "add", "task": {}}}')
ask('{"jsonrpc": "2.0", "id": 2, "method": "resources/list", "params": {"cursor": "x"}}')
process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n{"jsonrpc": "2.0", "id": 9, "result": {}}\n\n')
process.stdin.write('{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "slow", "arguments": {"ms": 60000}}}\n')
ask('{"jsonrpc": "2.0", "id": 4, "method": "ping"}')
process.stdin.close()
print(process.wait(10), process.stdout.read() == "", "this goes to standard error" in process.stderr.read())

# A tool that ends the program ends its call.
quitting = '''
var tools = tool_define(tool_registry(), "quit", "Quits", {parameters: {}, handler: { args -> exit(4) }})
tools = tool_define(tools, "ok", "Fine", {parameters: {}, handler: { args -> "fine" }})
mcp_tools(tools)
mcp_prompt({name: "p", handler: { args -> exit(5) }})
'''
with open("quitting.harn", "w") as file:
    file.write(quitting)
process = subprocess.Popen([os.environ["HARN"], "serve", "mcp", "quitting.harn"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
ask('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "quit", "arguments": {}}}')
ask('{"jsonrpc": "2.0", "id": 2, "method": "prompts/get", "params": {"name": "p"}}')
ask('{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "ok", "arguments": {}}}')
process.stdin.close()
print(process.wait(10), process.stdout.read() == "")
