"""Names of folders hold cells: they stop nothing, decide nothing, and are not shown."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import ENGINES, exact, plan_of, said_by
from dpratio.errors import DpratioError
from dpratio.terms.groups import Groups
from dpratio.terms.source import ParquetFiles

ODD = ("x", "", "%ff", "9" * 40, "1.5", "__HIVE_DEFAULT_PARTITION__", "2026-01-01", "%")


def write(folder: Path, *columns: str) -> None:
    folder.mkdir(parents=True)
    held = {"score": [0.5], "label": [1], **{name: [1] for name in columns}}
    pq.write_table(pa.table(held), folder / "rows.parquet")


@pytest.mark.parametrize("engine", ENGINES)
def test_08_no_folder_stops_a_release_or_changes_a_type(
    engine: str, tmp_path: Path
) -> None:
    """One folder more changes the sums of its own key alone.

    Source: DuckDB's hive_types_autocast and Spark's partition inference: one value
    that is no number makes text of a column of numbers, and the schema is refused.
    """
    write(tmp_path / "month=1")
    plan = plan_of(groups=Groups("month", [1, 2, None]))
    files = ParquetFiles(f"{tmp_path}/", partitions={"month": "integer"})
    before = exact(files, plan, engine)
    assert [row[0] >> 24 for row in before] == [1, 0, 0]
    for at, value in enumerate(ODD, start=1):
        write(tmp_path / f"month={value}")
        after = exact(files, plan, engine)
        assert [row[0] >> 24 for row in after] == [1, 0, at]
        assert after[:2] == before[:2]


@pytest.mark.parametrize("engine", ENGINES)
def test_09_no_message_shows_what_a_folder_says(engine: str, tmp_path: Path) -> None:
    """A file of another schema, and one that cannot be read, are named without it.

    Source: found by reading this code, 2026: messages named files in full.
    """
    write(tmp_path / "person=canary1")
    write(tmp_path / "person=canary2", "other")
    with pytest.raises(DpratioError) as mixed:
        exact(f"{tmp_path}/", plan_of(), engine)
    (tmp_path / "person=canary2" / "rows.parquet").write_bytes(b"no Parquet")
    with pytest.raises(DpratioError) as broken:
        exact(f"{tmp_path}/", plan_of(), engine)
    for refused in (mixed, broken):
        assert "person=…/rows.parquet" in str(refused.value)
        assert "canary" not in said_by(refused.value)
