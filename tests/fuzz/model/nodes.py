"""The programs of the model: trees of tuples and lists.

A node is a tuple that begins with its kind; a list is a sequence of nodes (a block, arguments, ...); anything
else is a name, a number or None. So a tree can be walked and changed without knowing the kinds.

Expressions
  int n | float x | str text | bool b | nil | name x
  interp [parts]                      "a ${b}"; parts that are `str` are text
  list [items]                        items may be (spread e)
  dict [entries]                      (entry key e) | (computed e e) | (spread e)
  binary op a b | unary op a | ternary c a b | range a b exclusive
  call name [args]                    a variable, a function or a builtin
  invoke e [args]                     the value of any postfix expression is called
  method obj name [args] optional | prop obj name optional | index obj i optional | slice obj a b
  closure [params] [body] | fnexpr [params] [body]
                                      params: (param name default) | (rest name)
  if c [then] else                    else: None or a block; also a statement
  match e [arms]                      (arm pattern guard [body])
  try [body] name [catch] [finally]   catch and finally may be None; without both it is a Result
  trystar e | question e | retry n [body]
  spawn [body] | parallel n name [body] | each e name [body] limit | settle e name [body]
  struct name [entries] | variant enum name [args]
  pipe a f                            f may hold (hole)

Statements
  let word pattern e                  word: let, var or const
  assign target op e | log e | expr e
  for pattern e [body] | while c [body] | break | continue
  return e | throw e | yield e | defer [body] | guard c [else] | require c message
  fn name [params] [body]
  structdecl name [(fields name type)] | enumdecl name [(case name n)] | impl name [fns]

Patterns
  pname x | pwild | plit e | pdefault x e | prest x | ppair x y
  plist [patterns] | pdict [(pfield key pattern) ...] | pvariant enum name [patterns]
"""

STATEMENTS_WITH_VALUE = ("expr", "if", "match", "try", "retry")


def contains(tree, kinds, stop=()):
    """Whether a node of one of the kinds is in the tree, not looking into nodes of the kinds `stop`."""
    if isinstance(tree, tuple):
        if tree and tree[0] in kinds:
            return True
        if tree and tree[0] in stop:
            return False
    elif not isinstance(tree, list):
        return False
    return any(contains(child, kinds, stop) for child in tree if isinstance(child, (tuple, list)))


def has_hole(tree):
    """Whether a `_` in the tree is that of the pipe around it. What is piped into further inside has its own."""
    if isinstance(tree, tuple) and tree and tree[0] in ("hole", "pipe"):
        return tree[0] == "hole" or has_hole(tree[1])
    return isinstance(tree, (tuple, list)) and any(has_hole(child) for child in tree)


FUNCTIONS = ("closure", "fnexpr", "fn", "spawn", "parallel", "each", "settle")


def is_generator(body):
    """A function whose own body has a `yield` makes generators."""
    return contains(body, ("yield",), FUNCTIONS)
