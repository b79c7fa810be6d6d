"""Makes a failing program smaller: statements are left out, expressions replaced, as long as it keeps failing."""
import itertools
import time


def paths(tree, path=()):
    """Every place in the tree, outer ones first."""
    yield path, tree
    for number, child in enumerate(tree):
        if isinstance(child, (tuple, list)):
            yield from paths(child, path + (number,))


def replaced(tree, path, value):
    if not path:
        return value
    parts = list(tree)
    parts[path[0]] = replaced(parts[path[0]], path[1:], value)
    return type(tree)(parts)


EXPRESSIONS = {"interp", "list", "dict", "binary", "unary", "ternary", "range", "call", "invoke", "method", "prop", "index", "slice",
               "closure", "fnexpr", "if", "match", "try", "trystar", "question", "retry", "spawn", "parallel", "each", "settle",
               "struct", "variant", "pipe", "name"}
SIMPLE = [("int", 0), ("int", 1), ("str", "a"), ("list", []), ("bool", True), ("nil",)]


def simpler(tree):
    """Trees with one thing less."""
    for path, node in paths(tree):
        if isinstance(node, list):
            size = len(node) // 2
            while size >= 1:
                for start in range(0, len(node), size):
                    yield replaced(tree, path, node[:start] + node[start + size:])
                size //= 2
            for number, child in enumerate(node):  # a block in place of the statement that holds it
                if isinstance(child, tuple):
                    for inner in child:
                        if isinstance(inner, list) and inner and isinstance(inner[0], tuple):
                            yield replaced(tree, path, node[:number] + inner + node[number + 1:])
        elif isinstance(node, tuple) and node and isinstance(node[0], str):
            for number, child in enumerate(node):  # `finally`, `else` and the like
                if isinstance(child, list) and node[0] in ("try", "if"):
                    yield replaced(tree, path + (number,), None)
            if node[0] in EXPRESSIONS:
                for child in node[1:]:
                    if isinstance(child, tuple) and child and child[0] in EXPRESSIONS | {"int", "str", "bool", "float"}:
                        yield replaced(tree, path, child)
                for literal in SIMPLE:
                    if node != literal and not (node[0] in ("list", "dict") and not node[1]):
                        yield replaced(tree, path, literal)


def shrink(tree, fails, seconds):
    """The smallest tree found for which `fails` still holds."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        tried = 0  # what did not help a moment ago will hardly help now
        again = True
        while again:
            again = False
            for candidate in itertools.islice(simpler(tree), tried, None):
                if time.monotonic() > end:
                    return tree
                if fails(candidate):
                    tree, progress, again = candidate, True, True
                    break
                tried += 1
    return tree
