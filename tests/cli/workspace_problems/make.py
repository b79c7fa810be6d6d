"""A workspace with one of each mistake."""
import os


def put(path, text):
    path = ".nanobot/" + path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


put("agents/a/AGENT.md", "\ufeff---\r\nname: A\r\ntoools: [Read]\r\nmodel: 3\r\ntemperature: hot\r\n---\r\nbody\r\n---\r\nmore\r\n")
put("agents/AGENT.md", "---\nname: x\n---\n")
put("agents/b/AGENT.md", "name: x\n")
put("agents/c/AGENT.md", "---\nname: x\n")
put("agents/d/AGENT.md", "---\nname: x\nmetadata:\n\ta: 1\n---\n")
put("agents/e/AGENT.md", """---
name: x
name: y
id: e
tools: [Read, Reed, gh/issues]
skills: [nope]
tool_approvals:
  default: allow
  rules:
    - tool: Bash
      allow: maybe
      when:
        command: {matches: "("}
        x: {foo: 1}
        y: {anyOf: [{in: 1}]}
---
""")
put("agents/f/AGENT.md", b"---\nname: \xff\n---\n")
put("agents/g/AGENT.md", "---\nname: a: b\n---\n")
put("agents/h/AGENT.md", "---\n- a\n---\n")
put("agents/i/AGENT.md", "---\n---\n")
put("agents/j/AGENT.md", "---\nname: j\nmetadata:\n  a0: &a0 [x, x, x, x]\n" + "".join(f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)) + "---\n")
put("agents/k/AGENT.md", "---\nname: k\nmetadata:\n  a0: &a0 [x]\n" + "".join(f"  a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 20000)) + "---\n")
put("skills/bad/SKILL.md", f"---\nname: other\ndescription: {'d' * 1025}\nmetadata: {{a: 1}}\nallowed-tools: Read, Bash\ncompatibility: {'c' * 501}\nextra: 1\n---\n")
put("skills/Up--per/SKILL.md", "---\nname: Up--per\n---\n")
put("tasks/t/TASK.md", "---\nname: t\nagent: helpr\nnext: ../x.md\ninputs: [{name: 1a}, x, {name: b, description: d, default: 3}]\n---\n")
put("tasks/u/TASK.md", "---\nname: t\nnext: two.md\n---\n")
put("tasks/u/two.md", "---\nname: t\ninputs: []\nnext: TASK.md\n---\n")
put("tasks/v/TASK.md", "---\nname: t\nnext: gone.md\n---\n")
