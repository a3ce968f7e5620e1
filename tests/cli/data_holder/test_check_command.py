"""`dpratio check`: whether a release would start, for nothing."""

import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from cli.commands_for_tests import STUDY, Call, is_refused
from dpratio.cli.studies import as_written, condition_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import InvalidInput
from dpratio.terms.source import CsvFile, ParquetFiles
from dpratio.terms.study_file import parse_study

DATABASE = """[data]
url = "duckdb:///people.db"
table = "people"
where = [["day", ">=", "2026-11-09"]]
"""


def test_a_study_is_checked_with_the_schema_of_its_data(
    folder: Path, call: Call
) -> None:
    before = (folder / "dpratio.db").read_bytes()
    code, said, _ = call("check", "study.toml")
    assert code == 0
    assert [line.split() for line in said.splitlines()[-6:-4]] == [
        ["score", "CSV", "text", "numbers"],
        ["label", "CSV", "text", "numbers"],
    ]
    assert "would admit it, at epsilon 2, delta 0." in said
    assert said.rstrip().endswith("Nothing was charged, and no row was read.")
    assert (folder / "dpratio.db").read_bytes() == before
    code, said, _ = call("check", "study.toml", "--no-ledger")
    assert (code, "No ledger was asked." in said) == (0, True)
    code, said, _ = call("check", "study.toml", "--format", "json")
    assert [row["column"] for row in json.loads(said)] == ["score", "label"]


def test_a_table_of_a_database_is_checked_with_its_window(
    folder: Path, call: Call
) -> None:
    with duckdb.connect(folder / "people.db") as own:
        own.execute("CREATE TABLE people (score REAL, label INTEGER, day DATE)")
    study = STUDY.replace('[data]\npath = "people.csv"\n', DATABASE)
    (folder / "study.toml").write_text(study, encoding="utf-8")
    assert call("check", "study.toml")[0] == 0
    (folder / "bad.toml").write_text(study.replace('["day"', '["abs(day)"'), "utf-8")
    done = call("check", "bad.toml")
    assert is_refused(done, 4, "the column 'abs(day)', which is not in the table")
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    words = ("check", "plan.json", "--data", "duckdb:///people.db")
    assert call(*words, "--table", "people")[0] == 0
    assert Ledger("dpratio.db").account().spent.loss == 0


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ("people.csv", "nobody.csv", ()),
        ('numerator = "score"', 'numerator = "points"', ()),
        ("epsilon = 2", "epsilon = 200", ()),
        ("epsilon = 2", 'epsilon = 2\nscope = "other"', ()),
        ("people.csv", "people.txt", ()),
        ("epsilon", "epsilom", ()),
        ("", "", ("--ledger", "nowhere.db")),
        ("", "", ("--no-ledger", "--scope", "main")),
    ],
)
def test_what_a_release_would_refuse_is_refused_with_the_same_words(
    old: str, new: str, more: tuple[str, ...], folder: Path, call: Call
) -> None:
    text = STUDY.replace(old, new).replace(
        "score = [0, 1]", "score = [0, 1]\npoints = [0, 1]"
    )
    (folder / "study.toml").write_text(text, encoding="utf-8")
    checked = call("check", "study.toml", *more)
    released = call("release", "study.toml", "-o", "r.json", *more)
    assert checked[0] != 0
    assert (checked[0], checked[2]) == (released[0], released[2])


def test_a_plan_alone_is_refused_where_studies_are_approved(
    folder: Path, call: Call
) -> None:
    (folder / "strict.db").unlink(missing_ok=True)
    init = ("ledger", "init", "--epsilon", "9", "--approval", "--ledger", "strict.db")
    assert call(*init)[0] == 0
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    words = ("--data", "people.csv", "--ledger", "strict.db")
    for file in ("plan.json", "study.toml"):
        done = call("check", file, *words)
        assert is_refused(done, 10, "neither a plan alone nor --data")
    done = call("check", "study.toml", "--ledger", "strict.db")
    assert is_refused(done, 10, "is not. Ask for `dpratio ledger approve`")
    assert call("ledger", "approve", "study.toml", "--ledger", "strict.db")[0] == 0
    assert call("check", "study.toml", "--ledger", "strict.db")[0] == 0


def test_data_named_aside_are_written_as_the_study_says(
    folder: Path, call: Call
) -> None:
    written = '[data]\npath = "people.csv"\ndelimiter = ";"\ndecimal = ","\n'
    study = STUDY.replace('[data]\npath = "people.csv"\n', written)
    (folder / "study.toml").write_text(study, encoding="utf-8")
    (folder / "other.csv").write_text("score;label\n0,5;1\n0,2;0\n", "utf-8")
    code, said, error = call("check", "study.toml", "--data", "other.csv")
    assert (code, error) == (0, "")
    assert "numbers" in said


def test_csv_named_aside_keeps_how_the_study_says_it_is_written() -> None:
    own = CsvFile("a.csv", delimiter=";", decimal=",", dates="DD.MM.YYYY")
    own = replace(own, where=(("x", "=", "1"),))
    study = replace(parse_study(STUDY), data=own)
    other = CsvFile("b.csv", delimiter=";", decimal=",", dates="DD.MM.YYYY")
    assert as_written("b.csv", study) == other
    where = (("x", "=", "2"),)
    window = CsvFile("b.csv", where=where)
    assert as_written(window, study) == replace(other, where=where)
    assert as_written("b.parquet", study) == "b.parquet"
    assert (
        as_written("b.csv", replace(study, data=ParquetFiles("a.parquet"))) == "b.csv"
    )


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("loan amount<=5.5", ["loan amount", "<=", 5.5]),
        ("k = '5'", ["k", "=", "5"]),
        ("k != it's \\ ${x}", ["k", "!=", "it's \\ ${x}"]),
        ("seen > 2026-01-01 08:00:00", ["seen", ">", "2026-01-01 08:00:00"]),
        ("k < -1e3", ["k", "<", -1000.0]),
        ("k = true", ["k", "=", True]),
        ("k = NaN", ["k", "=", "NaN"]),
        ("k =", ["k", "=", ""]),
        ("k = is null", ["k", "=", "is null"]),
        ("origin in a, 5,'b'", ["origin", "in", ["a", 5, "b"]]),
        (" k  is null ", ["k", "is null"]),
        ("k not null", ["k", "not null"]),
    ],
)
def test_a_condition_is_read_as_it_is_typed(text: str, condition: list[object]) -> None:
    assert str(condition_of(text)) == str(condition)


@pytest.mark.parametrize("text", ["", "k", "= 5", "k is", "k like a", "nullin a"])
def test_anything_else_is_no_condition(text: str) -> None:
    with pytest.raises(InvalidInput, match="--where takes a column"):
        condition_of(text)
