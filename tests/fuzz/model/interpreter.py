"""Runs a program of the model: scopes are dictionaries with a parent, names are looked up when they are used."""
import math
import sys

from . import methods
from .coroutine import Generator
from .methods import Iter
from .nodes import STATEMENTS_WITH_VALUE, is_generator
from .values import (Builtin, Closure, Pair, Range, Struct, Task, Throw, Unsupported, Variant, equal, err, is_number, is_result, kind,
                     ok, order, runtime_error, show, truthy, type_error, wrap)

sys.setrecursionlimit(20000)
NONE = object()


class Return(Exception):
    def __init__(self, value):
        super().__init__()
        self.value = value


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Env:
    __slots__ = ("values", "mutable", "parent", "generator")

    def __init__(self, parent, generator=NONE):
        self.values, self.mutable, self.parent = {}, set(), parent
        self.generator = generator if generator is not NONE else parent and parent.generator

    def find(self, name):
        env = self
        while env is not None and name not in env.values:
            env = env.parent
        return env

    def get(self, name):
        env = self.find(name)
        if env is None:
            raise Throw(f"Undefined variable: {name}")
        return env.values[name]

    def define(self, name, value, mutable=False):
        if name == "_":
            return
        self.values[name] = value
        (self.mutable.add if mutable else self.mutable.discard)(name)

    def assign(self, name, value):
        env = self.find(name)
        if env is None:
            raise Throw(f"Undefined variable: {name}")
        if name not in env.mutable:
            raise Throw(f"Cannot assign to immutable binding: {name}")
        env.values[name] = value


