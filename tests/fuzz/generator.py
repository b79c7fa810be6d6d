"""Makes random programs for the model: typed well enough to run most of the time, full of corners on purpose.

Names come from a small pool, so that they shadow each other; expressions are made for a type; control flow,
closures, clean-up, generators and tasks are put into each other without restraint.
"""
import random

from model.nodes import contains

NAMES = ["a", "b", "c", "d", "k", "m", "p", "q", "s", "t", "u", "v", "w", "x", "y", "z"]
KEYS = ["a", "b", "c", "key", "n"]
SIMPLE = ["int", "str", "bool"]
LISTS = ("list", "int")
WORDS = ["", "a", "b", "ab", "x y", "Zed", "q,r", "1", "é"]


class Variable:
    def __init__(self, kind, mutable, sure=True, quiet=True, own=False):
        self.kind, self.mutable, self.sure, self.quiet = kind, mutable, sure, quiet
        self.own = own  # not to be assigned by chance: counters of loops, bindings of `match`


class Function:
    def __init__(self, name, params, result, required, quiet, recursive=False, quiet_end=True):
        self.name, self.params, self.result, self.required = name, params, result, required
        self.quiet, self.recursive, self.quiet_end = quiet, recursive, quiet_end


class Context:
    """What is allowed where a statement stands."""

    def __init__(self, **values):
        self.result = None      # the type to return; None: no return here
        self.loop = False
        self.generator = None   # the type to yield
        self.quiet = False
        self.cleaning = False   # in `defer` or `finally`: control stays inside
        self.question = False   # `?` may leave the function
        self.__dict__.update(values)

    def but(self, **values):
        return Context(**{**self.__dict__, **values})


