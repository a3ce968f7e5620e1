"""What is done to a valid document: to its nodes, and then to its bytes.

A mutation is three small numbers (what, where, with what), so that Hypothesis shrinks a
failing input to few mutations near the beginning of a document.
"""

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

__all__ = ["HOSTILE", "Mutation", "mutate_bytes", "mutate_document", "mutations"]

Mutation = tuple[int, int, int]
Document = Any

_DEEP = 100_000


def _nested(opening: str, closing: str, depth: int) -> str:
    return opening * depth + "1" + closing * depth


# JSON that no Python value stands for; written into the text in place of a mark.
RAW = [
    "NaN",
    "-Infinity",
    "1e999999999",
    "-1e400",
    "1e-999999999",
    "9" * 4300,
    "9" * 5000,
    "-" + "9" * 400,
    "1." + "0" * 9999 + "1",
    r'"\ud800"',
    r'"\udc00\ud800x"',
    r'"\u0000"',
    '"\\u202e\\u2066"',
    '{"a": 1, "a": 2}',
    '{"date": "2026-01-31", "date": "9999-12-31"}',
    _nested("[", "]", _DEEP),
    _nested('{"a":', "}", _DEEP),
    *(_nested("[", "]", depth) for depth in range(900, 1000, 7)),
    "[" * 1000,
    "tru",
    "'x'",
    "01",
    "\ufeff1",
    "// x\n1",
]
_MARK = "@raw {}@"

HOSTILE: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    10**9,
    2**31,
    2**53 + 1,
    -(2**63),
    2**63,
    2**64,
    10**400,
    -0.0,
    0.5,
    1e-320,
    1e308,
    -1e308,
    2.0**-60,
    2.0**100,
    "",
    " ",
    "x",
    "0",
    "-0",
    "1",
    "1/0",
    "-1/3",
    "1e9",
    "1e-99",
    "1/" + "9" * 250,
    "9" * 250,
    "0." + "0" * 250 + "1",
    "NaN",
    "inf",
    "-" + "9" * 19,
    "9223372036854775808",
    "٣",
    "1_0",
    "\x00",
    "\x1b[2J\x07",
    "é\u2028",
    "😀" * 3,
    "a" * 100_000,
    "../../etc/passwd",
    "__class__",
    "{0.__class__}%s",
    "'; DROP TABLE entry; --",
    "binary",
    "laplace",
    "external",
    "analytic_gaussian",
    "change-one",
    "2026-01-31",
    "0001-01-01",
    "9999-12-31",
    "2026-W01-1",
    [],
    {},
    [[]],
    [{}],
    {"": {}},
    [1, 2, 3],
    [0, 1],
    [1e308, -1e308],
    ["x"] * 5000,
    list(range(5000)),
    {"date": "2026-01-31"},
    {"dimensions": [], "cells": None},
    {
        "periods": {
            "column": "d",
            "every": "day",
            "first": "0001-01-01",
            "last": "9999-12-31",
        }
    },
    [
        {
            "periods": {
                "column": f"d{n}",
                "every": "day",
                "first": "0001-01-01",
                "last": "9999-12-31",
            }
        }
        for n in range(300)
    ],
    {"keys": {"column": "g", "values": ["a", "a"]}},
    {"bins": {"column": "score", "edges": list(range(2000))}},
    {
        "private_keys": {
            "column": "g",
            "kind": "text",
            "epsilon": "1/4",
            "delta": "1/1000",
        }
    },
    *(_MARK.format(at) for at in range(len(RAW))),
]


def mutations(most: int = 4) -> st.SearchStrategy[list[Mutation]]:
    """A few mutations; often just one, which goes deepest into a reader."""
    number = st.integers(0, 2**16 - 1)
    one = st.tuples(number, number, number)
    return st.lists(one, min_size=1, max_size=most)


def mutate_document(
    document: Document, chosen: Sequence[Mutation], others: Sequence[Document] = ()
) -> str:
    """Change nodes of a document and write it as JSON text, hostile tokens included."""
    held = {"$": copy.deepcopy(document)}
    for what, where, given in chosen:
        places = _places(held)
        parent, key = places[where % len(places)]
        _ACTIONS[what % len(_ACTIONS)](parent, key, given, others)
    text = json.dumps(held["$"])
    for at, raw in enumerate(RAW):
        text = text.replace(f'"{_MARK.format(at)}"', raw)
    return text


