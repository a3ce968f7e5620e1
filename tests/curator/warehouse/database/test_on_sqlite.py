"""What only SQLite can hold: any cell in any column."""

import datetime as dt
import math
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from curator.groups_for_tests import by, counts
from curator.holders_for_tests import found_by, rule_of
from curator.people_for_tests import REGIONS, people
from curator.tables_for_tests import asked, exact, plan_of
from curator.warehouse.hosts import Sqlite
from curator.warehouse.laws import hold
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.statement import KeyCount
from dpratio.errors import SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import ScoreBins

CELLS = [
    *[None, 0, 1, 2, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 1.0, 0.5, 1 / 3, 5e-324],
    *[math.inf, -math.inf, 1e308, "", "a", "A", "1", "0.5", " 1", "1e5", "NaN", "true"],
    *["2026-01-31", "2026-01-31 23:59", "x\x00y", "é", b"", b"a", b"1", b"\xff"],
]
# In these columns any cell stays what it is, or becomes a number of its own.
NUMBERS = ["REAL", "DOUBLE", "FLOAT", "INTEGER", "BIGINT", "DECIMAL(9, 2)", "BOOLEAN"]


def held(sqlite: Sqlite, name: str) -> list[Any]:
    """The cells of a column as SQLite holds them; text that is no UTF-8 as bytes."""
    asked_for = f'SELECT typeof("{name}"), CAST("{name}" AS BLOB), "{name}" FROM rows'  # noqa: S608
    connection = sqlite.backend.con
    before, connection.text_factory = connection.text_factory, bytes
    found = connection.execute(asked_for).fetchall()
    connection.text_factory = before
    return [_text_or(blob) if kind == b"text" else cell for kind, blob, cell in found]


def _text_or(blob: bytes) -> str | bytes:
    try:
        return blob.decode()
    except UnicodeDecodeError:
        return blob


def mapping(sqlite: Sqlite) -> dict[str, list[Any]]:
    columns = sqlite.backend.con.execute("SELECT * FROM rows").description
    return {name: held(sqlite, name) for name, *_ in columns}


@pytest.mark.parametrize("kind", NUMBERS)
def test_any_cell_in_a_number_column_is_a_number_or_drops_its_row(
    kind: str, sqlite: Sqlite
) -> None:
    many = len(CELLS)
    columns = {"score": kind, "label": "REAL", "region": "INTEGER"}
    loaded = sqlite.cells(columns, zip(CELLS, [1.0] * many, range(many), strict=True))
    for far in (1.0, 2.0**64):
        plan = plan_of(Bounds(-far, far), keys=range(many))
        expected = exact(mapping(sqlite), plan, "python")
        assert exact(loaded, plan, "ibis") == expected


@pytest.mark.parametrize("kind", ["TEXT", "INTEGER"])
def test_any_cell_in_a_column_of_keys_or_ids_is_one_or_none(
    kind: str, sqlite: Sqlite
) -> None:
    columns = {"score": "REAL", "label": "REAL", "region": kind, "id": kind}
    loaded = sqlite.cells(columns, [(0.5, 1.0, each, each) for each in CELLS])
    plain = mapping(sqlite)
    keys: list[Any] = ["a", "1", "", "é", None] if kind == "TEXT" else [0, 1, 2, None]
    plan = plan_of(keys=keys)
    assert exact(loaded, plan, "ibis") == exact(plain, plan, "python")
    for plan in (people(weighted=False, keys=None), people(weighted=False, keys=keys)):
        assert exact(loaded, plan, "ibis") == exact(plain, plan, "python")
    for unit in (None, rule_of(1)):
        asked_for = KeyCount("region", "text" if kind == "TEXT" else "integer", unit)
        found = found_by(loaded, asked_for, "ibis")
        assert found == found_by(plain, asked_for, "python")


