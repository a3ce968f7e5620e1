"""People with rows of their own, and how far one of them may move the sums."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from curator.tables_for_tests import plan_of
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.joint import unit_ratio
from dpratio.plan.settle import cells_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Key
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "IDS",
    "ODD_IDS",
    "REGIONS",
    "TOTALS",
    "WHOLE_IDS",
    "Table",
    "allowed",
    "crowds",
    "moved_by",
    "people",
    "plans_of_people",
]

Table = Any

REGIONS = ["a", "b", "c", "d"]
TOTALS = {"score": Bounds(-1.5, 2.25), "label": Bounds(0.25, 3)}


def people(
    *,
    strategy: str = "even",
    weighted: bool = True,
    minus: bool = False,
    keys: Sequence[Key] | None = REGIONS,
    totals: dict[str, Bounds] = TOTALS,
    clipping: str = "unmeasured",
    **unit: Any,  # noqa: ANN401
) -> Plan:
    """A plan over rows that carry the id of a person."""
    terms: dict[str, Any] = {"strategy": strategy, "clipping": clipping}
    if minus:
        totals = {"score - other": totals["score"], "label": totals["label"]}
        terms |= {"minus": "other", "bounds": {"other": Bounds(-0.5, 1)}}
    if strategy == "focused":
        terms["guess"] = 0.0 if minus else 0.75
    if strategy != "even":
        terms["mechanism"] = unit.pop("mechanism", "laplace")
    return plan_of(
        Bounds(-1, 1),
        Bounds(0, 1),
        Bounds(0, 2) if weighted else None,
        keys=keys,
        unit=PrivacyUnit("id", totals=totals, **unit),
        **terms,
    )


@st.composite
def plans_of_people(draw: st.DrawFn) -> Plan:
    """A plan over people with any strategy, keys and cap."""
    return people(
        strategy=draw(st.sampled_from(["even", "joint", "focused"])),
        weighted=draw(st.booleans()),
        minus=draw(st.booleans()),
        keys=draw(st.sampled_from([None, REGIONS, REGIONS[:1]])),
        clipping=draw(st.sampled_from(["measured", "unmeasured"])),
        most_groups=draw(st.integers(1, 3)),
    )


NUMBERS = [0.0, 1.0, -1.0, 0.5, 1 / 3, 9.0, -9.0, 2.0**-25, math.nan, math.inf, None]
IDS: dict[str, tuple[Any, list[Any]]] = {
    "text": (pa.string(), ["ann", "Ann", "é", "a:1", "1:a", "", "😀", None]),
    "whole": (pa.int64(), [0, -1, 7, 2**63 - 1, -(2**63), None]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["ann", "bob", None]),
}

# Everybody of these is somebody else.
ODD_IDS = [
    *["0", "-0", "00", "7", "-7", "+7", " 7", "7\n", "\n7", "7.0", "1e3", "٧", "𝟟"],
    *[str(10**18 - 1), str(10**18), str(-(10**18)), "9" * 40, "", "é", "e\u0301", "😀"],
    *["ann", "Ann", "ANN", "a:1", "1:a", "'; DROP TABLE rows; --", "\\", "%"],
]
WHOLE_IDS = [0, 1, -1, 10**18 - 1, 10**18, -(10**18), 2**63 - 1, -(2**63), 2**31 - 2]


@st.composite
def crowds(draw: st.DrawFn, kind: str, *, least_rows: int = 0) -> Table:
    """Some people with some rows each, hostile numbers included."""
    type_, ids = IDS[kind]
    many = draw(st.integers(least_rows, 16))

    def column(cells: list[Any]) -> list[Any]:
        return draw(st.lists(st.sampled_from(cells), min_size=many, max_size=many))

    numbers = {
        name: pa.array(column(NUMBERS), pa.float64())
        for name in ("score", "label", "weight", "other")
    }
    region = pa.array(column([*REGIONS, "z", None]), pa.string())
    return pa.table({**numbers, "region": region, "id": pa.array(column(ids), type_)})


def moved_by(plan: Plan, first: list[list[int]], second: list[list[int]]) -> Fraction:
    """How far two tables lie apart in units of noise; squared for Gaussian noise."""
    moves = [
        Fraction(abs(one - other)) / Fraction(each.scale)
        for row, less in zip(first, second, strict=True)
        for one, other, each in zip(row, less, plan.measurements[0].sums, strict=True)
    ]
    return plan.law.total(moves)


def allowed(plan: Plan) -> Fraction:
    question = plan.measurements[0]
    ratio = unit_ratio(
        plan.law,
        plan.layout(question).grid,
        question.scales,
        plan.layout(question).unit,
        cells_of(question.groups),
    )
    return ratio**plan.law.power
