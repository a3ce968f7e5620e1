"""Groups as a plain document, and back.

Text, true and false are written as they are; a date is ``{"date": "2026-01-31"}``, and
a whole number ``{"integer": "5"}``.
"""

import datetime as dt
from typing import Any

from dpratio.plan.planned_question import Partition
from dpratio.strict import Node
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import (
    EVERY,
    KINDS,
    Dimension,
    Key,
    Keys,
    Periods,
    ScoreBins,
)
from dpratio.terms.groups import Groups, PrivateKeys

__all__ = ["groups_from_document", "groups_to_document"]


def groups_to_document(groups: Partition) -> dict[str, Any] | None:
    """Write the cells of a partition; None for the whole table."""
    if groups is None:
        return None
    if isinstance(groups, PrivateKeys):
        return {
            "private_keys": {
                "column": groups.column,
                "kind": groups.kind,
                "epsilon": str(groups.budget.epsilon),
                "delta": str(groups.budget.delta),
            }
        }
    listed = groups.listed
    return {
        "dimensions": [_dimension_to_document(each) for each in groups.dimensions],
        "cells": None if listed is None else [list(cell) for cell in listed],
    }


def groups_from_document(node: Node) -> Partition:
    """Read the cells of a partition.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    if node.value is None:
        return None
    if "private_keys" in node.entries():
        return _read_private(node.fields("private_keys")["private_keys"])
    fields = node.fields("dimensions", "cells")
    dimensions = tuple(_read_dimension(each) for each in fields["dimensions"].items())
    crossed = node.make(lambda: Groups.cross(*dimensions))
    if fields["cells"].value is None:
        return crossed
    cells = [
        tuple(place.integer() for place in cell.items())
        for cell in fields["cells"].items()
    ]
    return node.make(lambda: crossed.only(cells))


def _key_to_document(key: Key) -> object:
    """Write one key."""
    if isinstance(key, dt.date):
        return {"date": key.isoformat()}
    return {"integer": str(key)} if type(key) is int else key


def _key_from_document(node: Node) -> Key:
    """Read one key."""
    if node.value is None or isinstance(node.value, bool):
        return node.value
    if isinstance(node.value, dict):
        if "integer" in node.value:
            return node.fields("integer")["integer"].whole()
        text = node.fields("date")["date"].text()
        return node.make_from(lambda: dt.date.fromisoformat(text), "a date")
    return node.text()


def _dimension_to_document(each: Dimension) -> dict[str, Any]:
    if isinstance(each, ScoreBins):
        return {"bins": {"column": each.column, "edges": list(each.edges)}}
    if isinstance(each, Periods):
        periods = {
            "column": each.column,
            "every": each.every,
            "first": each.first.isoformat(),
            "last": each.last.isoformat(),
        }
        return {"periods": periods}
    return {
        "keys": {
            "column": each.column,
            "values": _values_to_document(each),
        }
    }


def _values_to_document(keys: Keys) -> list[Any]:
    """Write the keys of a dimension; a million of them as they are."""
    if keys.kind in {str, bool}:
        return list(keys.values)
    return [_key_to_document(key) for key in keys.values]


def _read_dimension(node: Node) -> Dimension:
    entries = node.entries()
    if "bins" in entries:
        return _read_bins(node)
    if "periods" in entries:
        fields = node.fields("periods")["periods"].fields(
            "column", "every", "first", "last"
        )
        column, every = fields["column"].text(), fields["every"].choice(EVERY)
        first, last = fields["first"].text(), fields["last"].text()
        return node.make(lambda: Periods(column, every, first, last))
    fields = node.fields("keys")["keys"].fields("column", "values")
    values = [_key_from_document(each) for each in fields["values"].items()]
    column = fields["column"].text()
    return node.make(lambda: Keys(column, values))


def _read_bins(node: Node) -> ScoreBins:
    fields = node.fields("bins")["bins"].fields("column", "edges")
    edges = [edge.number() for edge in fields["edges"].items()]
    column = fields["column"].text()
    return node.make(lambda: ScoreBins(column, edges))


def _read_private(node: Node) -> PrivateKeys:
    fields = node.fields("column", "kind", "epsilon", "delta")
    epsilon, delta = fields["epsilon"].fraction(), fields["delta"].fraction()
    column, kind = fields["column"].text(), fields["kind"].choice(tuple(KINDS))
    return node.make(lambda: PrivateKeys(column, Budget(epsilon, delta), kind))
