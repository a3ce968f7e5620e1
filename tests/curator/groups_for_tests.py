"""Keys, periods and bins of every kind, and rows that may lie in them."""

import datetime as dt
import math
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from curator.tables_for_tests import ROW, exact, plan_of
from dpratio.plan.plan import Plan
from dpratio.terms.groups import Dimension, Groups, Key, Keys, Periods, ScoreBins

__all__ = [
    "ABC",
    "CODE",
    "DAY",
    "DAYS",
    "FAR",
    "KEYS",
    "LISTED",
    "MANY",
    "MONTHS",
    "NORTH",
    "SEX",
    "TIMES",
    "UTC",
    "ZONES",
    "by",
    "counts",
    "grouped",
    "rows_of",
]

DAY = dt.date(2026, 1, 31)
DAYS = [DAY + dt.timedelta(days=at) for at in (-31, -1, 0, 1, 2, 28, 29, 400)]
UTC, NORTH = dt.UTC, dt.timezone(dt.timedelta(hours=9))
TIMES = [
    dt.datetime(2026, 1, 31, 23, 59, 59, 999_999),  # noqa: DTZ001 (without a zone)
    dt.datetime(2026, 2, 1),  # noqa: DTZ001
    dt.datetime(2026, 2, 1, 8, 59, 59),  # noqa: DTZ001
    dt.datetime(1969, 12, 31, 23, 59, 59, 999_999),  # noqa: DTZ001
    dt.datetime(2026, 1, 5),  # noqa: DTZ001
    dt.datetime(2025, 12, 29, 12),  # noqa: DTZ001
]
ZONES = [None, "UTC", "Asia/Tokyo", "America/New_York"]


def rows_of(**columns: Any) -> Any:  # noqa: ANN401
    """A table of rows that each count one, with columns beside."""
    many = len(next(iter(columns.values())))
    scores = [0.25 + at % 3 / 4 for at in range(many)]
    return pa.table({"score": scores, "label": [1.0] * many, **columns})


def by(*dimensions: Dimension, **terms: Any) -> Plan:  # noqa: ANN401
    return plan_of(groups=Groups.cross(*dimensions), **terms)


def counts(table: object, plan: Plan, engine: str) -> list[int]:
    """How many rows each cell holds."""
    found = [row[0] for row in exact(table, plan, engine)]
    assert all(cell % ROW == 0 for cell in found)
    return [cell // ROW for cell in found]


KEYS: dict[str, tuple[Any, list[Key], list[Any]]] = {
    "text": (pa.string(), ["b", "a'\"", "", "é"], ["a'\"", "b", "z", "é", None, "B"]),
    "text or missing": (pa.string(), ["b", None, "a"], ["a", None, "b", "z", None]),
    "missing alone": (pa.string(), [None], ["a", None, None]),
    "whole in a row": (pa.int64(), [4, 5, 6, 7], [7, 4, 3, 8, None, -(2**63), 5]),
    "whole not in a row": (pa.int64(), [9, -3, 2**62], [2**62, 9, 0, None, -3, 9]),
    "whole or missing": (pa.int32(), [1, 2, None], [None, 2, 2, 3, None]),
    "small whole": (pa.uint8(), [1, 255], [255, 1, 0, None]),
    "truths": (pa.bool_(), [True, False], [False, True, None, True]),
    "truths or missing": (pa.bool_(), [None, True], [False, True, None, True]),
    "dates": (pa.date32(), [DAYS[2], DAYS[0]], [*DAYS, None]),
    "dates or missing": (pa.date32(), [DAYS[2], None], [*DAYS, None, None]),
    "long dates": (pa.date64(), [DAYS[2], DAYS[0]], [*DAYS, None]),
    "times as dates": (
        pa.timestamp("us"),
        [DAY, dt.date(1969, 12, 31), None],
        [*TIMES, None],
    ),
}

ABC = Keys("region", ["b", "a", None])
SEX = Keys("sex", [True, False])
CODE = Keys("code", [3, 1])
MONTHS = Periods("seen", "month", "2026-01-01", "2026-03-31")
MANY = rows_of(
    region=["a", "b", None, "z", "a", "b", None, "a"],
    sex=[True, False, None, True, False, False, True, True],
    code=pa.array([1, 3, 1, 1, 2, 3, None, 1], pa.int16()),
    seen=pa.array([*DAYS[:7], None], pa.date32()),
)

LISTED: list[tuple[list[str], list[tuple[Key, ...]]]] = [
    (["region", "sex"], [("a", True), ("b", False), (None, True), ("b", True)]),
    (["sex", "region"], [(False, "b"), (True, "a")]),
    (["region"], [("b",), ("a",)]),
    (["code", "region", "sex"], [(1, "a", True), (3, "b", False), (2, "a", False)]),
    (["seen", "region"], [(DAYS[0], "a"), (DAYS[1], "b"), (DAYS[1], "a")]),
]

# Times that no calendar knows.
FAR: dict[str, Any] = {
    "microseconds": pa.array([2**62, 0, -(2**62)], pa.timestamp("us")),
    "microseconds in UTC": pa.array([2**62, 0, -(2**62)], pa.timestamp("us", "UTC")),
    "seconds": pa.array([2**40, 0, -(2**40)], pa.timestamp("s")),
    "days": pa.array([2**31 - 1, 0, -(2**31)], pa.int32()).cast(pa.date32()),
    "days of year 10000": pa.array([2932897, 0, -719163], pa.int32()).cast(pa.date32()),
}

CELLS: dict[str, tuple[Any, list[Any]]] = {
    "region": (pa.string(), ["a", "b", "c", None]),
    "sex": (pa.bool_(), [True, False, None]),
    "code": (pa.int64(), [0, 1, 2, 5, None]),
    "seen": (pa.date32(), [*DAYS, None]),
    "score": (pa.float64(), [0.0, 0.25, 0.5, 1.0, 9.0, -9.0, math.nan, None]),
}


@st.composite
def grouped(draw: st.DrawFn) -> tuple[Plan, Any]:
    """Any groups, and rows that may lie in them."""
    many = draw(st.integers(0, 15))
    columns = {
        name: pa.array(draw(st.lists(st.sampled_from(cells), min_size=many)), type_)
        for name, (type_, cells) in CELLS.items()
    }
    table = pa.table({name: each[:many] for name, each in columns.items()})
    table = table.append_column("label", pa.array([1.0] * many, pa.float64()))
    bins: Any = draw(st.sampled_from([2, 3, [0.25, 0.5]]))
    possible: list[Dimension] = [
        *(
            Keys(name, [cells[0], *draw(st.sets(st.sampled_from(cells[1:])))])
            for name, (_, cells) in CELLS.items()
            if name not in {"score", "seen"}
        ),
        Periods("seen", draw(st.sampled_from(["day", "week", "month"])), DAY, DAYS[5]),
        ScoreBins("score", bins),
    ]
    chosen = draw(
        st.lists(st.sampled_from(possible), min_size=1, max_size=3, unique_by=id)
    )
    groups = Groups.cross(*chosen)
    are_keys = all(isinstance(each, Keys) for each in chosen)
    if len(chosen) > 1 and are_keys and draw(st.booleans()):
        keys = st.tuples(*(st.sampled_from(each.values) for each in chosen))
        some = draw(st.lists(keys, min_size=1, unique=True))
        groups = Groups(groups.columns, some)
    return plan_of(groups=groups), table
