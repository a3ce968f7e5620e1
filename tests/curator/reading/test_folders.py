"""Folders of Parquet files, and the columns that their names hold."""

import datetime as dt
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import ENGINES, exact, plan_of
from dpratio.curator.reading.files import find_parquet, values_of
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.groups import Groups, Key
from dpratio.terms.source import ParquetFiles

KINDS = {"region": "text", "month": "integer", "day": "date", "paid": "boolean"}
FOLDERS: dict[str, tuple[Any, ...]] = {
    "region=north/month=03/day=2026-03-01/paid=true": ("north", 3, "2026-03-01", True),
    "region=s%C3%BCd%20%2F/month=-7/day=2026-02-30/paid=FALSE": ("süd /", -7, None, 0),
    "region=__HIVE_DEFAULT_PARTITION__/month=x/day=today/paid=1": (None,) * 4,
    "region=it's [a] {b} 50%/month=9999999999999999999": (
        "it's [a] {b} 50%",
        *[None] * 3,
    ),
    "region=%ff/month=/other=1": (None,) * 4,
    "region=x/region=north/month=3": ("north", 3, None, None),
    "plain": (None,) * 4,
}


def write(path: Path, *, rows: int = 1, **columns: Any) -> None:  # noqa: ANN401
    path.parent.mkdir(parents=True, exist_ok=True)
    held = {"score": [0.5] * rows, "label": [1] * rows, **columns}
    pq.write_table(pa.table(held), path)


def lake(folder: Path) -> dict[str, list[Any]]:
    """A folder of files, and the same rows in lists."""
    rows: dict[str, list[Any]] = {name: [] for name in ("score", "label", *KINDS)}
    for at, (name, (region, month, day, paid)) in enumerate(FOLDERS.items()):
        write(folder / name / "a b.parquet", rows=at + 1)
        told = (
            *(0.5, 1, region, month),
            None if day is None else dt.date.fromisoformat(day),
            None if paid is None else bool(paid),
        )
        for column, value in zip(rows, told, strict=True):
            rows[column] += [value] * (at + 1)
    return rows


