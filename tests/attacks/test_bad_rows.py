"""Row 8: rows that cannot be read, from the command line."""

import re
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import psycopg
import pytest

from curator.door_for_tests import reading_with
from curator.tables_for_tests import plan_of
from dpratio.cli.main import run
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import SchemaRefused
from dpratio.release.files import read_release
from dpratio.terms.budget import Budget

Told = tuple[object, ...]

STUDY = """
[data]
{data}

[ratio]
numerator = "score"
per = "label"
weight = "weight"

[bounds]
score = [0, 1]
label = "binary"
weight = [1e-30, 1e30]

[groups]
cross = [
  {{ column = "region", keys = [1, 2, 7] }},
  {{ column = "seen", every = "month", first = 2026-01-01, last = 2026-02-28 }},
]

[privacy]
epsilon = 1
"""
GOOD = [("0.5", "1", "1", str(1 + at % 2), f"2026-0{1 + at % 2}-05") for at in range(9)]


BAD_LINES = {
    "text late in a number column": b"text,1,1,1,2026-01-05",
    "a number beyond doubles": b"1e999,1,1,1,2026-01-05",
    "products that vanish": b"5e-324,0,1e-400,1,2026-01-05",
    "a day that there is not": b"0.5,1,1,1,2026-02-30",
    "a month that there is not": b"0.5,1,1,1,2026-13-01",
    "a year that there is not": b"0.5,1,1,1,0000-01-01",
    "a key beyond 64 bits": b"0.5,1,1,99999999999999999999,2026-01-05",
    "a key that is no number": b"0.5,1,1,one,2026-01-05",
    "a cell too few": b"0.5,1,1,1",
    "a cell too many": b"0.5,1,1,1,2026-01-05,9",
    "a quote that is not closed": b'"0.5,1,1,1,2026-01-05',
    "bytes that are no text": b"0.5,1,1,\xff\xfe,2026-01-05",
    "a long line": b"0.5,1,1,1," + b"9" * 2_000_000,
    "a zero byte": b"0.5,1,1,\x00,2026-01-05",
    "a mark of the engine": b"0.5,1,1,1,2026-01-05\x01",
}


def written_as_csv(folder: Path, bad: list[bytes], copies: int = 300) -> str:
    """Write good lines, and bad ones behind them."""
    good = [",".join(row).encode() for row in GOOD] * copies
    lines = [b"score,label,weight,region,seen", *good, *bad, b""]
    (folder / "rows.csv").write_bytes(b"\n".join(lines))
    return 'path = "rows.csv"'


def written_as_long_csv(folder: Path, bad: list[bytes]) -> str:
    """Put more good lines first than a reader who guesses types would look at."""
    return written_as_csv(folder, bad, copies=3000)


def written_in_german(folder: Path, bad: list[bytes]) -> str:
    """Write what is declared: decimal commas, days before months."""
    good = [[cell.replace(".", ",") for cell in row[:-1]] for row in GOOD] * 300
    lines = [b"score;label;weight;region;seen"]
    lines += [";".join([*row, "5.1.2026"]).encode() for row in good]
    (folder / "rows.csv").write_bytes(b"\n".join([*lines, *bad, b""]))
    return 'path = "rows.csv"\ndelimiter = ";"\ndecimal = ","\ndates = "D.M.YYYY"'


BAD_IN_GERMAN = [
    *(b"0.5;1;1;1;5.1.2026", b"1.000,5;1;1;1;5.1.2026", b"1e9,9;1;1;1;5.1.2026"),
    *(b",;1;1;1;5.1.2026", b"1,e999;1;1;1;5.1.2026", b"text;1;1;1;5.1.2026"),
    *(b"0,5;1;1;1;30.2.2026", b"0,5;1;1;1;1.13.2026", b"0,5;1;1;1;0.0.0000"),
    *(b"0,5;1;1;1;2026-01-05", b"0,5;1;1;1;05.01.26", b"0,5;1;1;1;\xff.1.2026"),
    *(b"0,5;1;1;1;1.2.2026T\xf0", b"0,5;1;1;1;01.002.2026", b"0,5;1;1;1;...."),
]


def stored_in_duckdb(folder: Path, bad: list[tuple[str, ...]]) -> str:
    (folder / "rows.duck").unlink(missing_ok=True)
    with closing(duckdb.connect(str(folder / "rows.duck"))) as connection:
        connection.execute(
            "CREATE TABLE people (score FLOAT, label UTINYINT, weight DECIMAL(38, 10), "
            "region UBIGINT, seen TIMESTAMPTZ)"
        )
        rows = [tuple(f"'{cell}'" for cell in row) for row in GOOD] + bad
        for row in rows:
            connection.execute(f"INSERT INTO people VALUES ({', '.join(row)})")  # noqa: S608
    return 'url = "duckdb:///rows.duck"\ntable = "people"'


