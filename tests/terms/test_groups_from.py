"""Public tables of keys: frames and mappings."""

import datetime as dt
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.groups import groups_from

ROWS: dict[str, list[Any]] = {
    "state": ["CA", "NY", None],
    "age": [30, 40, 30],
    "day": [dt.date(2026, 1, 1), dt.date(2026, 2, 1), dt.date(2026, 1, 1)],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_every_kind_of_table_gives_the_same_cells(make: Any) -> None:  # noqa: ANN401
    groups = groups_from(make(ROWS), ["state", "age"])
    assert groups.keys == (("CA", 30), ("NY", 40), (None, 30))
    assert groups_from(make(ROWS), "state").keys == ("CA", "NY", None)


def test_dates_are_dates_in_every_frame() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(ROWS["day"][:2])})
    for table in (frame, pl.from_pandas(frame), pa.table({"day": ROWS["day"][:2]})):
        assert groups_from(table, ["day"]).keys == tuple(ROWS["day"][:2])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"got 'sate'\. The table has: state, age"):
        groups_from(ROWS, ["sate"])
    with pytest.raises(InvalidInput, match="groups need a column name"):
        groups_from(ROWS, [])
