"""Methods and properties of the model's strings, lists, dicts and iterators."""
import functools
import itertools

from .values import Pair, Range, Struct, Unsupported, Variant, equal, kind, order, runtime_error, show, truthy, type_error, wrap


class Iter:
    """A lazy iterator: `source` is a Python iterator."""

    def __init__(self, source):
        self.source = source


def compare(a, b):
    result = order(a, b)
    if result is None:
        raise Unsupported("sorting NaN")
    return result


def sort(items, key=lambda item: item):
    keyed = [(key(item), item) for item in items]
    return [item for _, item in sorted(keyed, key=functools.cmp_to_key(lambda a, b: compare(a[0], b[0])))]


def best(items, sign):
    found = None
    for number, item in enumerate(items):
        if number == 0 or compare(item, found) * sign > 0:
            found = item
    return found


def total(items):
    result = 0
    for item in items:
        if type(item) in (int, float):
            result = result + item
    return wrap(result) if isinstance(result, int) else result


def strict_total(items):
    items = list(items)
    for item in items:
        if type(item) not in (int, float):
            raise type_error(f"iter.sum: expected number, got {kind(item)}")
    return total(items)


def position(index, length):
    return max(0, index + length) if index < 0 else min(index, length)


def cut(items, start, end):
    start = 0 if start is None else start
    end = len(items) if end is None else end
    for word, bound in (("start", start), ("end", end)):
        if type(bound) is not int:
            raise type_error(f"slice {word} must be an integer, got {kind(bound)}")
    low, high = position(start, len(items)), position(end, len(items))
    return items[low:high] if low < high else items[:0]


def unique(items):
    found = []
    for item in items:
        if not any(kind(item) == kind(other) and equal(item, other) for other in found):
            found.append(item)
    return found


def flat(items):
    result = []
    for item in items:
        result.extend(item) if isinstance(item, list) else result.append(item)
    return result


def grouped(items, call, f):
    result = {}
    for item in items:
        result.setdefault(show(call(f, item)), []).append(item)
    return result


def find(items, call, f, missing=None):
    return next((item for item in items if truthy(call(f, item))), missing)


LIST = {
    "map": lambda call, xs, f: [call(f, x) for x in xs],
    "filter": lambda call, xs, f: [x for x in xs if truthy(call(f, x))],
    "flat_map": lambda call, xs, f: flat([call(f, x) for x in xs]),
    "reduce": lambda call, xs, start, f: functools.reduce(lambda a, x: call(f, a, x), xs, start),
    "find": lambda call, xs, f: find(xs, call, f),
    "find_index": lambda call, xs, f: next((i for i, x in enumerate(xs) if truthy(call(f, x))), -1),
    "any": lambda call, xs, f: any(truthy(call(f, x)) for x in xs),
    "all": lambda call, xs, f: all(truthy(call(f, x)) for x in xs),
    "sort": lambda call, xs: sort(xs),
    "sort_by": lambda call, xs, f: sort(xs, lambda x: call(f, x)),
    "min": lambda call, xs: best(xs, -1),
    "max": lambda call, xs: best(xs, 1),
    "sum": lambda call, xs: total(xs),
    "join": lambda call, xs, sep="": sep.join(map(show, xs)),
    "reverse": lambda call, xs: xs[::-1],
    "push": lambda call, xs, x: xs + [x],
    "pop": lambda call, xs: xs[:-1],
    "contains": lambda call, xs, x: any(equal(x, y) for y in xs),
    "index_of": lambda call, xs, x: next((i for i, y in enumerate(xs) if equal(x, y)), -1),
    "slice": lambda call, xs, start, end=None: cut(xs, start, end),
    "take": lambda call, xs, n: xs[:max(0, n)],
    "skip": lambda call, xs, n: xs[max(0, n):],
    "enumerate": lambda call, xs: [{"index": i, "value": x} for i, x in enumerate(xs)],
    "zip": lambda call, xs, ys: [[x, y] for x, y in zip(xs, ys)],
    "partition": lambda call, xs, f: [list(part) for part in _partition(call, xs, f)],
    "group_by": lambda call, xs, f: grouped(xs, call, f),
    "unique": lambda call, xs: unique(xs),
    "flatten": lambda call, xs: flat(xs),
    "compact": lambda call, xs: [x for x in xs if x is not None],
    "iter": lambda call, xs: Iter(iter(xs)),
}


def _partition(call, xs, f):
    yes, no = [], []
    for x in xs:
        (yes if truthy(call(f, x)) else no).append(x)
    return yes, no


STRING = {
    "contains": lambda call, s, t: t in s,
    "replace": lambda call, s, old, new: s.replace(old, new),
    "split": lambda call, s, sep: s.split(sep),
    "trim": lambda call, s: s.strip(),
    "starts_with": lambda call, s, t: s.startswith(t),
    "ends_with": lambda call, s, t: s.endswith(t),
    "lowercase": lambda call, s: s.lower(),
    "uppercase": lambda call, s: s.upper(),
    "substring": lambda call, s, a, b=None: s[max(0, a):len(s) if b is None else max(0, b)],
    "chars": lambda call, s: list(s),
    "index_of": lambda call, s, t: s.find(t),
    "repeat": lambda call, s, n: s * max(0, n),
    "reverse": lambda call, s: s[::-1],
    "iter": lambda call, s: Iter(iter(s)),
}

