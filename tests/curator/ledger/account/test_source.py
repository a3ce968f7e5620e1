"""The source of a table: as it was written, and where it lies."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dpratio.curator.ledger.account.place import Place
from dpratio.curator.ledger.account.source import (
    Source,
    meant_source,
    named_source,
    salted_hash,
    source_of,
    written_source,
)
from dpratio.curator.ledger.account.source_description import SourceDescription
from dpratio.curator.sql.table import Origin
from dpratio.errors import InvalidInput
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles

TABLE = {"s": [0.5], "y": [1]}
DIALECT = '[",", "\\"", null]'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data, a link to it, and where commands run."""
    (tmp_path / "data").mkdir()
    for name in ("a.csv", "b.parquet", "book.db"):
        (tmp_path / "data" / name).touch()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def found(table: object, named: object = None, origin: Origin | None = None) -> Source:
    source = source_of(table, named, origin=origin)
    assert source is not None
    return source


def place(table: object, origin: Origin | None = None) -> Place:
    return found(table, origin=origin).place


# --- Tables in memory -----------------------------------------------------------------


@pytest.mark.parametrize("table", [TABLE, pd.DataFrame(TABLE)])
def test_a_table_in_memory_is_what_it_is_called(table: object) -> None:
    assert source_of(table) is None
    assert found(table, "Orders").written == SourceDescription(name="Orders")
    assert found(table, "Orders").place == found(table, "orders").place
    assert found(table, "Orders") == named_source("Orders") == meant_source("Orders")


@pytest.mark.parametrize("named", ["a.csv", CsvFile("a.csv"), 7])
def test_a_table_in_memory_is_no_file(named: object) -> None:
    with pytest.raises(InvalidInput, match="must have a name of its own"):
        source_of(TABLE, named)


def test_what_no_engine_reads_has_no_source() -> None:
    with pytest.raises(InvalidInput, match="of a kind no engine reads"):
        source_of(7)


@pytest.mark.parametrize("given", [None, 7, TABLE])
def test_an_approval_names_a_source(given: object) -> None:
    for ask in (written_source, meant_source):
        with pytest.raises(InvalidInput, match="a source is a path, a table of a data"):
            ask(given)


def test_a_name_stands_for_itself() -> None:
    with pytest.raises(InvalidInput, match="a name must not stand for another source"):
        meant_source("orders", "a.csv")


# --- Files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("data/a.csv", "data/a.csv"),
        ("link/a.csv", "data/a.csv"),
        ("link/../data/a.csv", "data/a.csv"),
        ("./data//*.csv", "data/*.csv"),
        ("link/*.csv", "data/*.csv"),
        ("link/2026/x-*.csv", "data/2026/x-*.csv"),
        ("link/{period}/**/a.csv", "data/{period}/**/a.csv"),
        ("*.csv", "*.csv"),
    ],
)
def test_the_fixed_folder_of_a_pattern_is_resolved(
    path: str, real: str, folder: Path
) -> None:
    wanted = Place("files", (f"{folder}/{real}",), declared=DIALECT)
    assert place(path) == wanted
    assert place(folder / path) == wanted
    assert found(path).written.path == path


def test_a_file_with_a_star_in_its_name_is_that_file(folder: Path) -> None:
    (folder / "a*.csv").symlink_to(folder / "data" / "a.csv")
    assert place("a*.csv").names == (f"{folder}/data/a.csv",)


def test_a_pattern_of_the_root_stays_there() -> None:
    assert place("/*.parquet").names == ("/*.parquet",)


def test_a_path_that_no_system_has_is_left_as_it_is() -> None:
    assert place("a\0b.csv").names == ("a\0b.csv",)
    remote = DatabaseTable("spark://h:7077", path="hdfs://h/../d/*")
    assert place(remote) == Place("files", ("hdfs://h/../d/*",))


def test_a_pattern_does_not_lead_up_again() -> None:
    with pytest.raises(InvalidInput, match="must not lead up again after a wildcard"):
        place("data/*/../../other/*.csv")


def test_names_of_columns_and_the_dialect_are_part_of_a_place() -> None:
    given = CsvFile("a.csv", columns=["id", "x"], delimiter=";", quote="")
    assert place(given).declared == '[";", "", ["id", "x"]]'
    assert place("a.parquet").declared == ""