class Interpreter:
    """One run. `run` gives the logged lines and the uncaught error, or raises Unsupported."""

    def __init__(self, steps=30000, lines=400):
        self.steps, self.lines, self.most = steps, [], lines
        self.generators, self.impls = [], {}
        self.builtins = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("fn_")}

    def run(self, declarations, body):
        env = Env(None, None)
        try:
            for node in declarations:
                self.declare(node, env)
            for node in body:  # top-level functions exist from the start
                if node[0] == "fn":
                    self.statement(node, env, None)
            self.block(body, env)
            return self.lines, None
        except Throw as error:
            return self.lines, show(error.value)
        except Return:
            return self.lines, None
        except RecursionError:
            raise Unsupported("deep recursion") from None
        finally:
            self.stop()

    def stop(self):
        lines, self.lines, self.steps = self.lines, [], 10**9
        for generator in self.generators:
            try:
                generator.close()
            except BaseException:  # whatever happens in there, nobody looks any more
                pass
        self.lines = lines

    def declare(self, node, env):
        if node[0] == "let":
            self.do_let(node, env)
        elif node[0] == "fn":
            env.define(node[1], self.function(node[1], node[2], node[3], env))
        elif node[0] == "impl":
            for _, name, params, body in node[2]:
                self.impls[(node[1], name)] = self.function(name, params, body, env)

    # Blocks and statements

    def block(self, statements, env):
        """Runs a block in env, then what it deferred; the value of its last statement."""
        deferred, value = [], None
        try:
            for statement in statements:
                value = self.statement(statement, env, deferred)
        except Unsupported:
            deferred.clear()
            raise
        finally:
            self.clean_up(deferred, env)
        return value

    def clean_up(self, deferred, env):
        if not deferred:
            return
        try:
            self.block(deferred.pop(), Env(env))
        finally:
            self.clean_up(deferred, env)

    def statement(self, node, env, deferred):
        self.steps -= 1
        if self.steps < 0:
            raise Unsupported("too many steps")
        what = node[0]
        if what == "expr":
            return self.eval(node[1], env)
        if what in STATEMENTS_WITH_VALUE:
            return self.eval(node, env)
        if what == "defer":
            deferred.append(node[1])
            return None
        return getattr(self, "do_" + what)(node, env)

    def do_log(self, node, env):
        self.log(show(self.eval(node[1], env)))

    def log(self, text):
        if len(self.lines) >= self.most or len(text) > 2000:
            raise Unsupported("too much output")
        self.lines.extend(text.split("\n"))

    def do_let(self, node, env):
        self.bind(node[2], self.eval(node[3], env), env, node[1] == "var")

    def do_assign(self, node, env):
        _, target, op, value = node
        if op != "=":  # `a += b` is `a = a + b`
            value = self.arithmetic(op[:-1], self.eval(target, env), self.eval(value, env))
        else:
            value = self.eval(value, env)
        while target[0] != "name":
            whole = self.eval(target[1], env)
            if target[0] == "prop":
                value = methods.with_property(whole, target[2], value)
            else:
                value = methods.with_index(whole, self.eval(target[2], env), value)
            target = target[1]
        env.assign(target[1], value)

    def do_for(self, node, env):
        _, pattern, iterable, body = node
        value = self.eval(iterable, env)
        try:
            for item in self.items(value):
                inner = Env(env)
                try:
                    self.bind(pattern, item, inner, True)
                    self.block(body, inner)
                except Continue:
                    pass
        except Break:
            pass
        finally:
            # Nobody else has the generator of a call.
            if isinstance(value, Generator) and iterable[0] == "call":
                value.close()

    def items(self, value):
        if isinstance(value, (list, str)):
            yield from value
        elif isinstance(value, dict):
            yield from methods.DICT["entries"](None, value)
        elif isinstance(value, Iter):
            yield from value.source
        elif isinstance(value, Generator):
            while True:
                done, item = value.next()
                if done:
                    return
                yield item
        else:
            raise type_error(f"cannot iterate over {kind(value)}")

    def do_while(self, node, env):
        try:
            while truthy(self.eval(node[1], env)):
                try:
                    self.block(node[2], Env(env))
                except Continue:
                    pass
        except Break:
            pass

    def do_break(self, node, env):
        raise Break

    def do_continue(self, node, env):
        raise Continue

    def do_return(self, node, env):
        raise Return(None if node[1] is None else self.eval(node[1], env))

    def do_throw(self, node, env):
        raise Throw(self.eval(node[1], env))

    def do_yield(self, node, env):
        env.generator.give(self.eval(node[1], env))

    def do_guard(self, node, env):
        if not truthy(self.eval(node[1], env)):
            self.block(node[2], Env(env))

    def do_require(self, node, env):
        if not truthy(self.eval(node[1], env)):
            raise Throw("require condition failed" if node[2] is None else self.eval(node[2], env))

    def do_fn(self, node, env):
        env.define(node[1], self.function(node[1], node[2], node[3], env))

    # Patterns

    def bind(self, pattern, value, env, mutable):
        what = pattern[0]
        if what == "pname":
            env.define(pattern[1], value, mutable)
        elif what == "pdefault":
            env.define(pattern[1], self.eval(pattern[2], env) if value is None else value, mutable)
        elif what == "plist":
            if not isinstance(value, list):
                raise Throw("list destructuring requires a list value")
            for number, part in enumerate(pattern[1]):
                if part[0] == "prest":
                    env.define(part[1], value[number:], mutable)
                else:
                    self.bind(part, value[number] if number < len(value) else None, env, mutable)
        elif what == "pdict":
            if isinstance(value, Struct):
                value = value.fields
            if not isinstance(value, dict):
                raise Throw("dict destructuring requires a dict value")
            for part in pattern[1]:
                if part[0] == "prest":
                    env.define(part[1], self.other_keys(pattern, value), mutable)
                else:
                    self.bind(part[2], value.get(part[1]), env, mutable)
        elif what == "ppair":
            if not isinstance(value, Pair):
                raise Unsupported("a pair pattern and something else")
            env.define(pattern[1], value.first, mutable)
            env.define(pattern[2], value.second, mutable)
        elif what != "pwild":
            raise AssertionError(pattern)

    @staticmethod
    def other_keys(pattern, value):
        named = {part[1] for part in pattern[1] if part[0] != "prest"}
        return {key: item for key, item in value.items() if key not in named}

    def matches(self, pattern, value, env, found):
        """Whether a `match` pattern fits; the bindings go to `found`."""
        what = pattern[0]
        if what == "pwild":
            return True
        if what == "pname":
            found[pattern[1]] = value
            return True
        if what == "plit":
            return equal(self.eval(pattern[1], env), value)
        if what == "plist":
            parts = pattern[1]
            open_end = bool(parts) and parts[-1][0] == "prest"
            fixed = parts[:-1] if open_end else parts
            if not isinstance(value, list) or len(value) < len(fixed) or (not open_end and len(value) != len(fixed)):
                return False
            if not all(self.matches(part, item, env, found) for part, item in zip(fixed, value)):
                return False
            if open_end:
                found[parts[-1][1]] = value[len(fixed):]
            return True
        if what == "pdict":
            fields = value.fields if isinstance(value, Struct) else value
            if not isinstance(fields, dict):
                return False
            for part in pattern[1]:
                if part[0] == "prest":
                    found[part[1]] = self.other_keys(pattern, fields)
                elif part[1] not in fields or not self.matches(part[2], fields[part[1]], env, found):
                    return False
            return True
        if what == "pvariant":
            return (isinstance(value, Variant) and (value.enum, value.name) == (pattern[1], pattern[2])
                    and all(self.matches(part, item, env, found) for part, item in zip(pattern[3], value.args)))
        raise AssertionError(pattern)

    # Functions

    def function(self, name, params, body, env):
        return Closure(name, params, body, env, is_generator(body))

    def call(self, f, *args):
        self.steps -= 1
        if self.steps < 0:
            raise Unsupported("too many steps")
        if isinstance(f, Builtin):
            return f.function(*args)
        if not isinstance(f, Closure):
            raise type_error(f"Cannot call {kind(f)}")
        env = Env(f.env, None)
        self.bind_arguments(f, args, env)
        if f.generator:
            generator = Generator(lambda me: self.run_generator(f, env, me))
            self.generators.append(generator)
            return generator
        try:
            return self.block(f.body, env)
        except Return as result:
            return result.value

    def run_generator(self, f, env, generator):
        env.generator = generator
        try:
            self.block(f.body, env)
        except Return:
            pass

    def bind_arguments(self, f, args, env):
        for number, param in enumerate(f.params):
            if param[0] == "rest":
                env.define(param[1], list(args[number:]))
                return
            if number < len(args):
                env.define(param[1], args[number])
            elif param[2] is not None:
                env.define(param[1], self.eval(param[2], env))
            else:
                raise Unsupported("a missing argument")
        if len(args) > len(f.params):
            raise Unsupported("a surplus argument")

    # Expressions

    def eval(self, node, env):
        return getattr(self, "eval_" + node[0])(node, env)

    def eval_int(self, node, env):
        return node[1]

    eval_float = eval_str = eval_bool = eval_int

    def eval_nil(self, node, env):
        return None

    def eval_name(self, node, env):
        return env.get(node[1])

    def eval_hole(self, node, env):
        return env.get("_hole")

    def eval_interp(self, node, env):
        return "".join(show(self.eval(part, env)) for part in node[1])

    def many(self, nodes, env):
        values = []
        for node in nodes:
            if node[0] == "spread":
                spread = self.eval(node[1], env)
                if not isinstance(spread, list):
                    raise Unsupported("spreading something else than a list")
                values.extend(spread)
            else:
                values.append(self.eval(node, env))
        return values

    def eval_list(self, node, env):
        return self.many(node[1], env)

    def eval_dict(self, node, env):
        result = {}
        for entry in node[1]:
            if entry[0] == "entry":
                result[entry[1]] = self.eval(entry[2], env)
            elif entry[0] == "computed":
                key = show(self.eval(entry[1], env))
                result[key] = self.eval(entry[2], env)
            else:
                spread = self.eval(entry[1], env)
                if not isinstance(spread, dict):
                    raise Unsupported("spreading something else than a dict")
                result.update(spread)
        return result

    def eval_struct(self, node, env):
        return Struct(node[1], {entry[1]: self.eval(entry[2], env) for entry in node[2]})

    def eval_variant(self, node, env):
        return Variant(node[1], node[2], self.many(node[3], env))

    def eval_unary(self, node, env):
        value = self.eval(node[2], env)
        if node[1] == "!":
            return not truthy(value)
        if not is_number(value):
            raise runtime_error(f"Cannot negate value of type {kind(value)}")
        return wrap(-value) if isinstance(value, int) else -value

    def eval_binary(self, node, env):
        op = node[1]
        left = self.eval(node[2], env)
        if op == "&&":
            return truthy(left) and truthy(self.eval(node[3], env))
        if op == "||":
            return truthy(left) or truthy(self.eval(node[3], env))
        if op == "??":
            return self.eval(node[3], env) if left is None else left
        right = self.eval(node[3], env)
        if op == "==":
            return equal(left, right)
        if op == "!=":
            return not equal(left, right)
        if op == "in":
            return self.member(left, right)
        if op == "not in":
            return not self.member(left, right)
        if op in ("<", ">", "<=", ">="):
            result = order(left, right)
            if result is None:
                raise Unsupported("NaN")
            return {"<": result < 0, ">": result > 0, "<=": result <= 0, ">=": result >= 0}[op]
        return self.arithmetic(op, left, right)

    @staticmethod
    def member(item, whole):
        if isinstance(whole, list):
            return any(equal(item, other) for other in whole)
        if isinstance(whole, (dict, str)):
            return show(item) in whole
        return False

    def arithmetic(self, op, left, right):
        if is_number(left) and is_number(right):
            return self.numbers(op, left, right)
        if op == "+":
            if isinstance(left, str) and isinstance(right, str):
                if len(left) + len(right) > 5000:
                    raise Unsupported("a long string")
                return left + right
            if isinstance(left, list) and isinstance(right, list):
                return left + right
            if isinstance(left, dict) and isinstance(right, dict):
                return {**left, **right}
            raise type_error(f"Cannot add {kind(left)} and {kind(right)}")
        if op == "*":
            for text, times in ((left, right), (right, left)):
                if isinstance(text, str) and type(times) is int:
                    if times * len(text) > 5000:
                        raise Unsupported("a long string")
                    return text * max(0, times)
            raise type_error(f"Cannot multiply {kind(left)} and {kind(right)}")
        if op == "-":
            raise type_error(f"Cannot subtract {kind(right)} from {kind(left)}")
        word = {"/": "divide", "%": "modulo", "**": "exponentiate"}[op]
        raise type_error(f"Cannot {word} {kind(left)} by {kind(right)}")

    @staticmethod
    def numbers(op, a, b):
        whole = type(a) is int and type(b) is int
        if op in "+-*" and op != "**":
            result = a + b if op == "+" else a - b if op == "-" else a * b
            return wrap(result) if whole else result
        if op == "**":
            if not whole or not 0 <= b < 64:
                raise Unsupported("a power of floats")
            return wrap(a ** b)
        if whole or op == "%":
            if b == 0:
                raise Throw("division by zero")
            if not whole:
                return math.fmod(a, b)
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return wrap(quotient if op == "/" else a - b * quotient)
        if b == 0:
            if a == 0 or a != a:
                return math.nan
            return math.copysign(math.inf, a) * math.copysign(1, b)
        return a / b

    def eval_ternary(self, node, env):
        return self.eval(node[2] if truthy(self.eval(node[1], env)) else node[3], env)

    def eval_range(self, node, env):
        low, high = self.eval(node[1], env), self.eval(node[2], env)
        if type(low) is not int or type(high) is not int or high - low > 1000:
            raise Unsupported("a range of something else or a long one")
        return Range(range(low, high if node[3] else high + 1))

    def eval_call(self, node, env):
        if env.find(node[1]) is None and node[1] in self.builtins:
            return self.builtins[node[1]](*self.many(node[2], env))
        return self.call(env.get(node[1]), *self.many(node[2], env))

    def eval_invoke(self, node, env):
        return self.call(self.eval(node[1], env), *self.many(node[2], env))

    def eval_method(self, node, env):
        receiver = self.eval(node[1], env)
        if receiver is None and node[4]:
            return None
        args = self.many(node[3], env)
        if isinstance(receiver, Struct) and (receiver.name, node[2]) in self.impls:
            return self.call(self.impls[(receiver.name, node[2])], receiver, *args)
        if isinstance(receiver, Generator) and node[2] == "next":
            done, value = receiver.next()
            return {"value": value, "done": done}
        if isinstance(receiver, Generator) and node[2] == "iter":
            return Iter(self.items(receiver))
        if isinstance(receiver, dict) and node[2] not in methods.DICT and isinstance(receiver.get(node[2]), Closure):
            return self.call(receiver[node[2]], *args)
        return methods.method(self.call, receiver, node[2], args)

    def eval_prop(self, node, env):
        value = self.eval(node[1], env)
        if value is None and node[3]:
            return None
        return methods.read_property(value, node[2])

    def eval_index(self, node, env):
        value = self.eval(node[1], env)
        if value is None and node[3]:
            return None
        return methods.read_index(value, self.eval(node[2], env))

    def eval_slice(self, node, env):
        value = self.eval(node[1], env)
        start, end = (None if bound is None else self.eval(bound, env) for bound in node[2:4])
        if not isinstance(value, (list, str)):
            raise Unsupported("a slice of something else")
        return methods.cut(value, start, end)

    def eval_closure(self, node, env):
        return self.function("closure", node[1], node[2], env)

    eval_fnexpr = eval_closure

    def eval_if(self, node, env):
        if truthy(self.eval(node[1], env)):
            return self.block(node[2], env)
        return None if node[3] is None else self.block(node[3], env)

    def eval_match(self, node, env):
        value = self.eval(node[1], env)
        for _, pattern, guard, body in node[2]:
            found = {}
            if not self.matches(pattern, value, env, found):
                continue
            for name, item in found.items():
                env.define(name, item)
            if guard is None or truthy(self.eval(guard, env)):
                return self.block(body, env)
        raise Throw(f"No match arm matched the value: {show(value)}")

    def eval_try(self, node, env):
        _, body, name, handler, final = node
        if handler is None and final is None:
            try:
                value = self.block(body, Env(env))
                return value if is_result(value) else ok(value)
            except Throw as error:
                return err(error.value)
        try:
            try:
                return self.block(body, Env(env))
            except Throw as error:
                if handler is None:
                    raise
                caught = Env(env)
                if name is not None:
                    caught.define(name, error.value)
                return self.block(handler, caught)
        except Unsupported:
            final = None
            raise
        finally:
            if final is not None:
                self.block(final, Env(env))

    def eval_trystar(self, node, env):
        return self.eval(node[1], env)

    def eval_question(self, node, env):
        value = self.eval(node[1], env)
        if not is_result(value):
            raise type_error(f"? operator requires a Result value, got {kind(value)}")
        if value.name == "Ok":
            return value.args[0]
        raise Return(value)

    def eval_retry(self, node, env):
        for _ in range(self.eval(node[1], env)):
            try:
                return self.block(node[2], Env(env))
            except Throw:
                pass
        return None

    def eval_pipe(self, node, env):
        from .nodes import has_hole
        value = self.eval(node[1], env)
        if has_hole(node[2]):
            inner = Env(env)
            inner.define("_hole", value)
            return self.eval(node[2], inner)
        if node[2][0] == "name" and env.find(node[2][1]) is None and node[2][1] in self.builtins:
            return self.builtins[node[2][1]](value)
        return self.call(self.eval(node[2], env), value)

    # Tasks: a task runs on a copy of everything it can reach, at once.

    def task(self, env, body, name=None, value=None):
        memo = {}
        inner = Env(copy(env, memo), None)
        if name is not None:
            inner.define(name, copy(value, memo))
        logged = len(self.lines)
        try:
            result = Task(copy(self.block(body, inner), {}), None)
        except Return as returned:
            result = Task(copy(returned.value, {}), None)
        except Throw as error:
            result = Task(None, error)
        result.logged = len(self.lines) > logged
        return result

    def eval_spawn(self, node, env):
        return self.task(env, node[1])

    def tasks(self, env, body, name, values):
        done = [self.task(env, body, name, value) for value in values]
        if len(done) > 1 and any(task.logged for task in done):
            raise Unsupported("tasks that log at the same time")
        return done

    def results(self, tasks):
        for task in tasks:  # the first in the order of the source
            if task.error is not None:
                raise task.error
        return [task.value for task in tasks]

    def eval_parallel(self, node, env):
        return self.results(self.tasks(env, node[3], node[2], range(self.eval(node[1], env))))

    def eval_each(self, node, env):
        return self.results(self.tasks(env, node[3], node[2], self.eval(node[1], env)))

    def eval_settle(self, node, env):
        tasks = self.tasks(env, node[3], node[2], self.eval(node[1], env))
        results = [err(task.error.value) if task.error else task.value if is_result(task.value) else ok(task.value)
                   for task in tasks]
        good = sum(result.name == "Ok" for result in results)
        return {"results": results, "succeeded": good, "failed": len(results) - good}

    # Builtins

    def fn_await(self, task):
        if task.error is not None:
            raise task.error
        return task.value

    def fn_len(self, value):
        return len(value) if isinstance(value, (list, str, dict)) else 0

    def fn_to_string(self, value):
        return show(value)

    def fn_range(self, *bounds):
        return Range(range(*bounds))

    def fn_Ok(self, value=None):
        return ok(value)

    def fn_Err(self, value=None):
        return err(value)

    def fn_is_ok(self, value):
        return is_result(value) and value.name == "Ok"

    def fn_is_err(self, value):
        return is_result(value) and value.name == "Err"

    def fn_unwrap(self, value):
        if self.fn_is_err(value):
            raise runtime_error(f"unwrap called on Err: {show(value.args[0])}")
        return value.args[0] if is_result(value) else value

    def fn_unwrap_or(self, value, default):
        if is_result(value):
            return value.args[0] if value.name == "Ok" else default
        return value

    def fn_unwrap_err(self, value):
        if not self.fn_is_err(value):
            raise runtime_error("unwrap_err called on non-Err")
        return value.args[0]

    def fn_type_of(self, value):
        return kind(value)

    def fn_pair(self, first, second):
        return Pair(first, second)

    def fn_iter(self, value):
        return Iter(self.items(value))


