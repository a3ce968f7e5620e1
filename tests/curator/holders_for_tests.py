"""People who hold keys that nobody declared."""

import datetime as dt
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from curator import oracle
from curator.tables_for_tests import as_lists
from dpratio.curator.choose_engine import open_keys
from dpratio.curator.reading.statement import KeyCount, UnitRule
from dpratio.terms.groups import Key

__all__ = ["DAY", "HELD", "found_by", "holders", "people_of", "rule_of"]

DAY = dt.date(2026, 1, 31)
HELD: dict[str, tuple[Any, list[Any]]] = {
    "text": (pa.string(), ["a", "b'", "é", "B", "", None]),
    "integer": (pa.int64(), [0, 5, -3, 2**63 - 1, None]),
    "boolean": (pa.bool_(), [True, False, None]),
    "date": (pa.date32(), [DAY, dt.date(1969, 12, 31), dt.date(1, 1, 1), None]),
}


def rule_of(most: int) -> UnitRule:
    return UnitRule("id", "dpratio", most, {})


def found_by(table: object, asked: KeyCount, engine: str) -> dict[Key, int]:
    """How many units each key has; "python" names the specification."""
    if engine == "python":
        return oracle.count_keys(as_lists(table), asked)
    return open_keys(table, asked, engine)()


@st.composite
def holders(draw: st.DrawFn, kind: str) -> Any:  # noqa: ANN401
    """Some people, and the keys that they hold."""
    type_, cells = HELD[kind]
    many = draw(st.integers(0, 20))
    ids = st.sampled_from(["x", "y", "z", "é", None])
    rows = draw(
        st.lists(st.tuples(st.sampled_from(cells), ids), min_size=many, max_size=many)
    )
    return pa.table(
        {
            "region": pa.array([key for key, _ in rows], type_),
            "id": pa.array([each for _, each in rows], pa.string()),
        }
    )


def people_of(table: Any) -> dict[Any, set[str]]:  # noqa: ANN401
    """Who holds each key, in a plain loop."""
    held: dict[Any, set[str]] = {}
    pairs = zip(table["region"].to_pylist(), table["id"].to_pylist(), strict=True)
    for key, unit in pairs:
        if key is not None and unit is not None:
            held.setdefault(key, set()).add(unit)
    return held
