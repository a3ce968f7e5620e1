"""The groups of a study file: declared, crossed, binned, by period, or found.

::

    [groups]
    column = "region"
    keys = ["north", "south"]

    [[groups]]                    # several tables ask for several partitions
    cross = [
      { column = "sex", keys = ["f", "m"] },
      { column = "score", bins = 10 },
      { column = "seen", every = "month", first = 2026-01-01, last = 2026-12-31 },
    ]
    weight = 2                    # of the budget, beside the others
    totals = { trips = [0, 40] }  # of one unit in these groups

    [[groups]]
    column = "shop"
    find = { epsilon = 0.1, delta = 1e-7 }

    [[groups]]
    whole = true                  # one answer for the whole table
"""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpratio.errors import DocumentRefused
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Dimension, Key, Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import Guess
from dpratio.terms.question import Partition

__all__ = [
    "read_all_bounds",
    "read_budget",
    "read_own",
    "read_partitions",
]


# What may stand beside any groups; what people put into them is read with their unit.
_BESIDE = ("weight", "totals", "population")


def read_partitions(
    node: Node,
) -> tuple[tuple[Partition, ...], tuple[float, ...] | None]:
    """Read one table of groups or several, and their weights where any is given."""
    tables = node.items() if isinstance(node.value, list) else [node]
    weights = [each.entries().get("weight") for each in tables]
    given = None
    if any(each is not None for each in weights):
        given = tuple(1.0 if each is None else each.number() for each in weights)
    return tuple(_read_partition(each) for each in tables), given


def read_own(
    node: Node,
    added: set[str],
    read_guess: Callable[[Node], Guess | None],
) -> list[dict[str, Any]]:
    """Read what one unit may put into each table of groups, where they say it."""
    own = []
    for each in node.items() if isinstance(node.value, list) else [node]:
        fields = each.entries()
        given: dict[str, Any] = {}
        if "totals" in fields:
            given["totals"] = read_all_bounds(fields["totals"])
            unknown = [name for name in given["totals"] if name not in added]
            if unknown:
                fields["totals"].refuse(f"no ratio adds up '{unknown[0]}'")
        if "population" in fields:
            given["guess"] = read_guess(fields["population"])
        own.append(given)
    return own


def _read_bounds(node: Node) -> Bounds:
    """Read [lower, upper], 'binary', or a table that says that no value is outside."""
    if node.value == "binary":
        return Bounds.binary()
    natural = isinstance(node.value, dict)
    if natural:
        node = node.fields("natural")["natural"]
    pair = node.items() if isinstance(node.value, list) else []
    if len(pair) != 2:  # noqa: PLR2004
        node.refuse("must be [lower, upper] or 'binary'")
    lower, upper = (end.number() for end in pair)
    return node.make(lambda: Bounds(lower, upper, natural=natural))


def read_all_bounds(node: Node) -> dict[str, Bounds]:
    """Read bounds by name."""
    return {name: _read_bounds(each) for name, each in node.entries().items()}


def _read_partition(node: Node) -> Partition:
    """Read one table of groups."""
    given = node.entries()
    if "whole" in given:
        fields = node.fields("whole", optional=_BESIDE)
        if not fields["whole"].flag():
            fields["whole"].refuse("must be true, or left out")
        return None
    if "cross" in given:
        fields = node.fields("cross", optional=_BESIDE)
        dimensions = [_read_dimension(each) for each in fields["cross"].items()]
        return node.make(lambda: Groups.cross(*dimensions))
    if "find" in given:
        fields = node.fields("column", "find", optional=("kind", *_BESIDE))
        budget = read_budget(fields["find"], fields["find"].fields("epsilon", "delta"))
        kind = fields["kind"].text() if "kind" in fields else "text"
        column = fields["column"].text()
        return node.make(lambda: PrivateKeys(column, budget, kind))
    if "columns" in given:
        fields = node.fields("columns", "keys", optional=_BESIDE)
        columns = [each.text() for each in fields["columns"].items()]
        cells = [
            tuple(_read_key(key) for key in cell.items())
            for cell in fields["keys"].items()
        ]
        return node.make(lambda: Groups(columns, cells))
    dimension = _read_dimension(node, extra=_BESIDE)
    return node.make(lambda: Groups.cross(dimension))


def read_budget(node: Node, fields: dict[str, Node]) -> Budget:
    """Read epsilon and delta as the decimals that were written."""
    epsilon = _exact(fields["epsilon"])
    delta = _exact(fields["delta"]) if "delta" in fields else Fraction(0)
    return node.make(lambda: Budget(epsilon, delta))


def _read_dimension(node: Node, extra: tuple[str, ...] = ()) -> Dimension:
    given = node.entries()
    if "bins" in given:
        fields = node.fields("column", "bins", optional=extra)
        column, bins = fields["column"].text(), fields["bins"]
        if isinstance(bins.value, list):
            edges = [edge.number() for edge in bins.items()]
            return node.make(lambda: ScoreBins(column, edges))
        count = bins.integer()
        return node.make(lambda: ScoreBins(column, count))
    if "every" in given:
        fields = node.fields("column", "every", "first", "last", optional=extra)
        column, every = fields["column"].text(), fields["every"].text()
        first, last = _read_day(fields["first"]), _read_day(fields["last"])
        return node.make(lambda: Periods(column, every, first, last))
    fields = node.fields("column", optional=("keys", *extra))
    if "keys" not in fields:
        others = "bins, every or find" if extra else "bins or every"
        raise DocumentRefused(
            f"{node.path}: field 'keys' is missing. List the public keys, or use "
            f"{others}."
        )
    column = fields["column"].text()
    keys = [_read_key(item) for item in fields["keys"].items()]
    return node.make(lambda: Keys(column, keys))


def _read_key(node: Node) -> Key:
    """Read a key; TOML has no null, so ``{ missing = true }`` stands for None."""
    if isinstance(node.value, dict):
        if not node.fields("missing")["missing"].flag():
            node.refuse("must be { missing = true }")
        return None
    if isinstance(node.value, bool):
        return node.flag()
    if type(node.value) is dt.date:
        return node.value
    return node.integer() if isinstance(node.value, int) else node.text()


def _read_day(node: Node) -> dt.date | str:
    return node.value if type(node.value) is dt.date else node.text()


def _exact(node: Node) -> Decimal | Fraction:
    if isinstance(node.value, str):
        return node.fraction()
    node.number()
    return Decimal(str(node.value))
