"""A column in every role that a plan has for one, whatever its type.

A table has the column `cell`, and beside it score, label, region and id. A role is
either refused by the schema, before anything is charged, or read to its end: no cell of
it may stop the engine.
"""

import datetime as dt
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from curator.tables_for_tests import asked, plan_of
from dpratio.curator.choose_engine import open_keys, open_table
from dpratio.curator.reading.statement import KeyCount, UnitRule
from dpratio.curator.silence import silence
from dpratio.errors import SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Keys, Periods, ScoreBins
from dpratio.terms.unit import PrivacyUnit
from soak import IS_SOAK

__all__ = ["ROLES", "fates", "stopped"]

Table = Any
Ask = Callable[[], object]

_DAY = dt.date(2026, 1, 1)
_TOTALS = {"score": Bounds(0, 2), "label": Bounds(0, 2)}
_KEYS: dict[str, Any] = {"text": "a", "integer": 1, "boolean": True, "date": _DAY}


def _plans() -> Iterator[tuple[str, Any]]:
    of_cell = ("cell", "label", "", "")
    yield "numerator", plan_of(Bounds(-1, 1), names=of_cell)
    yield "far numerator", plan_of(Bounds(-(2.0**90), 2.0**90), names=of_cell)
    totals = {"cell": Bounds(0, 2), "label": Bounds(0, 2)}
    unit = PrivacyUnit("id", totals=totals)
    yield "total", plan_of(names=of_cell, unit=unit)
    bins = Groups.cross(ScoreBins("cell", [0, 0.5, 1]))
    yield "bin", plan_of(groups=bins, bounds={"cell": Bounds(0, 1)})
    for kind, key in _KEYS.items():
        for keys in ([key], [key, None]):
            groups = Groups.cross(Keys("cell", keys))
            yield f"{kind} key of {len(keys)}", plan_of(groups=groups)
        groups = Groups.cross(Keys("cell", [key]))
        unit = PrivacyUnit("id", totals=_TOTALS, most_groups=1)
        yield f"{kind} key of a person", plan_of(groups=groups, unit=unit)
    months = Groups.cross(Periods("cell", "month", "2026-01-01", "2026-02-01"))
    yield "period", plan_of(groups=months)
    unit = PrivacyUnit("cell", totals=_TOTALS)
    yield "id", plan_of(unit=unit)
    unit = PrivacyUnit("cell", totals=_TOTALS, most_groups=1)
    yield "id in groups", plan_of(keys=["a", "b"], unit=unit)


def _opened(open_: Any, of: Any, table: Table, engine: str) -> Ask:  # noqa: ANN401
    ask: Ask = open_(table, of, engine)
    return ask


def _roles() -> Iterator[tuple[str, Callable[[Table, str], Ask]]]:
    for name, plan in _plans():
        statement = asked(plan)
        yield (
            name,
            partial(_opened, open_table, statement),
        )
    for kind in _KEYS:
        for column, rule in (("id", 1), ("", 0)):
            unit = UnitRule(column, "dpratio", rule, {}) if rule else None
            count = KeyCount("cell", kind, unit)
            yield (
                f"private {kind} key {'of rows' if unit is None else ''}".strip(),
                partial(_opened, open_keys, count),
            )
    counted = KeyCount("region", "text", UnitRule("cell", "dpratio", 1, {}))
    yield (
        "id of a private key",
        partial(_opened, open_keys, counted),
    )


ROLES: dict[str, Callable[[Table, str], Ask]] = dict(_roles())


# Outside a soak: each reading of a cell, and no way of adding up twice.
_BRIEF = {
    *("numerator", "total", "integer key of 2", "text key of 2", "boolean key of 2"),
    *("date key of 2", "period", "id in groups", "private text key"),
    *("private integer key", "private date key of rows"),
}


def fates(table: Table, engine: str = "auto") -> dict[str, str]:
    """What becomes of a column in each role: refused, read or stopped."""
    found = {}
    for name, opened in ROLES.items():
        if not IS_SOAK and name not in _BRIEF:
            continue
        with silence():
            try:
                ask = opened(table, engine)
            except SchemaRefused:
                found[name] = "refused"
                continue
            except Exception as error:  # noqa: BLE001
                found[name] = f"stopped at its schema: {type(error).__name__} {error}"
                continue
            try:
                ask()
                found[name] = "read"
            except BaseException as error:  # noqa: BLE001 (a panic is no Exception)
                said = str(error).splitlines() or [""]
                found[name] = f"stopped: {type(error).__name__} {said[0]}"
    return found


def stopped(found: dict[str, str]) -> dict[str, str]:
    """The roles in which a column stopped the engine."""
    return {name: fate for name, fate in found.items() if fate.startswith("stopped")}
