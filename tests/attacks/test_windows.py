"""Windows of files: a condition keeps each row by its own cells, or is refused."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attacks.bound_data import DECLARED, PATH, STUDY, Call
from curator.tables_for_tests import exact, plan_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import InvalidInput, SchemaRefused
from dpratio.terms.source import CsvFile, ParquetFiles

PLAN = plan_of()


def sums(source: object, engine: str = "auto") -> list[list[int]]:
    return exact(source, PLAN, engine)


def test_36_no_engine_leaves_a_condition_out(tmp_path: Path) -> None:
    """A window that one engine does not look at is the whole table there.

    Source: issue 23, point 5.
    """
    table = pa.table({"score": [0.5, 0.25], "label": [1, 1], "k": ["a", "A"]})
    pq.write_table(table, tmp_path / "a.parquet")
    pq.write_table(table.slice(0, 1), tmp_path / "one.parquet")
    lines = "score,label,k\n0.5,1,a\n0.25,1,A\n"
    (tmp_path / "a.csv").write_text(lines, encoding="utf-8")
    one = sums(table.slice(0, 1), "python")
    for source in (
        ParquetFiles(tmp_path / "a.parquet", where=[["k", "=", "a"]]),
        CsvFile(tmp_path / "a.csv", where=[["k", "=", "a"]]),
    ):
        for engine in ("auto", "duckdb"):
            assert sums(source, engine) == one
        with pytest.raises(InvalidInput):
            sums(source, "ibis")


@pytest.mark.parametrize(
    ("column", "where"),
    [
        (
            pa.array([dt.datetime(2026, 1, 1, 9)], pa.timestamp("ms")),  # noqa: DTZ001
            ["x", "<=", "2026-01-01"],
        ),
        (pa.array([Decimal("1.5")], pa.decimal128(9, 2)), ["x", "=", 1.5]),
        (pa.array([2**64 - 1], pa.uint64()), ["x", ">", 5]),
    ],
    ids=["milliseconds", "decimals", "large whole numbers"],
)
def test_36_what_engines_compare_apart_is_refused(
    column: pa.Array, where: list[object], tmp_path: Path
) -> None:
    """Times become days on their way through PyArrow; a day is no time.

    Source: found by reading this code, 2026, when files first had conditions.
    """
    table = pa.table({"score": [0.5], "label": [1], "x": column})
    pq.write_table(table, tmp_path / "a.parquet", version="1.0")
    with pytest.raises(SchemaRefused, match=r"^where "):
        sums(ParquetFiles(tmp_path / "a.parquet", where=[where]))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_38_a_window_of_files_that_was_changed_after_its_approval_is_refused(
    kind: str, call: Call, folder: Path
) -> None:
    """An approval is of the rows that where keeps, of files too.

    Source: issue 23, point 5.
    """
    declared = f"{PATH}\n{DECLARED}"
    if kind == "parquet":
        table = pa.table({"s": [0.5], "y": [1], "customer": ["1"]})
        pq.write_table(table, folder / "data" / "a.parquet")
        declared = 'path = "data/a.parquet"'
    rows = '[["customer", ">=", "1"], ["customer", "<", "2"]]'
    window = f"{declared}\nwhere = {rows}"
    study = STUDY.replace(f"{PATH}\n{DECLARED}", window)
    (folder / "study.toml").write_text(study, "utf-8")
    words = ("--scope", "loans", "--unit", "customer", "--epsilon", "1", "--approval")
    assert call("ledger", "init", *words)[0] == 0
    assert call("ledger", "approve", "study.toml", "--by", "officer")[0] == 0
    changed = window.replace('"<"', '"<="')
    (folder / "changed.toml").write_text(study.replace(window, changed), "utf-8")
    code, said = call("release", "changed.toml", "-o", "r.json")
    assert code == 10
    assert "approved for another source, which differs in: where." in said
    assert Ledger("dpratio.db").account().spent.loss == 0
    assert call("release", "study.toml", "-o", "r.json")[0] == 0