def _places(held: Document) -> list[tuple[Any, Any]]:
    """Every place in a document: the table or list, and the field or index there."""
    found: list[tuple[Any, Any]] = []
    waiting = [held]
    while waiting:
        one = waiting.pop()
        fields = one.items() if isinstance(one, dict) else enumerate(one)
        for key, child in fields:
            found.append((one, key))
            if isinstance(child, dict | list) and len(child) < 1000:
                waiting.append(child)
    return found


def _replace(parent: Any, key: Any, given: int, _: Sequence[Document]) -> None:  # noqa: ANN401
    parent[key] = copy.deepcopy(HOSTILE[given % len(HOSTILE)])


def _delete(parent: Any, key: Any, _given: int, _: Sequence[Document]) -> None:  # noqa: ANN401
    if key != "$":
        del parent[key]


def _double(parent: Any, key: Any, given: int, _: Sequence[Document]) -> None:  # noqa: ANN401
    if isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif key != "$":
        parent[f"{key}{given % 3}"] = copy.deepcopy(parent[key])


def _add(parent: Any, key: Any, given: int, _: Sequence[Document]) -> None:  # noqa: ANN401
    value = copy.deepcopy(HOSTILE[given % len(HOSTILE)])
    child = parent[key]
    if isinstance(child, list):
        child.append(value)
    elif isinstance(child, dict):
        child[str(HOSTILE[(given // 7) % len(HOSTILE)])[:50]] = value


def _splice(parent: Any, key: Any, given: int, others: Sequence[Document]) -> None:  # noqa: ANN401
    """Put in what another document, or this one, has under some other place."""
    held = {"$": others[given % len(others)] if others else parent}
    places = _places(held)
    same = [(at, name) for at, name in places if name == key] or places
    at, name = same[given % len(same)]
    parent[key] = copy.deepcopy(at[name])


def _wrap(parent: Any, key: Any, given: int, _: Sequence[Document]) -> None:  # noqa: ANN401
    child = parent[key]
    parent[key] = [child] if given % 2 else {"value": child}


def _nudge(parent: Any, key: Any, given: int, _: Sequence[Document]) -> None:  # noqa: ANN401
    """Stay close to the type: another number, another letter."""
    child = parent[key]
    if isinstance(child, bool):
        parent[key] = not child
    elif isinstance(child, int | float) and abs(child) < 1e300:
        parent[key] = [child + 1, -child, child * 1e3, child / 3, int(child)][given % 5]
    elif isinstance(child, str):
        parent[key] = [child + "0", child[:-1], child.upper(), "-" + child][given % 4]
    elif isinstance(child, list):
        parent[key] = [child[::-1], child * 2, child[:1], child[1:]][given % 4]


Action = Callable[[Any, Any, int, Sequence[Document]], None]
_ACTIONS: list[Action] = [_replace, _nudge, _delete, _double, _add, _splice, _wrap]


def mutate_bytes(
    content: bytes, chosen: Sequence[Mutation], others: Sequence[bytes] = ()
) -> bytes:
    """Flip, insert, delete, double and overwrite bytes, cut off, splice."""
    held = bytearray(content)
    for what, where, given in chosen:
        at = where * max(len(held), 1) // 2**16  # Everywhere, however long.
        size = 1 + given % 64
        kind = what % 8
        if kind == 0 and held:
            held[at] ^= 1 << given % 8
        elif kind == 1 and held:
            held[at] = given % 256
        elif kind == 2:
            held[at:at] = bytes([given % 256]) * size
        elif kind == 3:
            del held[at : at + size]
        elif kind == 4:
            held[at:at] = held[at : at + 16 * size]
        elif kind == 5:
            del held[at:]
        elif kind == 6:
            other = others[given % len(others)] if others else content
            start = given * len(other) // 2**16
            held[at : at + size] = other[start : start + size]
        else:
            number = _EXTREME[given % len(_EXTREME)]
            held[at : at + len(number)] = number
    return bytes(held)


_EXTREME = [
    bytes.fromhex(each)
    for each in ("ff" * 4, "ffffff7f", "00000080", "ff" * 8, "00" * 8, "7f", "80", "00")
]