class Programs:
    def __init__(self, seed, prefix=""):
        self.rng = random.Random(seed)
        self.prefix = prefix
        self.scopes = [{}]
        self.branch = []         # names that the open branches have introduced
        self.functions, self.generators = [], []
        self.fresh_number, self.script = 0, False
        self.size = 0
        self.limit = self.rng.choice([25, 40, 60, 90])
        self.deepest = self.rng.choice([4, 4, 4, 5, 8])
        self.struct, self.enum = f"P{prefix}", f"E{prefix}"

    # Choices

    def chance(self, percent):
        return self.rng.random() * 100 < percent

    def pick(self, items):
        return self.rng.choice(items)

    def weighted(self, table):
        names = list(table)
        return self.rng.choices(names, [table[name] for name in names])[0]

    def fresh(self, stem="h"):
        self.fresh_number += 1
        return f"{stem}{self.fresh_number}"

    # Programs

    def program(self, script=False):
        """(declarations, body). A `return` of a script would set the exit code, so it has none."""
        declarations = [
            ("structdecl", self.struct, [("fields", "x", "int"), ("fields", "y", "int"), ("fields", "items", "list<int>")]),
            ("enumdecl", self.enum, [("case", "One", ()), ("case", "Two", ("int",)), ("case", "Both", ("int", "string"))]),
            ("impl", self.struct, [self.method("total"), self.method("moved")]),
        ]
        for _ in range(self.rng.randint(0, 2)):
            declarations.append(self.top_variable())
        for _ in range(self.rng.randint(0, 4)):
            declarations.append(self.top_function())
        for _ in range(self.rng.randint(0, 2)):
            declarations.append(self.top_generator())
        self.size = 0
        self.script = script  # `try*` needs a function around it
        if not script:
            self.scopes.append({})
        context = Context(result=None if script else "any")
        body = self.statements(context, self.rng.randint(4, 9), 0)
        if script:
            body.append(("log", ("str", "end")))  # not a last value that is an error
        return declarations, body

    def method(self, name):
        me = ("name", "self")
        if name == "total":
            value = ("binary", "+", ("prop", me, "x", False), ("method", ("prop", me, "items", False), "sum", [], False))
            return ("fn", name, [("param", "self", None)], [("return", value)])
        fields = [("entry", "x", ("binary", "+", ("prop", me, "x", False), ("name", "by"))),
                  ("entry", "y", ("prop", me, "y", False)),
                  ("entry", "items", ("method", ("prop", me, "items", False), "push", [("name", "by")], False))]
        return ("fn", name, [("param", "self", None), ("param", "by", ("int", 1))], [("expr", ("struct", self.struct, fields))])

    def top_variable(self):
        kind = self.pick(["int", "int", "str", LISTS, ("dict", "int"), "struct"])
        name = "v" + self.prefix + self.fresh("v")
        self.scopes[0][name] = Variable(kind, True)
        return ("let", "var", ("pname", name), self.literal(kind, 1))

    def top_function(self):
        name = "f" + self.prefix + self.fresh("f")
        quiet = self.chance(40)
        result = self.some_type()
        params, kinds, required = self.parameters()
        saved, self.scopes = self.scopes, [dict(self.scopes[0]), {}]
        for param, kind in zip(params, kinds):
            self.scopes[-1][param[1]] = Variable(kind, False)
        self.size = 0
        recursive = self.chance(35)
        context = Context(result=result, quiet=quiet)
        body = []
        if recursive:
            params.insert(0, ("param", "fuel", None))
            required += 1
            body.append(self.recursion(name, params, kinds, result, context))
        body += self.statements(context, self.rng.randint(1, 4), 1)
        body.append(self.result_statement(result, 2))
        self.scopes = saved
        self.functions.append(Function(name, kinds, result, required - recursive, quiet, recursive))
        return ("fn", name, params, body)

    def recursion(self, name, params, kinds, result, context):
        """if fuel > 0 { ... return name(fuel - 1, ...) }, sometimes in a try."""
        args = [("binary", "-", ("name", "fuel"), ("int", 1))]
        args += [self.expr(kind, 1) for param, kind in zip(params[1:], kinds) if param[0] == "param"]
        call = ("return", ("call", name, args))
        if self.chance(50):
            inner = self.conditional(lambda: self.statements(context, self.rng.randint(0, 2), 2)) + [call]
        else:
            inner = self.scope(lambda: self.statements(context, self.rng.randint(0, 2), 2)) + [call]
            handler = None if self.chance(50) else self.scope(
                lambda: self.statements(context, 1, 2) + [self.result_statement(result, 1)])
            final = self.cleanup(context, 2) if handler is None or self.chance(50) else None
            inner = [("try", inner, "err" if handler else None, handler, final)]
        return ("if", ("binary", ">", ("name", "fuel"), ("int", 0)), inner, None)

    def parameters(self):
        params, kinds, required = [], [], 0
        defaults = False
        for name in self.rng.sample(NAMES, self.rng.randint(0, 3)):
            kind = self.some_type()
            default = None
            if defaults or self.chance(20):
                defaults, default = True, self.literal(kind, 1)
            else:
                required += 1
            params.append(("param", name, default))
            kinds.append(kind)
        if self.chance(12):
            params.append(("rest", "others"))
            kinds.append(("list", "int"))
        return params, kinds, required

    def top_generator(self):
        name = "g" + self.prefix + self.fresh("g")
        kind = self.pick(["int", "int", "str"])
        saved, self.scopes = self.scopes, [dict(self.scopes[0]), {"n": Variable("int", False)}]
        self.size = 0
        quiet = self.chance(60)
        context = Context(generator=kind, quiet=quiet)
        body = self.statements(context, self.rng.randint(0, 2), 2)
        inner = self.scope(
            lambda: self.statements(context.but(loop=True), self.rng.randint(0, 2), 2) + [("yield", self.expr(kind, 2))])
        if self.chance(50):
            inner.insert(0, ("defer", self.cleanup_body(context, "defer")))
        loop = ("for", ("pname", "i"), ("range", ("int", 0), ("name", "n"), True), inner)
        if self.chance(50):
            loop = ("try", [loop], None, None, self.cleanup(context, 2))
        body.append(loop)
        if self.chance(40):
            body.append(("yield", self.expr(kind, 1)))
        self.scopes = saved
        # When one that is held by a variable is dropped is not for the model to know: clean-up in it would show.
        quiet_end = not contains(body, ("defer", "try"))
        self.generators.append(Function(name, ["int"], kind, 1, quiet, quiet_end=quiet_end))
        return ("fn", name, [("param", "n", None)], body)

    # Types and variables

    def some_type(self, depth=0):
        kind = self.weighted({"int": 8, "str": 5, "bool": 2, "float": 1, "list": 5, "dict": 3, "struct": 2, "enum": 1, "result": 2,
                              "fn": 2 if depth == 0 else 0})
        if kind == "list":
            return ("list", self.pick(["int", "int", "str", LISTS]))
        if kind == "dict":
            return ("dict", self.pick(["int", "int", "str", LISTS]))
        if kind == "result":
            return ("result", self.pick(["int", "str"]))
        if kind == "fn":
            return ("fn", self.pick(["int", "int", "str", LISTS]))
        return kind

    def visible(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def variables(self, test):
        found = {}
        for scope in self.scopes:
            for name, variable in scope.items():
                found[name] = variable
        return [name for name, variable in found.items() if test(variable)]

    def declare(self, name, kind, mutable, quiet=True):
        if self.branch and name not in self.scopes[-1]:
            self.branch[-1].append(name)
        self.scopes[-1][name] = Variable(kind, mutable, True, quiet)

    def new_name(self, kind):
        """A name for a declaration of a type; often one that is taken already."""
        for _ in range(6):
            name = self.pick(NAMES)
            variable = self.visible(name)
            if variable is None or variable.kind == kind or (not self.branch and name not in self.scopes[-1] and self.chance(60)):
                return name
        return self.fresh("n")

    # Blocks

    def scope(self, make):
        self.scopes.append({})
        branch, self.branch = self.branch, []
        result = make()
        self.branch = branch
        self.scopes.pop()
        return result

    def conditional(self, make):
        """A body that runs in the scope around it, perhaps: what it declares may be missing afterwards."""
        self.branch.append([])
        result = make()
        for name in self.branch.pop():
            if name in self.scopes[-1]:
                self.scopes[-1][name].sure = False
        return result

    def statements(self, context, count, depth):
        result = []
        for _ in range(count):
            result += self.statement(context, depth)
            if result and result[-1][0] in ("break", "continue", "return", "throw"):
                break
        return result

    def block(self, context, depth, most=3):
        return self.scope(lambda: self.statements(context, self.rng.randint(1, most), depth + 1))

    def branch_block(self, context, depth, most=3):
        return self.conditional(lambda: self.statements(context, self.rng.randint(1, most), depth + 1))

    def cleanup_body(self, context, word):
        body = [] if context.quiet else [self.log(("str", word), 1)]
        if self.chance(50):
            body += self.scope(lambda: self.statements(self.inside_cleanup(context), 1, 3))
        if self.chance(4) and not context.generator:  # an error of a dropped generator's clean-up has no fixed place
            body.append(("throw", ("str", f"from {word}")))
        return body or [("let", "let", ("pwild",), ("int", 1))]

    def cleanup(self, context, depth):
        return self.cleanup_body(context, "finally")

    @staticmethod
    def inside_cleanup(context):
        return context.but(result=None, loop=False, generator=None, cleaning=True)

    # Statements

    def statement(self, context, depth):
        self.size += 1
        deep = depth >= self.deepest or self.size > self.limit
        table = {
            "let": 14, "assign": 10, "update": 7, "log": 0 if context.quiet else 12, "destructure": 5, "effect": 5,
            "if": 0 if deep else 10, "match": 0 if deep else 6, "for": 0 if deep else 8, "while": 0 if deep else 4,
            "try": 0 if deep else 9, "closure": 0 if deep else 7, "local_fn": 0 if deep else 4, "defer": 0 if deep else 5,
            "retry": 0 if deep else 2, "guard": 2 if context.result or context.loop else 0, "require": 1,
            "throw": 2 if depth > 0 and not context.cleaning else 0,
            "return": 3 if context.result and depth > 0 else 1 if context.generator else 0,
            "break": 5 if context.loop else 0, "continue": 4 if context.loop else 0,
            "yield": 12 if context.generator else 0,
            "pull": 3 if self.generators and not deep else 0,
            "loop_closures": 0 if deep or context.quiet else 3, "task": 0 if deep else 4, "snapshots": 0 if deep else 2, "parallel": 0 if deep else 3,
            "generator": 0 if deep else 4, "table": 0 if deep else 2, "pairs": 0 if deep else 2, "star": 0 if deep or self.script else 2,
            "late": 0 if deep else 3, "many": 1 if not deep else 0, "counter": 0 if deep else 3, "lazy": 0 if deep else 3,
            "question": 2 if context.result == "any" or isinstance(context.result, tuple) and context.result[0] == "result" else 0,
        }
        return getattr(self, "st_" + self.weighted(table))(context, depth)

    def log(self, expression, depth):
        return ("log", expression)

    def st_log(self, context, depth):
        names = self.variables(lambda v: v.sure and not self.is_function(v.kind))
        if names and self.chance(60):
            parts = []
            for name in self.rng.sample(names, min(len(names), self.rng.randint(1, 3))):
                parts += [("str", f"{name}="), ("name", name), ("str", " ")]
            return [("log", ("interp", parts))]
        maybe = self.variables(lambda v: not v.sure)
        if maybe and self.chance(50):
            return [("log", ("name", self.pick(maybe)))]
        return [("log", self.expr(self.some_type(1), 3))]

    @staticmethod
    def is_function(kind):
        return isinstance(kind, tuple) and kind[0] in ("fn", "gen")

    def st_let(self, context, depth):
        kind = self.some_type()
        value = self.expr(kind, 3)
        if self.chance(20) and depth < 4:
            value = self.block_value(kind, context, depth)
        name = self.new_name(kind)
        mutable = self.chance(65)
        self.declare(name, kind, mutable)
        return [("let", "var" if mutable else "let", ("pname", name), value)]

    def block_value(self, kind, context, depth):
        """An `if`, `match`, `try` or `retry` that is used for its value."""
        context = context.but(result=None, loop=False, generator=None)
        what = self.pick(["if", "match", "try", "retry"])
        if what == "if":
            return ("if", self.expr("bool", 2), self.valued(kind, context, depth, self.conditional),
                    self.valued(kind, context, depth, self.conditional))
        if what == "match":
            return self.match(kind, context, depth)
        if what == "retry":
            body = self.valued(kind, context, depth, self.scope)
            return ("binary", "??", ("retry", ("int", self.rng.randint(1, 3)), body), self.literal(kind, 1))
        final = self.cleanup(context, depth) if self.chance(40) else None
        return ("try", self.valued(kind, context, depth, self.scope), "err", self.valued(kind, context, depth, self.scope), final)

    def valued(self, kind, context, depth, around):
        return around(lambda: self.statements(context, self.rng.randint(0, 2), depth + 1) + [("expr", self.expr(kind, 2))])

    def st_assign(self, context, depth):
        names = self.variables(lambda v: v.mutable and v.sure and not self.is_function(v.kind))
        if self.chance(3):
            names = self.variables(lambda v: v.sure and not v.own and not self.is_function(v.kind)) or names
        if not names:
            return self.st_let(context, depth)
        name = self.pick(names)
        kind = self.visible(name).kind
        if kind == "int" and self.chance(60):
            return [("assign", ("name", name), self.pick(["+=", "-=", "+=", "*="]), self.expr("int", 2))]
        if kind in ("str",) and self.chance(60):
            return [("assign", ("name", name), "+=", self.expr(kind, 1))]
        return [("assign", ("name", name), "=", self.expr(kind, 3))]

    def st_update(self, context, depth):
        """a.b[i] = v and the like."""
        names = self.variables(lambda v: v.mutable and v.sure and (v.kind == "struct" or isinstance(v.kind, tuple) and
                                                                   v.kind[0] in ("list", "dict")))
        if not names:
            return self.st_let(context, depth)
        name = self.pick(names)
        target, kind = ("name", name), self.visible(name).kind
        if isinstance(kind, tuple) and kind[0] == "list" and self.chance(45):
            return [("assign", ("name", name), "=", ("method", ("name", name), "push", [self.expr(kind[1], 2)], False))]
        while kind == "struct" or (isinstance(kind, tuple) and kind[0] in ("list", "dict")):
            if kind == "struct":
                field, kind = self.pick([("x", "int"), ("y", "int"), ("items", LISTS)])
                target = ("prop", target, field, False)
            elif kind[0] == "list":
                target, kind = ("index", target, ("int", self.pick([0, 0, 0, 1, -1, 2])), False), kind[1]
            elif self.chance(50):
                target, kind = ("prop", target, self.pick(KEYS), False), kind[1]
            else:
                target, kind = ("index", target, ("str", self.pick(KEYS)), False), kind[1]
        op = "+=" if kind in ("int", "str") and self.chance(40) else "="
        return [("assign", target, op, self.expr(kind, 2))]

    def st_destructure(self, context, depth):
        word = self.pick(["let", "var"])
        if self.chance(50):
            value = self.expr(LISTS, 2)
            parts, names = [], set()
            for _ in range(self.rng.randint(1, 3)):
                if self.chance(15):
                    parts.append(("pwild",))
                    continue
                name = self.new_name("int")
                if name in names:
                    continue
                names.add(name)
                parts.append(("pdefault", name, self.expr("int", 1)))
                self.declare(name, "int", word == "var")
            if self.chance(40):
                name = self.fresh("r")
                parts.append(("prest", name))
                self.declare(name, LISTS, word == "var")
            return [("let", word, ("plist", parts), value)] if parts else []
        value = self.expr(("dict", "int"), 2)
        parts, names = [], set()
        for key in self.rng.sample(KEYS, self.rng.randint(1, 3)):
            name = key if self.chance(50) and self.free_for(key, "int") else self.new_name("int")
            if name in names:
                continue
            names.add(name)
            parts.append(("pfield", key, ("pdefault", name, self.expr("int", 1))))
            self.declare(name, "int", word == "var")
        if self.chance(40):
            name = self.fresh("r")
            parts.append(("prest", name))
            self.declare(name, ("dict", "int"), word == "var")
        return [("let", word, ("pdict", parts), value)] if parts else []

    def free_for(self, name, kind):
        variable = self.visible(name)
        return variable is None or variable.kind == kind

    def st_effect(self, context, depth):
        return [("expr", self.call_expression(self.some_type(1), 2, context.quiet))]

    def st_if(self, context, depth):
        condition = self.expr("bool", 2)
        then = self.branch_block(context, depth)
        other = None
        if self.chance(50):
            other = self.branch_block(context, depth)
        return [("if", condition, then, other)]

    def st_match(self, context, depth):
        return [self.match(None, context, depth)]

    def match(self, kind, context, depth):
        """kind: the type of the value, None for a statement."""
        subject = self.pick(["int", "str", LISTS, ("dict", "int"), "enum", ("result", "int"), "struct", ("list", LISTS)])
        value, arms = self.expr(subject, 2), []
        for _ in range(self.rng.randint(1, 3)):
            pattern, names = self.match_pattern(subject)
            arms.append(self.arm(pattern, names, kind, context, depth))
        arms.append(self.arm(("pwild",), {}, kind, context, depth, False))
        return ("match", value, arms)

    def arm(self, pattern, names, kind, context, depth, guarded=True):
        def make():
            # Bindings have names of their own and are not seen after the arm.
            saved = self.scopes[-1]
            self.scopes[-1] = dict(saved)
            for name, bound in names.items():
                self.scopes[-1][name] = Variable(bound, False, own=True)
            guard = self.expr("bool", 1) if guarded and self.chance(30) else None
            body = self.statements(context, self.rng.randint(1 if kind is None else 0, 2), depth + 1)
            if kind is not None:
                body.append(("expr", self.expr(kind, 2)))
            for name in names:
                self.scopes[-1].pop(name, None)
            saved.clear()
            saved.update(self.scopes[-1])
            self.scopes[-1] = saved
            return ("arm", pattern, guard, body)
        return self.conditional(make)

    def match_pattern(self, subject):
        if subject == "enum":
            name, types = self.pick([("One", []), ("Two", ["int"]), ("Both", ["int", "str"])])
            parts, names = [], {}
            for kind in types:
                part, found = self.simple_pattern(kind)
                parts.append(part)
                names.update(found)
            return ("pvariant", self.enum, name, parts), names
        if subject == ("result", "int"):
            name = self.pick(["Ok", "Err"])
            if name == "Err":
                bound = self.fresh("m")
                return ("pvariant", "Result", name, [("pname", bound)]), {bound: "any"}
            part, names = self.simple_pattern("int")
            return ("pvariant", "Result", name, [part]), names
        if subject == LISTS:
            parts, names = [], {}
            for _ in range(self.rng.randint(0, 3)):
                part, found = self.simple_pattern("int")
                parts.append(part)
                names.update(found)
            if self.chance(50):
                rest = self.fresh("m")
                parts.append(("prest", rest))
                names[rest] = LISTS
            return ("plist", parts), names
        if subject == ("list", LISTS):
            parts, names = [], {}
            for _ in range(self.rng.randint(1, 2)):
                part, found = self.match_pattern(LISTS)
                parts.append(part)
                names.update(found)
            if self.chance(50):
                parts.append(("prest", "_"))
            return ("plist", parts), names
        if subject == "struct":
            part, names = self.match_pattern(LISTS)
            other, found = self.simple_pattern("int")
            return ("pdict", [("pfield", "x", other), ("pfield", "items", part)]), {**names, **found}
        if subject == ("dict", "int"):
            parts, names = [], {}
            for key in self.rng.sample(KEYS, self.rng.randint(1, 2)):
                part, found = self.simple_pattern("int")
                parts.append(("pfield", key, part))
                names.update(found)
            return ("pdict", parts), names
        return self.simple_pattern(subject)

    def simple_pattern(self, kind):
        if self.chance(45):
            return ("plit", self.literal(kind, 0)), {}
        if self.chance(20):
            return ("pwild",), {}
        name = self.fresh("m")
        return ("pname", name), {name: kind}

    def st_for(self, context, depth):
        kind = self.pick(["int", "int", "str"])
        source = self.weighted({"list": 4, "range": 4 if kind == "int" else 0, "generator": 5 if self.generators else 0,
                                "dict": 2, "string": 2 if kind == "str" else 0})
        pattern = None
        if source == "generator":
            function = self.pick(self.generators)
            if context.quiet and not function.quiet:
                return []
            kind = function.result
            iterable = ("call", function.name, [("int", self.rng.randint(0, 4))])
        elif source == "range":
            iterable = ("range", ("int", self.rng.randint(0, 2)), ("int", self.rng.randint(0, 4)), self.chance(30))
        elif source == "string":
            iterable = self.expr("str", 1)
        elif source == "dict":
            iterable = self.expr(("dict", kind), 1)
            pattern = ("pdict", [("pfield", "key", ("pname", "key")), ("pfield", "value", ("pname", "value"))])
        else:
            iterable = self.expr(("list", kind), 2)

        def make():
            if pattern:
                self.declare("key", "str", True)
                self.declare("value", kind, True)
                names = pattern
            else:
                name = self.pick(NAMES + ["i", "i"])
                self.declare(name, kind, True)
                names = ("pname", name)
            return ("for", names, iterable, self.statements(context.but(loop=True), self.rng.randint(1, 4), depth + 1))
        return [self.scope(make)]

    def st_while(self, context, depth):
        counter = self.fresh("w")
        self.declare(counter, "counter", False)
        self.scopes[-1][counter].own = True
        times = self.rng.randint(1, 4)

        def make():
            body = [("assign", ("name", counter), "+=", ("int", 1))]
            return body + self.statements(context.but(loop=True), self.rng.randint(1, 4), depth + 1)
        condition = ("binary", "<", ("name", counter), ("int", times))
        if self.chance(25):
            condition = ("binary", "&&", condition, self.expr("bool", 1))
        return [("let", "var", ("pname", counter), ("int", 0)), ("while", condition, self.scope(make))]

    def st_try(self, context, depth):
        body = self.block(context, depth)
        if self.chance(50) and not context.cleaning:
            body = self.scope(lambda: self.statements(context, self.rng.randint(0, 2), depth + 1) + [("throw", self.thrown())])
        elif self.chance(50):
            body = body + [("let", "let", ("pwild",), self.faulty())] if body[-1:] and body[-1][0] not in \
                ("return", "throw", "break", "continue") else body
        form = self.weighted({"catch": 5, "finally": 2 if not context.cleaning else 0, "both": 4, "result": 3})
        handler = final = name = None
        if form == "result":
            target = self.new_name(("result", "any"))
            self.declare(target, ("result", "any"), False)
            return [("let", "let", ("pname", target), ("try", body, None, None, None))]
        if form in ("catch", "both"):
            name = self.pick([None, "err", "err"])

            def make():
                extra = [] if context.quiet or name is None else [("log", ("interp", [("str", "caught "), ("name", name)]))]
                return extra + self.statements(context, self.rng.randint(0, 3), depth + 1)
            handler = self.scope(make) or [("let", "let", ("pwild",), ("int", 0))]
        if form in ("finally", "both"):
            final = self.cleanup(context, depth)
            if self.chance(12) and context.loop and not context.generator:
                final = final + [("if", self.expr("bool", 1), [self.pick([("break",), ("continue",)])], None)]
        return [("try", body, name, handler, final)]

    def thrown(self):
        return self.pick([lambda: ("str", self.pick(["boom", "bad", "no"])), lambda: ("int", self.rng.randint(0, 9)),
                          lambda: ("dict", [("entry", "code", self.expr("int", 1))]), lambda: self.expr("str", 1)])()

    def faulty(self):
        """An expression that may fail at run time."""
        return self.pick([
            lambda: ("binary", "/", self.expr("int", 1), self.expr("int", 1)),
            lambda: ("binary", "%", self.expr("int", 1), self.expr("int", 1)),
            lambda: ("call", "unwrap", [self.expr(("result", "int"), 1)]),
        ])()

    def st_closure(self, context, depth):
        result = self.pick(["int", "int", "str", LISTS])
        quiet = self.chance(60)
        name = self.new_name(("fn", result))
        if self.chance(30):
            self.declare(name, ("fn", result), False)  # its own name is seen inside
            self.scopes[-1][name].sure = False
        value = self.function_value(result, context.but(quiet=context.quiet or quiet), depth)
        mutable = self.chance(20)
        self.declare(name, ("fn", result), mutable, quiet)
        return [("let", "var" if mutable else "let", ("pname", name), value)]

    def function_value(self, result, context, depth, params=()):
        """A closure without required parameters that gives `result`."""
        def make():
            extra = list(params)
            if self.chance(15):
                name = self.pick(NAMES)
                extra.append(("param", name, self.literal("int", 0)))
                self.declare(name, "int", False)
            inner = context.but(result=result, loop=False, generator=None, cleaning=False)
            body = self.statements(inner, self.rng.randint(0, 3), depth + 2)
            if not body or body[-1][0] not in ("return", "throw"):
                body.append(self.result_statement(result, 2))
            return (self.pick(["closure", "closure", "fnexpr"]), extra, body)
        return self.scope(make)

    def result_statement(self, kind, depth):
        if self.chance(50):
            return ("return", self.expr(kind, depth))
        return ("expr", self.expr(kind, depth))

    def st_local_fn(self, context, depth):
        result = self.pick(["int", "str", LISTS])
        name = self.new_name(("fn", result))
        quiet = self.chance(60)
        _, params, body = self.function_value(result, context.but(quiet=context.quiet or quiet), depth)
        self.declare(name, ("fn", result), False, quiet)
        return [("fn", name, params, body)]

    def st_defer(self, context, depth):
        return [("defer", self.cleanup_body(context, "deferred"))]

    def st_retry(self, context, depth):
        return [("retry", ("int", self.rng.randint(1, 3)), self.block(context, depth))]

    def leave(self, context):
        table = {"return": 3 if context.result else 0, "break": 2 if context.loop else 0, "continue": 2 if context.loop else 0}
        return getattr(self, "st_" + self.weighted(table))(context, 9)

    def st_guard(self, context, depth):
        if not context.result and not context.loop:
            return []
        return [("guard", self.expr("bool", 2), self.leave(context))]

    def st_require(self, context, depth):
        return [("require", self.expr("bool", 2), ("str", "required"))]

    def st_throw(self, context, depth):
        return [("if", self.expr("bool", 2), [("throw", self.thrown())], None)]

    def st_return(self, context, depth):
        kind = self.some_type(1) if context.result == "any" else context.result
        plain = ("return", None if kind is None else self.expr(kind, 2))
        return [plain] if depth == 9 or self.chance(40) else [("if", self.expr("bool", 1), [plain], None)]

    def st_break(self, context, depth):
        return [("break",)] if depth == 9 else [("if", self.expr("bool", 2), [("break",)], None)]

    def st_continue(self, context, depth):
        return [("continue",)] if depth == 9 else [("if", self.expr("bool", 2), [("continue",)], None)]

    def st_yield(self, context, depth):
        return [("yield", self.expr(context.generator, 2))]

    def st_question(self, context, depth):
        kind = self.pick(["int", "str"])
        name = self.new_name(kind)
        value = ("question", self.expr(("result", kind), 2))
        self.declare(name, kind, True)
        return [("let", "var", ("pname", name), value)]

    # Combinations of things that were built apart

    def st_pull(self, context, depth):
        """A generator in a variable, asked by hand."""
        simple = [generator for generator in self.generators if generator.quiet_end]
        if context.quiet or not simple:
            return []
        function = self.pick(simple)
        name = self.fresh("it")
        result = [("let", "let", ("pname", name), ("call", function.name, [("int", self.rng.randint(0, 4))]))]
        for _ in range(self.rng.randint(1, 4)):
            result += self.statements(context, self.rng.randint(0, 1), depth + 1)
            if result[-1][0] in ("return", "throw", "break", "continue"):
                return result
            ask = ("log", ("interp", [("str", "next "), ("prop", ("method", ("name", name), "next", [], False), "value", False)]))
            result.append(ask)
        # To the end, so that nothing depends on when it is dropped.
        result.append(("for", ("pname", self.fresh("v")), ("name", name), [("let", "let", ("pwild",), ("int", 0))]))
        return result

    def st_loop_closures(self, context, depth):
        """Closures made in a loop, each with the variables of its pass, called afterwards."""
        many = self.fresh("fs")
        result = [("let", "var", ("pname", many), ("list", []))]

        def make():
            name = self.pick(NAMES + ["i"])
            self.declare(name, "int", True)
            inner = context.but(loop=True)
            body = self.statements(inner, self.rng.randint(0, 2), depth + 1)
            if body and body[-1][0] in ("break", "continue", "return", "throw"):
                body.pop()
            closure = self.function_value("int", context.but(quiet=True), depth + 1)
            body.append(("assign", ("name", many), "=", ("method", ("name", many), "push", [closure], False)))
            body += self.statements(inner, self.rng.randint(0, 2), depth + 1)
            return ("for", ("pname", name), ("range", ("int", 1), ("int", self.rng.randint(1, 3)), False), body)
        result.append(self.scope(make))
        calls = [("log", ("invoke", ("name", "each_f"), []))] * self.rng.randint(1, 2)
        result.append(("for", ("pname", "each_f"), ("name", many), list(calls)))
        if self.chance(40):
            closure = ("closure", [("param", "g", None)], [("expr", ("invoke", ("name", "g"), []))])
            result.append(("log", ("method", ("name", many), "map", [closure], False)))
        return result

    def st_generator(self, context, depth):
        """A generator that closes over what is around it, in a loop that is left early."""
        if context.quiet:
            return []
        name, kind = self.fresh("gen"), self.pick(["int", "str"])

        def make():
            inner = context.but(result=None, loop=False, generator=kind, cleaning=False)
            body = self.scope(
                lambda: self.statements(inner, self.rng.randint(1, 3), depth + 2) + [("yield", self.expr(kind, 2))])
            if self.chance(60):
                body.insert(self.rng.randint(0, len(body)), ("defer", self.cleanup_body(inner, "closing")))
            if self.chance(40):
                body = [("try", body, "err" if self.chance(40) else None, None, self.cleanup(inner, 2))]
                if body[0][2]:
                    handler = self.scope(lambda: self.statements(inner, 1, depth + 2)) or [("yield", self.expr(kind, 1))]
                    body = [("try", body[0][1], "err", handler, body[0][4])]
            if self.chance(60):
                body = [("for", ("pname", "i"), ("range", ("int", 1), ("int", self.rng.randint(1, 3)), False), body)]
            return body
        result = [("fn", name, [], self.scope(make))]

        def loop():
            self.declare("item", kind, True)
            body = [("log", ("name", "item"))] + self.statements(context.but(loop=True), self.rng.randint(0, 2), depth + 1)
            return ("for", ("pname", "item"), ("call", name, []), body)
        for _ in range(self.rng.randint(1, 2)):
            result.append(self.scope(loop))
        return result

    def st_table(self, context, depth):
        """Closures in a dict, called through it."""
        if context.quiet:
            return []
        name = self.fresh("tab")
        value = ("dict", [("entry", "one", self.function_value("int", context.but(quiet=True), depth)),
                          ("entry", "two", self.function_value("str", context, depth))])
        calls = [("method", ("name", name), "one", [], False), ("method", ("name", name), "two", [], False),
                 ("method", ("name", name), "one", [], False)]
        return [("let", "let", ("pname", name), value), ("log", ("list", calls))]

    def st_pairs(self, context, depth):
        """for (k, v) over the pairs of a dict or of an enumeration."""
        source = self.pick([lambda: ("method", self.expr(("dict", "int"), 2), "iter", [], False),
                            lambda: ("method", ("method", self.expr(LISTS, 2), "iter", [], False), "enumerate", [], False)])()
        key_kind = "str" if source[1][0] != "method" or source[2] == "iter" else "int"

        def make():
            key, value = self.rng.sample(NAMES, 2)
            self.declare(key, key_kind, True)
            self.declare(value, "int", True)
            return ("for", ("ppair", key, value), source, self.statements(context.but(loop=True), self.rng.randint(1, 3), depth + 1))
        return [self.scope(make)]

    def st_star(self, context, depth):
        name = self.new_name("int")
        value = ("trystar", self.pick([lambda: self.call_expression("int", 2, context.quiet), self.faulty])())
        self.declare(name, "int", True)
        return [("let", "var", ("pname", name), value)]

    def st_counter(self, context, depth):
        """Two closures over one variable."""
        if context.quiet:
            return []
        shared, one, two = self.new_name("int"), self.fresh("inc"), self.fresh("get")
        result = [("let", "var", ("pname", shared), self.expr("int", 1))]
        self.declare(shared, "int", True)
        body = [("assign", ("name", shared), "+=", self.expr("int", 1)), ("expr", ("name", shared))]
        result.append(("let", "let", ("pname", one), ("closure", [], body)))
        self.declare(one, ("fn", "int"), False)
        result += self.statements(context, self.rng.randint(0, 1), depth + 1)
        if result[-1][0] in ("return", "throw", "break", "continue"):
            return result
        result.append(("let", "let", ("pname", two), ("closure", [], [("expr", ("list", [("name", shared), ("call", one, [])]))])))
        result.append(("log", ("list", [("call", one, []), ("call", two, []), ("name", shared)])))
        return result

    def st_late(self, context, depth):
        """A closure that uses a name its scope gets later."""
        if context.quiet:
            return []
        kind = self.pick(["int", "str"])
        late, name = self.fresh("late"), self.fresh("use")
        use = ("closure", [], [("expr", ("name", late))])
        result = [("let", "let", ("pname", name), use)]
        self.declare(late, kind, True)
        self.scopes[-1][late].sure = False
        if self.chance(40):
            result.append(("log", ("try", [("expr", ("call", name, []))], None, None, None)))
        result += self.statements(context, self.rng.randint(0, 2), depth + 1)
        if result[-1][0] in ("return", "throw", "break", "continue"):
            return result
        declaration = ("let", "var", ("pname", late), self.expr(kind, 2))
        if self.chance(40):
            condition = self.expr("bool", 1)
            result.append(("if", condition, [declaration], None))
        else:
            result.append(declaration)
            self.declare(late, kind, True)
        result.append(("log", ("try", [("expr", ("call", name, []))], None, None, None)))
        return result

    def st_many(self, context, depth):
        """Very many locals, and a use of them."""
        stem, count = self.fresh("l") + "_", self.rng.choice([20, 60, 140])
        result = [("let", "var", ("pname", f"{stem}{i}"), ("int", i)) for i in range(count)]
        used = self.rng.sample(range(count), 3)
        total = ("binary", "+", ("name", f"{stem}{used[0]}"), ("name", f"{stem}{used[1]}"))
        closure = ("closure", [], [("assign", ("name", f"{stem}{used[2]}"), "+=", total), ("expr", ("name", f"{stem}{used[2]}"))])
        self.declare(f"{stem}{used[0]}", "int", True)
        self.declare(f"{stem}f", ("fn", "int"), False)
        return result + [("let", "let", ("pname", f"{stem}f"), closure)]

    def st_lazy(self, context, depth):
        """A chain of a lazy iterator, whose steps are seen."""
        source = self.expr(LISTS, 1)
        chain = ("method", source, "iter", [], False)
        if self.generators and self.chance(40):
            numbers = [g for g in self.generators if g.result == "int" and g.quiet_end and (g.quiet or not context.quiet)]
            if numbers:
                chain = ("method", ("call", self.pick(numbers).name, [("int", self.rng.randint(0, 4))]), "iter", [], False)
        for _ in range(self.rng.randint(1, 3)):
            step = self.pick(["map", "filter", "take", "skip", "take_while", "skip_while", "flat_map"])
            if step in ("take", "skip"):
                args = [("int", self.rng.randint(0, 3))]
            else:
                args = [self.callback({"map": "int", "flat_map": LISTS}.get(step, "bool"), context, depth)]
            chain = ("method", chain, step, args, False)
        sink = self.pick(["to_list", "sum", "count", "first", "last", "max", "for"])
        if sink == "for":
            def make():
                name = self.pick(NAMES)
                self.declare(name, "int", True)
                return ("for", ("pname", name), chain, self.statements(context.but(loop=True), self.rng.randint(1, 2), depth + 1))
            return [self.scope(make)]
        if context.quiet:
            return [("expr", ("method", chain, sink, [], False))]
        return [("log", ("method", chain, sink, [], False))]

    def callback(self, result, context, depth):
        """{ x -> ... }, which may log."""
        def make():
            name = self.pick(NAMES)
            self.declare(name, "int", False)
            inner = context.but(result=result, loop=False, generator=None, cleaning=False)
            body = self.statements(inner, self.rng.randint(0, 1), depth + 2)
            if not body or body[-1][0] not in ("return", "throw"):
                body.append(("expr", self.expr(result, 2)))
            return ("closure", [("param", name, None)], body)
        return self.scope(make)

    def st_task(self, context, depth):
        result = self.pick(["int", "str", LISTS, ("fn", "int")])
        inner = context.but(result=result, loop=False, generator=None, cleaning=False, quiet=True)
        body = self.scope(lambda: self.statements(inner, self.rng.randint(0, 3), depth + 1) + [("expr", self.expr(result, 2))])
        wait = ("call", "await", [("spawn", body)])
        name = self.new_name(result)
        if self.chance(40):
            handle = self.fresh("task")
            output = [("let", "let", ("pname", handle), ("spawn", body))]
            output += self.statements(context, self.rng.randint(0, 2), depth + 1)
            if output[-1][0] in ("return", "throw", "break", "continue"):
                return output
            output.append(("let", "var", ("pname", name), ("call", "await", [("name", handle)])))
        else:
            output = [("let", "var", ("pname", name), wait)]
        self.declare(name, result, True)
        return output

    def st_snapshots(self, context, depth):
        """Closures over one variable that a task takes along: inside they share a copy."""
        if context.quiet:
            return []
        shared = self.new_name("int")
        self.declare(shared, "int", True)
        one, many = self.fresh("inc"), self.fresh("both")
        inc = ("closure", [], [("assign", ("name", shared), "+=", self.expr("int", 1)), ("expr", ("name", shared))])
        get = ("closure", [], [("expr", self.expr("int", 2))])
        call_all = ("method", ("name", many), "map", [("closure", [("param", "g", None)], [("expr", ("invoke", ("name", "g"), []))])],
                    False)
        inner = context.but(result=LISTS, loop=False, generator=None, cleaning=False, quiet=True)
        body = self.scope(lambda: self.statements(inner, self.rng.randint(0, 2), depth + 1))
        body += [("expr", ("call", one, [])), ("assign", ("name", shared), "+=", ("int", 100)), ("expr", call_all)]
        return [("let", "var", ("pname", shared), self.literal("int", 0)), ("let", "let", ("pname", one), inc),
                ("let", "let", ("pname", many), ("list", [("name", one), get])),
                ("log", ("call", "await", [("spawn", body)])), ("log", ("list", [("name", shared), call_all])),
                ("log", ("each", ("name", many), "g", [("expr", ("invoke", ("name", "g"), []))], None)), ("log", ("name", shared))]

    def st_parallel(self, context, depth):
        result = self.pick(["int", "str"])
        inner = context.but(result=result, loop=False, generator=None, cleaning=False, quiet=True)
        item = self.pick(NAMES)

        def make():
            self.declare(item, "int", False)
            return self.statements(inner, self.rng.randint(0, 3), depth + 1) + [("expr", self.expr(result, 2))]
        body = self.scope(make)
        form = self.pick(["parallel", "each", "settle"])
        if form == "parallel":
            value = ("parallel", ("int", self.rng.randint(0, 4)), item, body)
        elif form == "each":
            value = ("each", self.expr(LISTS, 1), item, body, self.pick([None, None, 1, 2]))
        else:
            value = ("settle", self.expr(LISTS, 1), item, body)
        if context.quiet:
            return [("let", "let", ("pwild",), value)]
        return [("log", value)]

    # Expressions

    def literal(self, kind, depth):
        if kind == "int":
            return ("int", self.pick([0, 1, 1, 2, 3, 4, 5, 7, 10, -1, -3]))
        if kind == "float":
            return ("float", self.pick([0.0, 0.5, 1.0, 1.5, 2.25, 10.0]))
        if kind == "str":
            return ("str", self.pick(WORDS))
        if kind == "bool":
            return ("bool", self.chance(50))
        if kind == "enum":
            name, types = self.pick([("One", []), ("Two", ["int"]), ("Both", ["int", "str"])])
            return ("variant", self.enum, name, [self.expr(part, depth - 1) for part in types])
        if kind == "struct":
            return ("struct", self.struct, [("entry", "x", self.expr("int", depth - 1)), ("entry", "y", self.expr("int", depth - 1)),
                                            ("entry", "items", self.expr(LISTS, depth - 1))])
        if kind == "any":
            return self.literal(self.pick(SIMPLE), depth)
        if kind[0] == "list":
            return ("list", [self.expr(kind[1], depth - 1) for _ in range(self.rng.randint(0, 3))])
        if kind[0] == "dict":
            return ("dict", [("entry", key, self.expr(kind[1], depth - 1)) for key in self.rng.sample(KEYS, self.rng.randint(0, 3))])
        if kind[0] == "result":
            if self.chance(70):
                return ("call", "Ok", [self.expr(kind[1] if kind[1] != "any" else "int", depth - 1)])
            return ("call", "Err", [("str", self.pick(["e1", "e2"]))])
        if kind[0] == "fn":
            return self.scope(lambda: ("closure", [], [("expr", self.expr(kind[1], depth - 1))]))
        raise AssertionError(kind)

    def expr(self, kind, depth):
        names = self.variables(lambda v: v.kind == kind and v.sure)
        if names and self.chance(45 if depth > 0 else 70):
            return ("name", self.pick(names))
        if depth <= 0:
            return self.literal(kind, 0)
        if self.chance(12):
            return self.call_expression(kind, depth, True)
        if self.chance(7):
            return ("ternary", self.expr("bool", depth - 1), self.expr(kind, depth - 1), self.expr(kind, depth - 1))
        if self.chance(3):
            return ("if", self.expr("bool", depth - 1), [("expr", self.expr(kind, depth - 1))], [("expr", self.expr(kind, depth - 1))])
        maker = getattr(self, "ex_" + (kind if isinstance(kind, str) else kind[0]), None)
        if maker is None or self.chance(25):
            return self.literal(kind, depth)
        return maker(kind, depth - 1)

    def call_expression(self, kind, depth, quiet):
        """A call of a function that gives `kind`; a literal if there is none."""
        options = [("call", name, []) for name in self.variables(
            lambda v: v.kind == ("fn", kind) and v.sure and (v.quiet or not quiet))]
        for function in self.functions:
            if function.result == kind and (function.quiet or not quiet):
                options.append(function)
        if not options:
            return self.literal(kind, depth)
        chosen = self.pick(options)
        if isinstance(chosen, tuple):
            return chosen
        args = [("int", self.rng.randint(0, 4))] if chosen.recursive else []
        wanted = self.rng.randint(chosen.required, max(chosen.required, len([k for k in chosen.params])))
        rest = False
        for number in range(min(wanted, len(chosen.params))):
            args.append(self.expr(chosen.params[number] if not rest else "int", depth - 1))
        return ("call", chosen.name, args)

    def ex_int(self, kind, depth):
        e = self.expr
        return self.pick([
            lambda: ("binary", self.pick(["+", "-", "*", "+"]), e("int", depth), e("int", depth)),
            lambda: ("binary", self.pick(["+", "-", "*"]), e("int", depth), e("int", depth)),
            lambda: ("binary", self.pick(["/", "%"]), e("int", depth), ("int", self.pick([1, 2, 3, -2, 5]))),
            lambda: ("call", "len", [e(self.pick(["str", LISTS, ("dict", "int")]), depth)]),
            lambda: ("method", e(LISTS, depth), self.pick(["sum", "sum"]), [], False),
            lambda: ("binary", "??", ("index", e(LISTS, depth), e("int", 0), False), e("int", depth)),
            lambda: ("binary", "??", ("prop", e(("dict", "int"), depth), self.pick(KEYS), False), e("int", depth)),
            lambda: ("prop", e("struct", depth), self.pick(["x", "y"]), False),
            lambda: ("method", e("struct", depth), "total", [], False),
            lambda: ("unary", "-", e("int", depth)),
            lambda: ("call", "unwrap_or", [e(("result", "int"), depth), e("int", depth)]),
            lambda: ("method", e(LISTS, depth), "reduce", [e("int", depth), self.lambda_(["int", "int"], "int", depth)], False),
            lambda: ("pipe", e("int", depth), self.lambda_(["int"], "int", depth)),
            lambda: ("pipe", e(LISTS, depth), ("name", "len")),
            lambda: ("invoke", self.function_simple("int", depth), []),
            lambda: ("binary", "??", ("prop", ("index", ("list", [e("struct", depth)]), e("int", 0), False), "x", True), e("int", depth)),
            lambda: ("binary", "??", ("index", ("prop", e(("dict", LISTS), depth), self.pick(KEYS), False), ("int", 0), True),
                     e("int", depth)),
            lambda: ("invoke", self.lambda_(["int", "int"], "int", depth), [("spread", ("list", [e("int", depth), e("int", depth)]))]),
            lambda: ("binary", "**", e("int", 0), ("int", self.rng.randint(0, 3))),
        ])()

    def function_simple(self, kind, depth):
        return self.scope(lambda: ("closure", [], [("expr", self.expr(kind, depth))]))

    def lambda_(self, kinds, result, depth):
        def make():
            names = self.rng.sample(NAMES, len(kinds))
            for name, kind in zip(names, kinds):
                self.declare(name, kind, False)
            return ("closure", [("param", name, None) for name in names], [("expr", self.expr(result, depth))])
        return self.scope(make)

    def ex_float(self, kind, depth):
        return ("binary", self.pick(["+", "-", "*"]), self.expr("float", depth), self.expr(self.pick(["int", "float"]), depth))

    def ex_str(self, kind, depth):
        e = self.expr
        return self.pick([
            lambda: ("binary", "+", e("str", depth), e("str", depth)),
            lambda: ("interp", [("str", self.pick(WORDS)), e(self.pick(["int", "str", "bool"]), 0), ("str", "."),
                                e(self.pick(["int", "str"]), 0)]),
            lambda: ("method", e("str", depth), self.pick(["uppercase", "trim", "reverse"]), [], False),
            lambda: ("method", e(LISTS, depth), "join", [("str", self.pick([",", "-", ""]))], False),
            lambda: ("call", "to_string", [e(self.some_type(1), depth)]),
            lambda: ("binary", "*", e("str", depth), ("int", self.rng.randint(-1, 3))),
            lambda: ("slice", e("str", depth), ("int", self.rng.randint(-2, 2)), self.pick([None, ("int", self.rng.randint(-1, 3))])),
            lambda: ("method", e("str", depth), "replace", [("str", "a"), e("str", 0)], False),
            lambda: ("binary", "??", ("index", e("str", depth), e("int", 0), False), ("str", "?")),
        ])()

    def ex_bool(self, kind, depth):
        e = self.expr
        return self.pick([
            lambda: ("binary", self.pick(["<", ">", "<=", ">=", "==", "!="]), e("int", depth), e("int", depth)),
            lambda: ("binary", self.pick(["<", ">", "==", "!="]), e("int", depth), e("int", depth)),
            lambda: ("binary", self.pick(["==", "!=", "<"]), e("str", depth), e("str", depth)),
            lambda: ("binary", self.pick(["&&", "||"]), e("bool", depth), e("bool", depth)),
            lambda: ("unary", "!", e(self.pick(["bool", "int", "str", LISTS]), depth)),
            lambda: ("binary", self.pick(["in", "not in"]), e("int", depth), e(LISTS, depth)),
            lambda: ("method", e(LISTS, depth), self.pick(["any", "all"]), [self.lambda_(["int"], "bool", depth)], False),
            lambda: ("method", e(LISTS, depth), "contains", [e("int", depth)], False),
            lambda: ("call", "is_ok", [e(("result", "int"), depth)]),
            lambda: ("binary", "==", e(LISTS, depth), e(LISTS, depth)),
            lambda: ("binary", "==", e("struct", depth), e("struct", depth)),
            lambda: ("method", e(("dict", "int"), depth), "has", [("str", self.pick(KEYS))], False),
        ])()

    def ex_list(self, kind, depth):
        e, item = self.expr, kind[1]
        options = [
            lambda: ("binary", "+", e(kind, depth), e(kind, depth)),
            lambda: ("method", e(kind, depth), "push", [e(item, depth)], False),
            lambda: ("method", e(kind, depth), self.pick(["reverse", "pop", "unique"]), [], False),
            lambda: ("list", [("spread", e(kind, depth)), e(item, depth)]),
            lambda: ("method", e(kind, depth), self.pick(["take", "skip"]), [("int", self.rng.randint(0, 3))], False),
            lambda: ("slice", e(kind, depth), self.pick([None, e("int", 0)]), self.pick([None, e("int", 0)])),
            lambda: ("method", e(kind, depth), "filter", [self.lambda_([item], "bool", depth)], False),
            lambda: ("method", e(LISTS, depth), "map", [self.lambda_(["int"], item, depth)], False),
        ]
        if item == "int":
            options += [
                self.range_list,
                lambda: ("method", e(kind, depth), "sort", [], False),
                lambda: ("prop", e("struct", depth), "items", False),
                lambda: ("method", e(("dict", "int"), depth), "values", [], False),
                lambda: ("pipe", e(kind, depth), ("method", ("hole",), "map", [self.lambda_(["int"], "int", depth)], False)),
                lambda: ("method", e(kind, depth), "flat_map", [self.lambda_(["int"], kind, depth)], False),
                lambda: ("method", e(kind, depth), "sort_by", [self.lambda_(["int"], "int", depth)], False),
            ]
        if item == "str":
            options += [
                lambda: ("method", e(("dict", "int"), depth), "keys", [], False),
                lambda: ("method", e("str", depth), "chars", [], False),
                lambda: ("method", e("str", depth), "split", [("str", self.pick([",", " "]))], False),
            ]
        return self.pick(options)()

    def range_list(self):
        """Mostly spread into a list: the combinators of a range itself are lazy."""
        numbers = ("range", ("int", self.rng.randint(0, 3)), ("int", self.rng.randint(0, 5)), self.chance(40))
        return numbers if self.chance(10) else ("list", [("spread", numbers)])

    def ex_dict(self, kind, depth):
        e, item = self.expr, kind[1]
        return self.pick([
            lambda: ("binary", "+", e(kind, depth), e(kind, depth)),
            lambda: ("dict", [("spread", e(kind, depth)), ("entry", self.pick(KEYS), e(item, depth))]),
            lambda: ("dict", [("computed", e("str", 0), e(item, depth)), ("spread", e(kind, depth))]),
            lambda: ("method", e(kind, depth), "merge", [e(kind, depth)], False),
            lambda: ("method", e(kind, depth), "remove", [("str", self.pick(KEYS))], False),
            lambda: ("method", e(kind, depth), "map_values", [self.lambda_([item], item, depth)], False),
            lambda: ("method", e(kind, depth), "filter", [self.lambda_([item], "bool", depth)], False),
        ])()

    def ex_struct(self, kind, depth):
        return ("method", self.expr("struct", depth), "moved", self.pick([[], [self.expr("int", depth)]]), False)

    def ex_result(self, kind, depth):
        item = kind[1] if kind[1] != "any" else "int"
        if item == "int" and self.chance(50):
            return ("try", [("expr", ("binary", self.pick(["/", "%"]), self.expr("int", depth), self.expr("int", depth)))], None, None, None)
        return ("try", [("expr", self.expr(item, depth))], None, None, None)

    def ex_fn(self, kind, depth):
        return self.function_simple(kind[1], depth)