# --- As the study has it --------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "named", "real"),
    [
        ("data/a.csv", "a.csv", "data/a.csv"),
        ("data/a.csv", "./a.csv", "data/a.csv"),
        ("data/a.csv", "data/a.csv", "data/a.csv"),
        ("link/../data/a.csv", "../data/a.csv", "data/a.csv"),
        ("link/a.csv", CsvFile("a.csv"), "data/a.csv"),
        ("link/x/2026-01.csv", "x/{period}.csv", "data/x/{period}.csv"),
        ("data/2026-01/a.csv", "{period}/a.csv", "data/{period}/a.csv"),
        ("data/w2026-01.csv", "w{period}.csv", "data/w{period}.csv"),
    ],
)
def test_a_study_may_lie_in_another_folder(
    table: str, named: object, real: str, folder: Path
) -> None:
    source = found(table, named)
    assert source.written == written_source(named)
    assert source.place.names == (f"{folder}/{real}",)
    assert meant_source(table, named) == source


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("data/a.csv", "b.csv"),
        ("data/xa.csv", "a.csv"),
        ("data/a.csv", "orders"),
        ("data/a.csv", "a.parquet"),
        ("data/a.csv", CsvFile("a.csv", delimiter=";")),
        ("data/a.csv", CsvFile("a.csv", columns=["x"])),
        ("data/a.csv", CsvFile("a.csv", decimal=",")),
        ("data/a.csv", CsvFile("a.csv", dates="D.M.YYYY")),
        ("data/x/y.csv", "data/{period}.csv"),
        ("data/.csv", "data/{period}.csv"),
        ("data/2026 01.csv", "data/{period}.csv"),
        ("data/2026.csv", "data/{period}1.csv"),
        ("data/2026.csv", "x/{period}.csv"),
        ("data/a/", "data/{period}a/"),
        (DatabaseTable("duckdb:///a.db", table="t"), "a.db.csv"),
        (
            DatabaseTable("duckdb:///a.db", table="t"),
            DatabaseTable("duckdb:///a.db", table="u"),
        ),
        (
            DatabaseTable("postgres://h/d", table="t"),
            DatabaseTable("postgres://i/d", table="t"),
        ),
    ],
)
def test_another_source_than_the_one_that_is_read_is_refused(
    table: object, named: object
) -> None:
    with pytest.raises(InvalidInput, match="the source must be the table that is read"):
        source_of(table, named)


def test_a_database_in_a_file_may_be_named_from_the_study(folder: Path) -> None:
    named = DatabaseTable("duckdb:///book.db", table="t")
    source = found(replace(named, url="duckdb:///link/book.db"), named)
    assert source.written.database == "book.db"
    assert source.place == Place(f"file:{folder}/data/book.db", ("t",))


# --- Databases ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("postgres://DB/credit", "postgresql://db:5432/credit"),
        ("postgresql://ann:pw@db:77/credit", "postgresql://db:77/credit"),
        ("postgres://127.0.0.1/credit", "postgresql://localhost:5432/credit"),
        ("postgres://[::1]:77/credit", "postgresql://localhost:77/credit"),
        ("postgres:///credit?host=/run/pg", "postgresql://localhost:5432/credit"),
        ("postgres://db", "postgresql://db:5432/"),
        ("spark://Master:7077", "spark://master:7077"),
        ("spark://local[*]", "spark://local"),
    ],
)
def test_a_server_is_known_by_host_port_and_database(url: str, where: str) -> None:
    table = DatabaseTable(url, table="public.loans")
    assert place(table) == Place(where, ("public", "loans"))


def test_what_the_database_says_comes_before_what_is_written() -> None:
    origin = Origin(("Real.Host", "77", "real"), ("public", "loans"))
    table = DatabaseTable("postgres://alias/credit", table="loans")
    wanted = ("loans",), ("public", "loans")
    assert place(table, origin) == Place("postgresql://real.host:77/real", *wanted)


def test_a_session_lies_where_its_cluster_does() -> None:
    origin = Origin(("master:7077", "", ""), ())
    active = DatabaseTable("spark://active", table="a.loans")
    named = DatabaseTable("spark://Master:7077", table="a.loans")
    assert place(active, origin) == place(named, origin) == place(named)
    assert place(active).where == "spark://active"


# --- What leaves ----------------------------------------------------------------------


def test_the_hash_of_a_source_tells_nothing_without_its_salt() -> None:
    written: Any = written_source("a.csv")
    first, second = (salted_hash(written, salt) for salt in ("0", "1"))
    assert first != second
    assert first == salted_hash(written_source("a.csv"), "0")
    assert first != salted_hash(written_source("b.csv"), "0")
    assert len(first) == 64
    assert os.fspath("a.csv") not in first


def test_a_folder_is_bound_with_the_columns_that_it_names(folder: Path) -> None:
    plain = found("data/")
    assert plain.place == Place("files", (f"{folder}/data",))
    declared = ParquetFiles("data/", partitions={"year": "integer"})
    bound = found(declared)
    assert bound.place == Place(
        "files", (f"{folder}/data",), declared='["year=integer"]'
    )
    assert bound.written == written_source(declared)
    seen = ParquetFiles(f"{folder}/data/", partitions={"year": "integer"})
    assert found(seen, declared) == bound
