"""Values of the model: ints, floats, strings, booleans and None are Python's; lists and dicts too, and are never changed."""
import math


class Struct:
    def __init__(self, name, fields):
        self.name, self.fields = name, fields


class Range(list):
    """A list to the program, but its combinators are lazy."""


class Variant:
    def __init__(self, enum, name, args):
        self.enum, self.name, self.args = enum, name, args


class Pair:
    def __init__(self, first, second):
        self.first, self.second = first, second


class Closure:
    def __init__(self, name, params, body, env, generator):
        self.name, self.params, self.body, self.env, self.generator = name, params, body, env, generator


class Builtin:
    def __init__(self, name, function):
        self.name, self.function = name, function


class Task:
    def __init__(self, value, error):
        self.value, self.error = value, error


class Throw(Exception):
    """An error of the program: `value` is what `catch (e)` binds."""

    def __init__(self, value):
        super().__init__(value)
        self.value = value


class Unsupported(Exception):
    """The program did something the model does not know; it is not compared."""


def type_error(text):
    return Throw("Type error: " + text)


def runtime_error(text):
    return Throw("Runtime error: " + text)


def ok(value):
    return Variant("Result", "Ok", [value])


def err(value):
    return Variant("Result", "Err", [value])


def is_result(value):
    return isinstance(value, Variant) and value.enum == "Result"


def wrap(number):
    """64 bits, two's complement."""
    return (number + 2**63) % 2**64 - 2**63


KINDS = {bool: "bool", int: "int", float: "float", str: "string", list: "list", Range: "list", dict: "dict", type(None): "nil",
         Struct: "struct", Variant: "enum", Pair: "pair", Closure: "closure", Builtin: "builtin", Task: "taskHandle"}


def kind(value):
    return KINDS.get(type(value)) or type(value).__name__.lower()


def is_number(value):
    return type(value) in (int, float)


def truthy(value):
    if value is None or value is False:
        return False
    if type(value) in (int, float, str, list, dict, Range):
        return bool(value)
    return True


def equal(a, b):
    if is_number(a) and is_number(b):
        return float(a) == float(b) if type(a) is not type(b) else a == b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, Struct):
        return a.name == b.name and equal(a.fields, b.fields)
    if isinstance(a, Variant):
        return (a.enum, a.name) == (b.enum, b.name) and equal(a.args, b.args)
    if isinstance(a, Pair):
        return equal(a.first, b.first) and equal(a.second, b.second)
    if isinstance(a, Task):
        return a is b
    if isinstance(a, (Closure, Builtin)) or kind(a) == "generator":
        return False
    return a == b


def order(a, b):
    """-1, 0 or 1; kinds without an order are equal. NaN has no order, which None says."""
    if (is_number(a) and is_number(b)) or (isinstance(a, str) and isinstance(b, str)):
        if a != a or b != b:
            return None
        return (a > b) - (a < b)
    return 0


def show_float(x):
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    if x == int(x) and abs(x) < 1e15:
        return f"{x:.1f}"
    text = repr(x)
    if "e" in text or text.endswith(".0"):
        raise Unsupported("a float far from 1")
    return text


def show(value):
    """The print form."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return show_float(value)
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {show(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, Struct):
        return f"{value.name} {show(value.fields)}"
    if isinstance(value, Variant):
        args = "(" + ", ".join(map(show, value.args)) + ")" if value.args else ""
        return f"{value.enum}.{value.name}{args}"
    if isinstance(value, Pair):
        return f"({show(value.first)}, {show(value.second)})"
    if isinstance(value, Closure):
        if any(param[0] == "rest" for param in value.params):
            raise Unsupported("printing a function with a rest parameter")
        return "<fn(" + ", ".join(param[1] for param in value.params) + ")>"
    raise Unsupported(f"printing a {kind(value)}")
