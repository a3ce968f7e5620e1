"""Sources that read one file or table more than once are refused before the charge."""

import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.tables_for_tests import ENGINES, exact, plan_of
from dpratio.curator.reading.files import require_once, source_at
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed, SchemaRefused

ROWS = pa.table({"score": [0.5, 0.25], "label": [1, 0]})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pq.write_table(ROWS, tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def test_what_is_read_again_is_refused_with_what_to_do() -> None:
    require_once([])
    require_once(["a", "b", ("a", "b")])
    with pytest.raises(SchemaRefused) as refused:
        require_once(["a", "b", "a"])
    assert str(refused.value) == (
        "the source reads a file or a table more than once, so that one row could be "
        "counted many times. Read each of them once, without names that lead to the "
        "same file; or store the rows in a table of their own."
    )


def test_an_address_of_this_machine_leads_to_its_file(file: Path) -> None:
    link = file.parent / "a b.parquet"
    os.link(file, link)
    names = [str(file), f"file://{file}", f"file://{file.parent}/a%20b.parquet"]
    assert len({source_at(each) for each in names}) == 1
    assert source_at("s3://lake/a%20b") == "s3://lake/a%20b"


AGAIN: dict[str, Callable[[Path], pl.LazyFrame]] = {
    "a list": lambda file: pl.scan_parquet([file, file]),
    "a union": lambda file: pl.concat([pl.scan_parquet(file), pl.scan_parquet(file)]),
    "a pattern": lambda file: pl.concat(
        [pl.scan_parquet(file), pl.scan_parquet(file.parent / "*.parquet")]
    ),
    "a frame of its own": lambda _: pl.concat([pl.LazyFrame(ROWS.to_pydict())] * 2),
    "a join": lambda file: pl.scan_parquet(file).join(
        pl.scan_parquet(file).select("label"), on="label"
    ),
    "behind a function": lambda file: pl.concat(
        [pl.scan_parquet(file)] * 2
    ).map_batches(lambda rows: rows),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("frame", AGAIN.values(), ids=AGAIN)
def test_a_lazy_frame_that_reads_a_file_again_is_refused(
    frame: Callable[[Path], pl.LazyFrame], engine: str, file: Path
) -> None:
    with pytest.raises(SchemaRefused, match="reads a file or a table more than once"):
        release_with(engine, frame(file), plan_of(), ledger=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_lazy_frame_that_reads_each_file_once_is_read(
    engine: str, file: Path
) -> None:
    pq.write_table(ROWS, file.parent / "more.parquet")
    expected = exact(pa.concat_tables([ROWS, ROWS]), plan_of(), engine)
    lazy = pl.scan_parquet(file.parent / "*.parquet").filter(pl.col("score") > 0)
    assert exact(lazy, plan_of(), engine) == expected
    others = [pl.scan_parquet(each) for each in sorted(file.parent.iterdir())]
    assert exact(pl.concat(others), plan_of(), engine) == expected


def test_an_eager_frame_has_no_plan_and_a_broken_one_is_refused_by_its_schema(
    tmp_path: Path,
) -> None:
    assert exact(pl.DataFrame(ROWS.to_pydict()), plan_of(), "auto")
    with pytest.raises(EngineFailed):
        release_sums(pl.scan_parquet(tmp_path / "none.parquet"), plan_of(), ledger=None)
