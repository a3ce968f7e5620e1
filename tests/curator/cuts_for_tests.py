"""Rows and people of whom it is known by hand which of them bounds cut."""

import math
from typing import Any

import pyarrow as pa

from curator.tables_for_tests import ROW, exact, plan_of
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit

__all__ = ["CUTS", "PLANS", "TABLE", "cuts_of"]

_NAMES = ("score", "label", "weight", "other", "region", "id")
_ROWS: list[tuple[Any, ...]] = [
    (0.5, 1.0, 1.0, 0.0, "a", "in the middle"),
    (2.0, 0.0, 3.0, 0.0, "a", "at bounds"),
    (-1.0, 1.0, 0.5, 0.0, "b", "at bounds"),
    (math.nextafter(2.0, 3.0), 1.0, 1.0, 0.0, "a", "just beyond"),
    (-1e300, 1.0, 9.0, 0.0, "b", "twice beyond"),
    (1e300, 1.0, 9.0, 0.0, "b", "twice beyond"),
    (1e300, 1.0, 9.0, 0.0, "a", "twice beyond"),
    (0.5, 7.0, 1.0, 0.0, "a", "beyond a natural bound"),
    (0.5, 1.0, 1.0, 5.0, "a", "beyond in what is taken off"),
    (math.inf, 1.0, 1.0, 0.0, "b", "not finite"),
    (9.0, None, 1.0, 0.0, "b", "not there"),
    (9.0, 1.0, 1.0, 0.0, "elsewhere", "in no group"),
    (0.5, 1.0, 1.0, 0.0, "b", "just beyond"),
    *[(0.5, 1.0, 1.0, 0.0, "b", "too much together")] * 7,
]
TABLE = pa.table(
    {name: [row[at] for row in _ROWS] for at, name in enumerate(_NAMES)},
    schema=pa.schema(
        [
            *((name, pa.float64()) for name in _NAMES[:4]),
            *((n, pa.string()) for n in _NAMES[4:]),
        ]
    ),
)

_BOX = (Bounds(-1, 2), Bounds(0, 1, natural=True), Bounds(0.5, 3))
_REGIONS = Groups("region", ["a", "b"])
_PEOPLE = {"score": Bounds(-9, 3), "label": Bounds(0, 5, natural=True)}


def _plan(*box: Bounds, **terms: Any) -> Plan:  # noqa: ANN401
    return plan_of(*(box or _BOX), clipping="measured", **terms)


def _people(totals: dict[str, Bounds], most: int = 1, **terms: Any) -> Plan:  # noqa: ANN401
    unit = PrivacyUnit("id", totals=totals, most_groups=most)
    return _plan(unit=unit, **terms)


PLANS = {
    "rows": _plan(),
    "rows by region": _plan(groups=_REGIONS, strategy="joint"),
    "a limit": _plan(*_BOX[:2], strategy="focused", guess=0.5, residual_bound=1.25),
    "a limit alone": _plan(
        Bounds(-1, 2, natural=True),
        _BOX[1],
        strategy="focused",
        guess=0.5,
        residual_bound=1.25,
    ),
    "taken off": _plan(
        *_BOX[:2],
        minus="other",
        bounds={"other": Bounds(0, 1)},
        groups=_REGIONS,
        strategy="focused",
    ),
    "people": _people(_PEOPLE),
    "people by region": _people(_PEOPLE, 2, groups=_REGIONS, strategy="focused"),
    "people in one region": _people(_PEOPLE, groups=_REGIONS, strategy="focused"),
    "natural totals": _people(
        {
            name: Bounds(each.lower, each.upper, natural=True)
            for name, each in _PEOPLE.items()
        }
    ),
}
# Known by hand, group by group.
CUTS = {
    "rows": [5],  # Just beyond, twice beyond in three rows, and in no group.
    "rows by region": [2, 2],
    # Here |z| of a row at its bounds is 1.5 or 2, and beyond the limit.
    "a limit": [7],
    "a limit alone": [7],
    "taken off": [3, 2],
    # Where there are no groups, nobody is outside of them. Seven halves are too much.
    "people": [5],
    "people by region": [3, 2],
    # One of them is cut in both, and counts in one of these.
    "people in one region": [2, 2],
    "natural totals": [3],
}


def cuts_of(source: object, name: str, engine: str) -> list[int]:
    """How many units are counted as cut, of every group."""
    # Of this key the regions of everybody are those that CUTS has counted by hand.
    found = exact(source, PLANS[name], engine, key="c")
    assert all(row[-1] % ROW == 0 for row in found)
    return [row[-1] // ROW for row in found]
