"""One bad cell: the release looks the same, and nothing is said."""

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.table_sources import READABLE, SOURCES, invalid_text, write_csv
from curator.tables_for_tests import ENGINES, exact, plan_of, require_silence, shape_of
from dpratio.curator.release_sums import release_sums
from dpratio.terms.bounds import Bounds
from tiers import quick_first

Table = Any
CELLS: dict[str, tuple[Any, Any]] = {
    "missing": (None, None),
    "not a number": (pa.float64(), math.nan),
    "infinite": (pa.float64(), math.inf),
    "largest decimal": (pa.decimal128(38, 0), Decimal(10**38 - 1)),
    "minus infinite": (pa.float64(), -math.inf),
    "minus zero": (pa.float64(), -0.0),
    "subnormal": (pa.float64(), 5e-324),
    "largest": (pa.float64(), 1.7976931348623157e308),
    "single infinite": (pa.float32(), math.inf),
    "single largest": (pa.float32(), 3.4028234663852886e38),
    "largest whole": (pa.uint64(), 2**64 - 1),
    "smallest whole": (pa.int64(), -(2**63)),
    "smallest decimal": (pa.decimal128(38, 37), Decimal("1e-37")),
}


@pytest.mark.parametrize("cell", quick_first(CELLS, 2))
def test_a_bad_cell_changes_neither_the_shape_of_a_release_nor_what_is_said(
    cell: str,
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    kind, value = CELLS[cell]
    plan = plan_of(weight=Bounds(0, 3), keys=["a", "b"])
    bad, good = pa.array([1, value], kind or pa.float64()), pa.array([1.0, 0.5])
    capfd.readouterr()
    for column in ("score", "label", "weight"):
        columns = {"score": good, "label": good, "weight": good, column: bad}
        table = pa.table({**columns, "region": ["a", "b"]})
        relation = SOURCES["relation"](table, folder)
        assert shape_of(release_sums(relation, plan, ledger=None)) == (2, 6)
    for source, engine in READABLE:
        release = release_with(
            engine, SOURCES[source](table, folder), plan, ledger=None
        )
        assert shape_of(release) == (2, 6)
    for engine in ENGINES:
        release = release_with(
            engine, write_csv(table, folder, "plain"), plan, ledger=None
        )
        assert shape_of(release) == (2, 6)
    require_silence(capfd, caplog)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", ["arrow", "parquet", "pandas"])
def test_a_key_that_is_not_valid_text_drops_its_row_and_nothing_else(
    source: str, engine: str, tmp_path: Path
) -> None:
    plan = plan_of(keys=["a", "b"])
    rows = {"score": [0.5] * 3, "label": [1] * 3}
    whole = exact(pa.table({**rows, "region": ["x", "a", "b"]}), plan, "python")
    table: object = pa.table({**rows, "region": invalid_text(b"\xff", b"a", b"b")})
    if source == "parquet":
        pq.write_table(table, tmp_path / "rows.parquet")
        table = tmp_path / "rows.parquet"
    if source == "pandas":
        cells = pd.Series(["\ud800", "a", "b"], dtype=object)
        table = pd.DataFrame({**rows, "region": cells})
    assert exact(table, plan, engine) == whole


def test_a_cell_that_numpy_warns_of_prints_no_warning() -> None:
    """Warnings are errors here, and at the door errors are failures of the engine."""
    mapping = {"score": [0.5, np.complex128(1 + 2j)], "label": [1, 1]}
    assert shape_of(release_sums(mapping, plan_of(), ledger=None)) == (1, 5)
    long = np.array(["0.5", "1e4000"], dtype=np.longdouble)
    frame = pd.DataFrame({"score": long, "label": [1, 1]})
    for engine in ENGINES:
        assert shape_of(release_with(engine, frame, plan_of(), ledger=None)) == (
            1,
            5,
        )