KEYS: dict[str, list[Key]] = {
    "region": ["north", "süd /", "it's [a] {b} 50%", None],
    "month": [3, -7, None],
    "day": [dt.date(2026, 3, 1), None],
    "paid": [True, False, None],
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("column", KEYS)
def test_folders_name_keys_of_their_declared_type(
    column: str, engine: str, tmp_path: Path
) -> None:
    """No row is lost or doubled, and what is none of its type is missing."""
    rows = lake(tmp_path)
    files = ParquetFiles(f"{tmp_path}/", partitions=KINDS)
    plan = plan_of(groups=Groups(column, KEYS[column]))
    found = exact(files, plan, engine)
    assert found == exact(rows, plan, "python")
    assert sum(row[0] for row in found) == sum(range(1, 8)) << 24


@pytest.mark.parametrize("engine", ENGINES)
def test_files_that_only_pyarrow_reads_have_the_same_keys(
    engine: str, tmp_path: Path
) -> None:
    """And those whose text is mended, with DuckDB."""
    for at, region in enumerate(["north", "south"]):
        days = pa.array([0] * (at + 1), pa.timestamp("ms"))
        write(tmp_path / f"region={region}" / "a.parquet", rows=at + 1, day=days)
    files = ParquetFiles(f"{tmp_path}/*/*.parquet", partitions={"region": "text"})
    day = Groups.cross(
        *Groups("region", ["north", "south"]).dimensions,
        *Groups("day", [dt.date(1970, 1, 1)]).dimensions,
    )
    sums = exact(files, plan_of(groups=day), engine)
    assert [row[0] >> 24 for row in sums] == [1, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_broken_text_beside_folders_is_missing(engine: str, tmp_path: Path) -> None:
    offsets = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (0, 1, 2)))
    text = pa.Array.from_buffers(
        pa.string(), 2, [None, offsets, pa.py_buffer(b"a\xff")]
    )
    write(tmp_path / "region=north" / "a.parquet", rows=2, word=text)
    files = ParquetFiles(f"{tmp_path}/", partitions={"region": "text"})
    cells = [("north", "a"), ("north", None), (None, None)]
    plan = plan_of(groups=Groups(["region", "word"], cells))
    assert [row[0] >> 24 for row in exact(files, plan, engine)] == [1, 1, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_folders_have_no_say_unless_declared(engine: str, tmp_path: Path) -> None:
    """A column of a file keeps its cells, whatever its folder says."""
    write(tmp_path / "region=north" / "a.parquet", region=["south"])
    plan = plan_of(keys=["north", "south"])
    assert exact(f"{tmp_path}/", plan, engine)[0][0] == 0
    files = ParquetFiles(f"{tmp_path}/", partitions={"Region": "text"})
    with pytest.raises(SchemaRefused, match="'Region' is declared under partitions"):
        exact(files, plan, engine)
    write(tmp_path / "region=north" / "a.parquet", month=[1])
    with pytest.raises(SchemaRefused, match="'region' is not in the table"):
        exact(f"{tmp_path}/", plan, engine)
    numbers = ParquetFiles(f"{tmp_path}/", partitions={"region": "integer"})
    with pytest.raises(SchemaRefused, match="a column of text keys was declared"):
        exact(numbers, plan, engine)


def test_what_writers_hide_is_not_read(tmp_path: Path) -> None:
    for name in (
        "a.parquet",
        "_b/c.parquet",
        ".b/c.parquet",
        "_d.parquet",
        ".d.parquet",
    ):
        write(tmp_path / "x.parquet" / name)
    write(tmp_path / "x.parquet" / "_e=1" / "f.parquet")
    (tmp_path / "x.parquet" / "_SUCCESS").write_text("")
    (tmp_path / "x.parquet" / "a.parquet.crc").write_text("")
    found = find_parquet(str(tmp_path / "x.parquet"))
    assert [Path(each).name for each in found] == ["f.parquet", "a.parquet"]


def test_a_file_is_read_once_and_links_to_folders_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "lake" / "a" / "x.parquet")
    os.link(tmp_path / "lake/a/x.parquet", tmp_path / "lake/a/y.parquet")
    (tmp_path / "lake/z.parquet").symlink_to(tmp_path / "lake/a/x.parquet")
    assert len(find_parquet(f"{tmp_path}/lake/")) == 1
    (tmp_path / "lake" / "b=secret").symlink_to(tmp_path / "lake" / "a")
    with pytest.raises(FileRefused, match="a link to another folder") as refused:
        find_parquet(f"{tmp_path}/lake/")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_folders_without_files_and_mixed_files_are_refused(
    engine: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileRefused, match=r"no \.parquet file is in the folder"):
        exact(f"{tmp_path}/empty/", plan_of(), engine)
    with pytest.raises(FileRefused, match="no file at"):
        exact(f"{tmp_path}/nowhere/", plan_of(), engine)
    write(tmp_path / "lake" / "region=canary" / "a.parquet")
    write(tmp_path / "lake" / "region=canary2" / "b.parquet", other=[1])
    with pytest.raises(SchemaRefused, match=r"region=…/b\.parquet' differs") as refused:
        exact(f"{tmp_path}/lake/", plan_of(), engine)
    assert "canary" not in str(refused.value)


def test_a_key_is_read_by_its_declared_type_alone() -> None:
    name = "a/month=03/x=1/month=4/a.parquet"
    assert values_of(name, (("month", "integer"), ("x", "text"))) == (4, "1")
    assert values_of("month=3.parquet", (("month", "integer"),)) == (None,)
    assert values_of("a/b\udcff=1/c=\udcff/x", (("c", "text"),)) == (None,)