DUCKDB_ROWS = [
    ("'nan'", "1", "1", "1", "'2026-01-05'"),
    ("'infinity'", "1", "1", "1", "'2026-01-05'"),
    ("1e-45", "0", "1e-10", "1", "'2026-01-05'"),
    ("0.5", "255", repr(10**27), "1", "'2026-01-05'"),
    ("0.5", "1", "1", "18446744073709551615", "'2026-01-05'"),
    ("0.5", "1", "1", "1", "'infinity'"),
    ("0.5", "1", "1", "1", "'-infinity'"),
    ("0.5", "1", "1", "1", "'290000-01-01'"),
    ("0.5", "1", "1", "1", "'4000-01-01 (BC)'"),
]
POSTGRES_ROWS = [
    ("'nan'", "1", "1", "1", "'2026-01-05'"),
    ("'infinity'", "1", "1", "1", "'2026-01-05'"),
    ("1e-300", "0", "0", "1", "'2026-01-05'"),  # No double holds its square.
    ("0.5", "1", "1e400", "1", "'2026-01-05'"),
    ("0.5", "1", "1e-400", "1", "'2026-01-05'"),
    ("0.5", "1", "'nan'", "1", "'2026-01-05'"),
    ("0.5", "1", "1", "-9223372036854775808", "'2026-01-05'"),
    ("0.5", "1", "1", "1", "'infinity'"),
    ("0.5", "1", "1", "1", "'-infinity'"),
    ("0.5", "1", "1", "1", "'5874897-12-31'"),
    ("0.5", "1", "1", "1", "'4713-01-01 BC'"),
]
Written = Callable[[Path, list[Any]], str]
PLACES: dict[str, tuple[str, Written, list[Any]]] = {
    "a few lines": ("duckdb", written_as_csv, list(BAD_LINES.values())),
    "duckdb": ("duckdb", written_as_long_csv, list(BAD_LINES.values())),
    "duckdb, in German": ("duckdb", written_in_german, BAD_IN_GERMAN),
    "a file of DuckDB": ("ibis", stored_in_duckdb, DUCKDB_ROWS),
}


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str, str], Told]:
    """Run a release from the command line, and give all that it tells but its noise."""
    monkeypatch.chdir(tmp_path)

    def tell(data: str, engine: str) -> Told:
        Path("study.toml").write_text(STUDY.format(data=data), encoding="utf-8")
        Path("release.json").unlink(missing_ok=True)
        words = ["release", "study.toml", "-o", "release.json", "--no-ledger"]
        monkeypatch.setattr(sys, "argv", ["dpratio", *words])
        capfd.readouterr()
        with reading_with(engine), pytest.raises(SystemExit) as stopped:
            run()
        printed = re.sub("[0-9a-f]{32}", "", "\n".join(capfd.readouterr()))
        files = sorted(each.name for each in tmp_path.iterdir())
        shapes = [
            (question.keys, question.values.shape)
            for path in tmp_path.glob("release.json")
            for question in read_release(path).questions
        ]
        return stopped.value.code, printed, shapes, files

    return tell


@pytest.mark.parametrize("place", PLACES)
def test_08_bad_cells_change_neither_shape_nor_message_nor_exit_code(
    place: str, told: Callable[[str, str], Told], tmp_path: Path
) -> None:
    """With bad cells a release ends and looks as it does without them.

    Source: opendp/opendp issue 2580, Justify ignore_errors=True; Haeberlen, Pierce &
    Narayan (2011), Differential privacy under fire.
    More: tests/curator/test_bad_cells.py,
    tests/curator/sql/test_postgres.py
    """
    engine, write, bad = PLACES[place]
    without = told(write(tmp_path, []), engine)
    assert without[0] == 0
    assert told(write(tmp_path, bad), engine) == without


def test_08_bad_cells_of_a_server_change_nothing_either(
    told: Callable[[str, str], Told], postgres_url: str
) -> None:
    """Products that vanish are errors of PostgreSQL, and so are decimals too large.

    Source: opendp/opendp issue 2580, Justify ignore_errors=True.
    More: tests/curator/sql/test_postgres.py
    """
    data = f'url = "{postgres_url}"\ntable = "public.people"'
    good = [tuple(f"'{cell}'" for cell in row) for row in GOOD]
    answers = []
    for rows in (good, good + POSTGRES_ROWS):
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS people")
            connection.execute(
                "CREATE TABLE people (score double precision, label smallint, "
                "weight numeric, region bigint, seen date)"
            )
            for row in rows:
                inserted = f"INSERT INTO people VALUES ({', '.join(row)})"  # noqa: S608
                connection.execute(inserted.encode())
        answers.append(told(data, "ibis"))
    assert answers[0][0] == 0
    assert answers[1] == answers[0]


SCANS: dict[str, Callable[[str], object]] = {
    "lazy frame": pl.scan_parquet,
    "relation": duckdb.read_parquet,
    "relation by name": lambda path: duckdb.read_parquet(path, union_by_name=True),
    "query": lambda path: duckdb.sql(f"SELECT * FROM '{path}'"),  # noqa: S608
}


@pytest.mark.parametrize("scan", SCANS)
def test_08_text_in_a_later_file_stops_nothing_that_was_charged(
    scan: str, tmp_path: Path
) -> None:
    """What a later file says of its columns is read before the charge, as of the first.

    Source: a data engineer's trial of this code, 2026 (it stopped after the charge, and
    on DuckDB only where a text was no number).
    More: tests/curator/reading/test_lazy_frames.py.
    """
    for at, cell in enumerate((0.5, "0.5")):
        frame = pl.DataFrame({"score": [cell], "label": [1]})
        frame.write_parquet(tmp_path / f"{at}.parquet")
    book = Ledger(tmp_path / "budget.db")
    book.open_scope(Scope("people", Budget(9)))
    table = SCANS[scan](str(tmp_path / "*.parquet"))
    with pytest.raises(SchemaRefused, match="differs from that of"):
        release_sums(table, plan_of(), ledger=book)
    assert book.account().seq == 0
