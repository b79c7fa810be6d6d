"""Turns a program of the model into Harn source."""

PRECEDENCE = {"||": 3, "&&": 4, "==": 5, "!=": 5, "<": 6, ">": 6, "<=": 6, ">=": 6, "in": 6, "not in": 6,
              "+": 7, "-": 7, "??": 8, "*": 9, "/": 9, "%": 9, "**": 11}
UNARY, POSTFIX, TERNARY, RANGE, PIPE = 10, 12, 2, 1.5, 1
BRACED = ("if", "match", "try", "retry", "spawn", "parallel", "each", "settle", "closure", "fnexpr", "trystar")


def quote(text):
    out = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return out.replace("$", "\\$")


class Printer:
    def __init__(self):
        self.depth = 0

    def program(self, statements):
        return "".join(self.line(statement) for statement in statements)

    def line(self, statement):
        return "  " * self.depth + self.statement(statement) + "\n"

    def block(self, statements, head=""):
        self.depth += 1
        body = "".join(self.line(statement) for statement in statements)
        self.depth -= 1
        return "{" + head + "\n" + body + "  " * self.depth + "}"

    # Statements

    def statement(self, node):
        what = node[0]
        if what == "expr":
            text = self.expr(node[1])
            # A statement that begins with a brace would be read as something else.
            return f"({text})" if text.startswith("{") else text
        method = getattr(self, "do_" + what, None)
        return method(node) if method else self.expr(node)

    def do_log(self, node):
        return f"log({self.expr(node[1])})"

    def do_let(self, node):
        return f"{node[1]} {self.pattern(node[2])} = {self.expr(node[3])}"

    def do_assign(self, node):
        return f"{self.expr(node[1])} {node[2]} {self.expr(node[3])}"

    def do_for(self, node):
        return f"for {self.pattern(node[1])} in {self.head(node[2])} {self.block(node[3])}"

    def do_while(self, node):
        return f"while {self.head(node[1])} {self.block(node[2])}"

    def do_break(self, node):
        return "break"

    def do_continue(self, node):
        return "continue"

    def do_return(self, node):
        return "return" if node[1] is None else f"return {self.expr(node[1])}"

    def do_throw(self, node):
        return f"throw {self.expr(node[1])}"

    def do_yield(self, node):
        return f"yield {self.expr(node[1])}"

    def do_defer(self, node):
        return f"defer {self.block(node[1])}"

    def do_guard(self, node):
        return f"guard {self.head(node[1])} else {self.block(node[2])}"

    def do_require(self, node):
        message = "" if node[2] is None else f", {self.expr(node[2])}"
        return f"require {self.expr(node[1])}{message}"

    def do_fn(self, node):
        return f"fn {node[1]}({self.params(node[2])}) {self.block(node[3])}"

    def do_structdecl(self, node):
        return f"struct {node[1]} {{ " + ", ".join(f"{name}: {kind}" for _, name, kind in node[2]) + " }"

    def do_enumdecl(self, node):
        cases = (name + (f"({', '.join(types)})" if types else "") for _, name, types in node[2])
        return f"enum {node[1]} {{ " + ", ".join(cases) + " }"

    def do_impl(self, node):
        return f"impl {node[1]} {self.block(node[2])}"

    # Patterns

    def pattern(self, node):
        what = node[0]
        if what == "pname":
            return node[1]
        if what == "pwild":
            return "_"
        if what == "plit":
            return self.expr(node[1])
        if what == "pdefault":
            return f"{node[1]} = {self.expr(node[2])}"
        if what == "prest":
            return "..." + node[1]
        if what == "ppair":
            return f"({node[1]}, {node[2]})"
        if what == "plist":
            return "[" + ", ".join(map(self.pattern, node[1])) + "]"
        if what == "pvariant":
            args = "(" + ", ".join(map(self.pattern, node[3])) + ")" if node[3] else ""
            return f"{node[1]}.{node[2]}{args}"
        return "{" + ", ".join(map(self.field, node[1])) + "}"

    def field(self, node):
        if node[0] == "prest":
            return self.pattern(node)
        inner = self.pattern(node[2])
        if node[2][0] in ("pname", "pdefault") and node[2][1] == node[1]:
            return inner
        return f"{node[1]}: {inner}"

    # Expressions

    def head(self, node):
        """Where a brace follows: what could take it for its own goes into parentheses."""
        from .nodes import contains
        text = self.expr(node)
        return f"({text})" if contains(node, ("struct", "dict", "trystar") + BRACED) else text

    def at(self, node, level):
        text = self.expr(node)
        return text if self.level(node) >= level else f"({text})"

    @staticmethod
    def level(node):
        what = node[0]
        if what == "binary":
            return PRECEDENCE[node[1]]
        if what in ("int", "float") and node[1] < 0:
            return UNARY
        return {"unary": UNARY, "ternary": TERNARY, "range": RANGE, "pipe": PIPE}.get(what, 0 if what in BRACED else 13)

    def expr(self, node):
        return getattr(self, "ex_" + node[0])(node)

    def ex_int(self, node):
        return str(node[1])

    def ex_float(self, node):
        return repr(node[1])

    def ex_str(self, node):
        return f'"{quote(node[1])}"'

    def ex_bool(self, node):
        return "true" if node[1] else "false"

    def ex_nil(self, node):
        return "nil"

    def ex_name(self, node):
        return node[1]

    def ex_hole(self, node):
        return "_"

    def ex_interp(self, node):
        parts = (quote(part[1]) if part[0] == "str" else "${" + self.expr(part) + "}" for part in node[1])
        return '"' + "".join(parts) + '"'

    def ex_spread(self, node):
        return "..." + self.at(node[1], POSTFIX)

    def ex_list(self, node):
        return "[" + ", ".join(map(self.expr, node[1])) + "]"

    def ex_entry(self, node):
        return f"{node[1]}: {self.expr(node[2])}"

    def ex_computed(self, node):
        return f"[{self.expr(node[1])}]: {self.expr(node[2])}"

    def ex_dict(self, node):
        return "{" + ", ".join(map(self.expr, node[1])) + "}"

    def ex_struct(self, node):
        return f"{node[1]} {{{', '.join(map(self.expr, node[2]))}}}"

    def ex_variant(self, node):
        args = f"({self.args(node[3])})" if node[3] else ""
        return f"{node[1]}.{node[2]}{args}"

    def ex_binary(self, node):
        level = PRECEDENCE[node[1]]
        if node[1] == "**":
            return f"{self.at(node[2], POSTFIX)} ** {self.at(node[3], UNARY)}"
        return f"{self.at(node[2], level)} {node[1]} {self.at(node[3], level + 1)}"

    def ex_unary(self, node):
        inner = self.at(node[2], UNARY)
        return node[1] + (f"({inner})" if inner.startswith("-") else inner)

    def ex_ternary(self, node):
        return f"{self.at(node[1], 3)} ? {self.at(node[2], 3)} : {self.at(node[3], TERNARY)}"

    def ex_range(self, node):
        return f"{self.at(node[1], 3)} to {self.at(node[2], 3)}" + (" exclusive" if node[3] else "")

    def args(self, nodes):
        return ", ".join(map(self.expr, nodes))

    def ex_call(self, node):
        return f"{node[1]}({self.args(node[2])})"

    def ex_invoke(self, node):
        return f"{self.at(node[1], POSTFIX)}({self.args(node[2])})"

    def ex_method(self, node):
        return f"{self.at(node[1], POSTFIX)}{'?.' if node[4] else '.'}{node[2]}({self.args(node[3])})"

    def ex_prop(self, node):
        return f"{self.at(node[1], POSTFIX)}{'?.' if node[3] else '.'}{node[2]}"

    def ex_index(self, node):
        return f"{self.at(node[1], POSTFIX)}{'?[' if node[3] else '['}{self.expr(node[2])}]"

    def ex_slice(self, node):
        start, end = ("" if bound is None else self.expr(bound) for bound in node[2:4])
        return f"{self.at(node[1], POSTFIX)}[{start}:{end}]"

    def params(self, nodes):
        def one(node):
            if node[0] == "rest":
                return "..." + node[1]
            return node[1] + ("" if node[2] is None else f" = {self.expr(node[2])}")
        return ", ".join(map(one, nodes))

    def ex_closure(self, node):
        params = self.params(node[1])
        if len(node[2]) == 1 and node[2][0][0] == "expr":
            self.depth += 1
            text = self.statement(node[2][0])
            self.depth -= 1
            return f"{{ {params} -> {text} }}" if params else f"{{ -> {text} }}"
        return self.block(node[2], f" {params} ->" if params else " ->")

    def ex_fnexpr(self, node):
        return f"fn({self.params(node[1])}) {self.block(node[2])}"

    def ex_if(self, node):
        text = f"if {self.head(node[1])} {self.block(node[2])}"
        if node[3] is None:
            return text
        if len(node[3]) == 1 and node[3][0][0] == "if":
            return f"{text} else {self.ex_if(node[3][0])}"
        return f"{text} else {self.block(node[3])}"

    def ex_match(self, node):
        self.depth += 1
        arms = ""
        for _, pattern, guard, body in node[2]:
            condition = "" if guard is None else f" if {self.expr(guard)}"
            arms += "  " * self.depth + f"{self.pattern(pattern)}{condition} -> {self.block(body)}\n"
        self.depth -= 1
        return f"match {self.head(node[1])} {{\n{arms}" + "  " * self.depth + "}"

    def ex_try(self, node):
        _, body, name, handler, final = node
        text = f"try {self.block(body)}"
        if handler is not None:
            text += (f" catch ({name}) " if name else " catch ") + self.block(handler)
        if final is not None:
            text += f" finally {self.block(final)}"
        return text

    def ex_trystar(self, node):
        return f"try* {self.at(node[1], UNARY)}"

    def ex_question(self, node):
        return self.at(node[1], POSTFIX) + "?"

    def ex_retry(self, node):
        return f"retry {self.expr(node[1])} {self.block(node[2])}"

    def ex_spawn(self, node):
        return f"spawn {self.block(node[1])}"

    def ex_parallel(self, node):
        return f"parallel({self.expr(node[1])}) {self.block(node[3], f' {node[2]} ->')}"

    def ex_each(self, node):
        limit = f" with {{ max_concurrent: {node[4]} }}" if node[4] else ""
        return f"parallel each {self.head(node[1])}{limit} {self.block(node[3], f' {node[2]} ->')}"

    def ex_settle(self, node):
        return f"parallel settle {self.head(node[1])} {self.block(node[3], f' {node[2]} ->')}"

    def ex_pipe(self, node):
        return f"{self.at(node[1], PIPE)} |> {self.at(node[2], 3)}"
