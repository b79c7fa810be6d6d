"""Files at random: whatever they hold, the check ends, says what is wrong with each, and where.

HARN_FUZZ_SEED, HARN_FUZZ_FILES."""
import json, os, random, subprocess

HARN = os.environ["HARN"]
chance = random.Random(int(os.environ.get("HARN_FUZZ_SEED", "3")))
PIECES = ["---\n", "---", "--- \n", "...\n", "\r\n", "\n", "\t", "  ", "- ", "name: x\n", "name: ", "tools: [", "Read", "]", "{", "}", "inherit", "tool_approvals:\n", "  rules:\n",
          "    - tool: Read\n      allow: true\n", "when: {a: {matches: '('}}\n", "&a ", "*a", "!!int ", "? ", ": ", "|\n", ">-\n", "'", '"', "#", "\ufeff", "\0", "é", "next: TASK.md\n",
          "inputs:\n", "  - name: a\n    description: b\n", "metadata: {a: b}\n", "null", "1e999", "0x", "~", "<<: *a\n", "%YAML 1.2\n", "[" * 50, "description: d\n", "model: m\n"]
KINDS = {"agents": "AGENT.md", "skills": "SKILL.md", "tasks": "TASK.md"}


def text():
    made = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 25)))
    if chance.random() < 0.7:
        made = "---\n" + made + "\n---\n" + chance.choice(PIECES)
    data = bytearray(made.encode())
    if chance.random() < 0.3 and data:
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


files = int(os.environ.get("HARN_FUZZ_FILES", "300"))
for number in range(files):
    kind = chance.choice(list(KINDS))
    folder = f".nanobot/{kind}/e{number}"
    os.makedirs(folder)
    with open(f"{folder}/{KINDS[kind]}", "wb") as file:
        file.write(text())
ran = subprocess.run([HARN, "workspace", "check", "--json"], capture_output=True)
told = json.loads(ran.stdout) if ran.returncode in (0, 1) else None
if told is None:
    print(ran.returncode, ran.stderr.decode()[:2000])
good = told and all(one["line"] >= 1 and one["message"] and one["fix"] and os.path.exists(one["file"]) for one in told["problems"])
print(f"read: {told is not None}, told: {bool(good)}")