def test_any_cells_in_any_columns_have_the_integers_of_the_specification(
    sqlite: Sqlite,
) -> None:
    cell = st.sampled_from(CELLS)

    def law(rows: list[tuple[Any, ...]], kinds: list[str], keys: list[Any]) -> None:
        names = ("score", "label", "weight", "region", "id")
        text_or_whole = "TEXT" if isinstance(keys[0], str) else "INTEGER"
        types = [*kinds, text_or_whole, "TEXT" if len(rows) % 2 else "INTEGER"]
        loaded = sqlite.cells(dict(zip(names, types, strict=True)), rows)
        plain = mapping(sqlite)
        plans = [
            plan_of(Bounds(-1, 1), Bounds(0, 1), Bounds(0, 2), keys=keys),
            people(keys=keys, most_groups=1),
        ]
        for plan in plans:
            assert exact(loaded, plan, "ibis") == exact(plain, plan, "python")

    hold(
        law,
        sqlite,
        8,
        rows=st.lists(st.tuples(*[cell] * 5), min_size=1, max_size=12),
        kinds=st.lists(st.sampled_from(NUMBERS), min_size=3, max_size=3),
        keys=st.sampled_from([["a", "1", None], ["A", "a", "é"], [1, 0, 7, None]]),
    )


def test_text_that_is_not_utf8_is_a_missing_key_and_no_id(sqlite: Sqlite) -> None:
    columns = {"score": "REAL", "label": "REAL", "region": "TEXT", "id": "TEXT"}
    loaded = sqlite.cells(columns, [(0.5, 1.0, "a", "x"), (0.5, 1.0, "b", "y")])
    connection = sqlite.backend.con
    connection.execute(
        "INSERT INTO rows VALUES (0.5, 1.0, CAST(X'ff61' AS TEXT), 'x'), "
        "(0.5, 1.0, 'a', CAST(X'ff' AS TEXT)), (0.5, 1.0, CAST(X'61ff' AS TEXT), "
        "CAST(X'c3' AS TEXT)), (0.5, 1.0, 'x\x01', 'x')"
    )
    connection.commit()
    assert counts(loaded, plan_of(keys=["a", None]), "ibis") == [2, 2]
    plain = mapping(sqlite)
    for plan in (people(keys=None, weighted=False), people(weighted=False)):
        plain_ids = {
            **plain,
            "id": [each if isinstance(each, str) else None for each in plain["id"]],
        }
        assert exact(loaded, plan, "ibis") == exact(plain_ids, plan, "python")
    for unit, expected in [(None, {"a": 2, "b": 1, "x\x01": 1}), (rule_of(9), None)]:
        found = found_by(loaded, KeyCount("region", "text", unit), "ibis")
        assert found == (expected or {"a": 1, "b": 1, "x\x01": 1})


def test_a_collation_that_ignores_case_is_not_asked(sqlite: Sqlite) -> None:
    """A row in two groups, or two people in one, would move what nobody paid for."""
    nocase, trimmed = "TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM"
    columns = {"score": "REAL", "label": "REAL", "region": nocase, "id": nocase}
    rows = [(0.5, 1.0, "north", "ann"), (0.5, 1.0, "NORTH", "ANN"), (1.0, 1.0, "x", "")]
    for kind in (nocase, trimmed):
        loaded = sqlite.cells({**columns, "region": kind, "id": kind}, rows)
        keys = ["north", "NORTH", "north "]
        assert counts(loaded, plan_of(keys=keys), "ibis") == [1, 1, 0]
        plan = people(weighted=False, keys=None)
        assert exact(loaded, plan, "ibis") == exact(mapping(sqlite), plan, "python")
        found = found_by(loaded, KeyCount("region", "text", rule_of(1)), "ibis")
        assert found == {"north": 1, "NORTH": 1, "x": 1}


DATES = [
    *["2026-01-31", "2026-01-31 23:59:59", "2026-01-31T23:59:59+09:00", "2026-02-30"],
    *["0000-05-05", "12026-01-31", " 2026-01-31", "٢٠٢٦-01-31", "", "x", 20260131, 0.5],
    *[b"2026-01-31", None, "0001-01-01", "9999-12-31", "2026-01-31x"],
]


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "DATETIME"])
def test_a_date_is_text_that_says_so(kind: str, sqlite: Sqlite) -> None:
    columns = {"score": "REAL", "label": "REAL", "region": kind}
    loaded = sqlite.cells(columns, [(0.5, 1.0, each) for each in DATES])
    day = dt.date(2026, 1, 31)
    keys = [day, dt.date.min, dt.date.max, None]
    found = counts(loaded, plan_of(keys=keys), "ibis")
    assert found == [3, 1, 1, len(DATES) - 5]
    held_by = found_by(loaded, KeyCount("region", "date", None), "ibis")
    assert held_by == {day: 3, dt.date.min: 1, dt.date.max: 1}


