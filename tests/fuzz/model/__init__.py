"""A small interpreter of a part of Harn, written from the language document alone.

It knows nothing of registers, cells or bytecode: scopes are dictionaries with a parent, names are looked up
when they are used, values are copied. What it answers is what `harn run` has to answer.
"""