def copy(value, memo):
    """What a task gets: the same values, and closures with variables of their own."""
    if value is None or isinstance(value, (bool, int, float, str, Builtin, Task, Iter, Generator)):
        if isinstance(value, (Iter, Generator)):
            return Lost()
        return value
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, Range):
        return value
    if isinstance(value, list):
        return [copy(item, memo) for item in value]
    if isinstance(value, dict):
        return {key: copy(item, memo) for key, item in value.items()}
    if isinstance(value, Struct):
        return Struct(value.name, copy(value.fields, memo))
    if isinstance(value, Variant):
        return Variant(value.enum, value.name, copy(value.args, memo))
    if isinstance(value, Pair):
        return Pair(copy(value.first, memo), copy(value.second, memo))
    if isinstance(value, Closure):
        result = memo[id(value)] = Closure(value.name, value.params, value.body, None, value.generator)
        result.env = copy(value.env, memo)
        return result
    if isinstance(value, Env):
        result = memo[id(value)] = Env(None, None)
        result.parent = copy(value.parent, memo)
        result.mutable = set(value.mutable)
        result.values = {name: copy(item, memo) for name, item in value.values.items()}
        return result
    return value


class Lost:
    """A generator or an iterator in a task: the model cannot copy them, and must not meet one there."""

    def __getattr__(self, name):
        raise Unsupported("a generator in a task")