DICT = {
    "keys": lambda call, d: sorted(d),
    "values": lambda call, d: [d[key] for key in sorted(d)],
    "entries": lambda call, d: [{"key": key, "value": d[key]} for key in sorted(d)],
    "has": lambda call, d, key: show(key) in d,
    "get": lambda call, d, key, default=None: d.get(show(key), default),
    "merge": lambda call, d, e: {**d, **e},
    "map_values": lambda call, d, f: {key: call(f, d[key]) for key in sorted(d)},
    "filter": lambda call, d, f: {key: d[key] for key in sorted(d) if truthy(call(f, d[key]))},
    "remove": lambda call, d, key: {k: v for k, v in d.items() if k != show(key)},
    "iter": lambda call, d: Iter(iter([Pair(key, d[key]) for key in sorted(d)])),
}


def windows(source, n):
    held = []
    for item in source:
        held.append(item)
        if len(held) == n:
            yield list(held)
            held.pop(0)


def chunks(source, n):
    while part := list(itertools.islice(source, n)):
        yield part


def flat_iter(call, source, f):
    for item in source:
        result = call(f, item)
        yield from result.source if isinstance(result, Iter) else result


ITER = {
    "iter": lambda call, it: it,
    "map": lambda call, it, f: Iter(call(f, x) for x in it.source),
    "filter": lambda call, it, f: Iter(x for x in it.source if truthy(call(f, x))),
    "flat_map": lambda call, it, f: Iter(flat_iter(call, it.source, f)),
    "take": lambda call, it, n: Iter(itertools.islice(it.source, max(0, n))),
    "skip": lambda call, it, n: Iter(itertools.islice(it.source, max(0, n), None)),
    "take_while": lambda call, it, f: Iter(itertools.takewhile(lambda x: truthy(call(f, x)), it.source)),
    "skip_while": lambda call, it, f: Iter(itertools.dropwhile(lambda x: truthy(call(f, x)), it.source)),
    "zip": lambda call, it, other: Iter(Pair(a, b) for a, b in zip(it.source, other.source)),
    "enumerate": lambda call, it: Iter(Pair(i, x) for i, x in enumerate(it.source)),
    "chain": lambda call, it, other: Iter(itertools.chain(it.source, other.source)),
    "chunks": lambda call, it, n: Iter(chunks(it.source, n)),
    "windows": lambda call, it, n: Iter(windows(it.source, n)),
    "to_list": lambda call, it: list(it.source),
    "count": lambda call, it: sum(1 for _ in it.source),
    "sum": lambda call, it: strict_total(it.source),
    "min": lambda call, it: best(it.source, -1),
    "max": lambda call, it: best(it.source, 1),
    "reduce": lambda call, it, start, f: functools.reduce(lambda a, x: call(f, a, x), it.source, start),
    "first": lambda call, it: next(it.source, None),
    "last": lambda call, it: functools.reduce(lambda _, x: x, it.source, None),
    "any": lambda call, it, f: any(truthy(call(f, x)) for x in it.source),
    "all": lambda call, it, f: all(truthy(call(f, x)) for x in it.source),
    "find": lambda call, it, f: find(it.source, call, f),
    "for_each": lambda call, it, f: [call(f, x) for x in it.source] and None,
}

COMBINATORS = ("map", "filter", "flat_map", "take", "skip", "take_while", "skip_while", "zip", "enumerate", "chain", "chunks",
               "windows")
METHODS = {list: LIST, str: STRING, dict: DICT, Iter: ITER}


def method(call, receiver, name, args):
    if isinstance(receiver, Range):
        receiver = Iter(iter(receiver)) if name in COMBINATORS else list(receiver)
    table = METHODS.get(type(receiver))
    if table is None or name not in table:
        raise Unsupported("a method that does not exist")
    try:
        return table[name](call, receiver, *args)
    except (TypeError, AttributeError) as reason:
        raise Unsupported("a method with values of other types") from reason


def read_property(value, name):
    if isinstance(value, dict):
        if name == "count" and name not in value:
            return len(value)
        return value.get(name)
    if isinstance(value, Struct):
        return value.fields.get(name)
    if isinstance(value, (list, str)):
        if name == "count":
            return len(value)
        if name == "empty":
            return not value
        if isinstance(value, list) and name in ("first", "last"):
            return (value[0] if name == "first" else value[-1]) if value else None
        return None
    if isinstance(value, Pair) and name in ("first", "second"):
        return getattr(value, name)
    if isinstance(value, Variant):
        return {"variant": value.name, "fields": value.args}.get(name)
    raise type_error(f"cannot access property `{name}` on {kind(value)}")


def read_index(value, index):
    if isinstance(value, dict):
        return value.get(show(index))
    if isinstance(value, (list, str)) and type(index) is int:
        at = index + len(value) if index < 0 else index
        return value[at] if 0 <= at < len(value) else None
    raise type_error(f"cannot index into {kind(value)} with {kind(index)}")


def with_index(value, index, item):
    """The value with one element replaced."""
    if isinstance(value, dict):
        return {**value, show(index): item}
    if isinstance(value, list) and type(index) is int:
        at = index + len(value) if index < 0 else index
        if at >= len(value):
            raise runtime_error(f"Index {index} out of bounds for list of length {len(value)}")
        if at < 0:
            raise Unsupported("an index before the list")
        return value[:at] + [item] + value[at + 1:]
    raise Unsupported(f"assigning an element of a {kind(value)}")


def with_property(value, name, item):
    if isinstance(value, dict):
        return {**value, name: item}
    if isinstance(value, Struct):
        if name not in value.fields:
            raise Unsupported("a new field of a struct")
        return Struct(value.name, {**value.fields, name: item})
    raise type_error(f"cannot set property `{name}` on {kind(value)}")