def test_bounds_and_edges_are_the_doubles_that_were_declared(sqlite: Sqlite) -> None:
    """SQLite reads the text of this edge as the double above it."""
    edge = 47812908.68293963
    loaded = sqlite.cells({"score": "REAL", "label": "REAL"}, [(edge, 1.0)])
    bins = ScoreBins("score", [0.0, edge, 1e8])
    assert counts(loaded, by(bins, score=Bounds(0, 1e8)), "ibis") == [0, 1]


def test_a_truth_is_one_or_zero(sqlite: Sqlite) -> None:
    cells = [1, 0, 2, -1, 0.5, "x", b"\x01", None, True, False]
    columns = {"score": "REAL", "label": "REAL", "region": "BOOLEAN"}
    loaded = sqlite.cells(columns, [(0.5, 1.0, each) for each in cells])
    assert counts(loaded, plan_of(keys=[True, False]), "ibis") == [2, 2]
    assert counts(loaded, plan_of(keys=[None, True]), "ibis") == [6, 2]
    found = found_by(loaded, KeyCount("region", "boolean", None), "ibis")
    assert found == {True: 2, False: 2}


def test_a_database_of_another_encoding_is_refused(tmp_path: Path) -> None:
    backend = ibis.sqlite.connect(tmp_path / "wide.db")
    backend.con.execute("PRAGMA encoding = 'UTF-16le'")
    backend.con.execute("CREATE TABLE rows (score REAL, label REAL)")
    with pytest.raises(SchemaRefused) as refused:
        open_table(backend.table("rows"), asked(plan_of()), "ibis")
    backend.con.close()
    assert str(refused.value) == (
        "the database is encoded in UTF-16le; ids and keys are read as UTF8. "
        "Copy the table into a database with that encoding."
    )


def test_a_database_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "rows.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE rows (score REAL, label REAL, region TEXT)")
        connection.execute("INSERT INTO rows VALUES (0.5, 1, 'a')")
    connection.close()
    backend = ibis.sqlite.connect(f"file:{path}?mode=ro")
    found = counts(backend.table("rows"), plan_of(keys=["b", "a"]), "ibis")
    backend.con.close()
    assert found == [0, 1]


def test_many_rows_of_one_person_count_as_one(sqlite: Sqlite) -> None:
    columns = {"score": "REAL", "label": "REAL", "region": "TEXT", "id": "INTEGER"}
    loaded = sqlite.cells(columns, [])
    sqlite.backend.con.execute(
        "INSERT INTO rows WITH RECURSIVE many(at) AS (SELECT 0 UNION ALL "
        "SELECT at + 1 FROM many WHERE at < 20000) SELECT 0.5, 1.0, "
        "substr('abcd', at % 4 + 1, 1), at >= 4 FROM many"
    )
    sqlite.backend.con.commit()
    few = {
        "score": [0.5] * 999,
        "label": [1.0] * 999,
        "region": [REGIONS[at % 4] for at in range(999)],
        "id": [int(at >= 4) for at in range(999)],
    }
    plan = people(weighted=False, most_groups=2)
    assert exact(loaded, plan, "ibis") == exact(few, plan, "python")


def test_whole_numbers_in_a_column_of_any_type_become_doubles(sqlite: Sqlite) -> None:
    """Multiplied as whole numbers they would keep bits that doubles do not have."""
    backend = sqlite.backend
    sqlite.cells({"score": "INTEGER", "label": "REAL"}, [(2**53 + 1, 1.0)])
    backend.con.execute("DROP VIEW IF EXISTS seen")
    backend.con.execute("CREATE VIEW seen AS SELECT score, label FROM rows")
    table = pa.table({"score": [2**53 + 1], "label": [1.0]})
    plan = plan_of(Bounds(0, 2.0**54))
    assert exact(backend.table("seen"), plan, "ibis") == exact(table, plan, "python")
