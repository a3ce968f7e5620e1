"""Variables are put in where a source is read, and taken out of every message."""

from pathlib import Path

import pytest

from curator.tables_for_tests import exact, plan_of
from dpratio.curator.reading.variables import as_written, resolved
from dpratio.errors import FileRefused, InvalidInput
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles

ROWS = "score,label\n0.5,1\n0.25,0\n"


@pytest.fixture(autouse=True)
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text(ROWS, encoding="utf-8")
    monkeypatch.setenv("LAKE", str(tmp_path))
    monkeypatch.delenv("NOTHING", raising=False)


def test_files_are_read_where_a_variable_says(tmp_path: Path) -> None:
    for engine in ("python", "duckdb"):  # the specification, too
        found = exact(CsvFile("${LAKE}/*.csv"), plan_of(), engine)
        assert found == exact(CsvFile(tmp_path / "a.csv"), plan_of(), engine)
    declared = CsvFile("${LAKE}/a.csv", columns=["a"], delimiter=";", quote="")
    assert resolved(declared) == CsvFile(
        tmp_path / "a.csv", columns=["a"], delimiter=";", quote=""
    )
    plain = CsvFile("a.csv")
    assert resolved(plain) == plain
    named = ParquetFiles("${LAKE}/b/", partitions={"year": "text"})
    assert resolved(named) == ParquetFiles(
        f"{tmp_path}/b/", partitions={"year": "text"}
    )
    with pytest.raises(FileRefused, match=r"no file at '\$\{LAKE\}/b/'"):
        exact(named, plan_of(keys=["a"]), "duckdb")


def test_a_path_of_a_cluster_may_begin_with_a_variable(tmp_path: Path) -> None:
    found = resolved(DatabaseTable("spark://a:1", path="${LAKE}/x"))
    assert isinstance(found, DatabaseTable)
    assert (found.path, found.scheme) == (f"{tmp_path}/x", "spark")


def test_a_variable_that_is_not_set_is_refused_by_its_name() -> None:
    for source in (
        ParquetFiles("${NOTHING}/a.parquet"),
        DatabaseTable("${NOTHING}", table="t"),
    ):
        with pytest.raises(
            InvalidInput, match="the variable NOTHING, which is not set"
        ):
            resolved(source)


def test_a_message_without_a_value_stays_as_it_is(tmp_path: Path) -> None:
    def stop(error: FileRefused) -> None:
        raise error

    error = FileRefused("there is none.")
    with pytest.raises(FileRefused) as refused:
        as_written("${LAKE}/a.csv", lambda: stop(error))
    assert refused.value is error
    quoting = FileRefused(f"no file at '{tmp_path}/a.csv'")
    with pytest.raises(FileRefused, match=r"no file at '\$\{LAKE\}/a\.csv'"):
        as_written("${LAKE}/a.csv", lambda: stop(quoting))


def test_a_variable_that_holds_no_address_is_refused_by_its_name() -> None:
    with pytest.raises(InvalidInput, match="the variable LAKE must hold the address"):
        resolved(DatabaseTable("${LAKE}", table="t"))
