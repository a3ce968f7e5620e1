"""`dpratio release`: where data may lie, and which files are written."""

import json
import stat
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from cli.commands_for_tests import STUDY, Call, is_refused, shown
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.ledger import Ledger


def test_data_can_be_named_on_the_command_line(folder: Path) -> None:
    (folder / "people.csv").rename(folder / "others.csv")
    shown("release", "study.toml", "--data", "others.csv", "-o", "r.json")


def test_a_study_without_data_asks_for_them(folder: Path, call: Call) -> None:
    text = STUDY.replace('[data]\npath = "people.csv"', "")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    done = call("release", "study.toml", "-o", "r.json")
    assert is_refused(done, 3, "or with --data")


def test_an_address_needs_a_table_and_is_not_repeated(folder: Path, call: Call) -> None:
    address = "postgres://ann:secret@127.0.0.1:1/loans"
    words = ("release", "study.toml", "-o", "r.json", "--data")
    code, _, error = call(*words, address)
    assert (code, "a table is named by one to three names" in error) == (3, True)
    assert "secret" not in error
    code, _, error = call(*words, address, "--table", "loans")
    assert (code, "no database answers at 'postgres://127.0.0.1:1" in error) == (
        5,
        True,
    )
    assert "secret" not in error
    done = call(*words, "people.csv", "--table", "a")
    assert is_refused(done, 3, "--table goes with the address of a database in --data")
    assert not (folder / "r.json").exists()


def test_a_plan_is_released_from_a_database(folder: Path, call: Call) -> None:
    """A plan names no data; the command names the table and its window."""
    with closing(duckdb.connect(folder / "people.db")) as own:
        own.execute("CREATE TABLE people (score REAL, label INTEGER, day DATE)")
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    words = ("release", "plan.json", "--data", "duckdb:///people.db")
    named = ("--table", "people", "--where", "day >= 2026-11-09")
    assert call(*words, *named, "-o", "a.json")[0] == 0
    assert call(*words, "--table", "people", "-o", "b.json")[0] == 0
    assert is_refused(call("release", "plan.json", "-o", "c.json"), 3, "or with --data")
    sources = [each.said("charge")["source"] for each in _held()]
    assert ["where" in each for each in sources] == [True, False]


def test_a_study_is_released_for_one_period_after_the_other(
    folder: Path, call: Call
) -> None:
    text = STUDY.replace("people.csv", "weeks/{period}.csv")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    (folder / "weeks").mkdir()
    people = (folder / "people.csv").read_bytes()
    for name in ("2026-W45", "2026-W46"):
        (folder / "weeks" / f"{name}.csv").write_bytes(people)
        words = ("study.toml", "--period", name)
        assert call("check", *words)[0] == 0
        assert call("release", *words, "-o", f"{name}.json")[0] == 0
    assert len(_held()) == 2
    done = call("release", "study.toml", "-o", "r.json")
    assert is_refused(done, 3, "Say --period 2026-W46")
    assert call("release", "study.toml", "--data", "people.csv", "-o", "a.json")[0] == 0
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    aside = ("--data", "people.csv", "--period", "2026-W46", "-o", "b.json")
    done = call("release", "plan.json", *aside)
    assert is_refused(done, 3, "a plan has no period, a study has")


def test_some_rows_of_files_are_released(folder: Path, call: Call) -> None:
    words = ("release", "study.toml", "-o")
    label = ("--where", "label >= '1'", "--where", "label < 2.")
    done = call(*words, "r.json", *label)
    assert is_refused(done, 3, "--where goes with --data, got")
    data = ("--data", "people.csv")
    assert call(*words, "a.json", *data, *label)[0] == 0
    done = call(*words, "b.json", *data, "--where", "label > 0")
    assert is_refused(done, 3, "cells of CSV files are text and never null")
    done = call(*words, "b.json", *data, "--where", "label")
    assert is_refused(done, 3, "--where takes a column, an operator and a value")
    rows = '\nwhere = [["a", "=", "1"]]'
    text = STUDY.replace('path = "people.csv"', f'path = "people.csv"{rows}')
    (folder / "study.toml").write_text(text, encoding="utf-8")
    assert is_refused(call(*words, "c.json"), 4, "'a', which is not in the table")
    none = ("--data", "none.parquet", "--where", "label > 0")
    assert call(*words, "d.json", *none)[0] == 5
    (held,) = _held()
    where = '"where":[["label",">=","1"],["label","<","2."]]'
    assert where in held.said("charge")["source"]


def _held() -> list[Held]:
    return list(Ledger("dpratio.db").account().releases.values())


def test_the_address_of_a_remote_file_keeps_its_slashes(
    folder: Path, call: Call
) -> None:
    text = STUDY.replace("people.csv", "s3://lake/people.parquet")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    done = call("release", "study.toml", "-o", "r.json")
    assert is_refused(done, 5, "'s3://lake/people.parquet'. Let a cluster")


def test_a_missing_column_is_told_and_nothing_is_written(
    folder: Path, call: Call
) -> None:
    (folder / "people.csv").write_text("score,lable\n0.5,1\n", encoding="utf-8")
    code, _, error = call("release", "study.toml", "-o", "r.json")
    assert code == 4
    assert "column 'label' is not named by the first line" in error
    assert "lable" not in error
    assert not (folder / "r.json").exists()
    assert Ledger("dpratio.db").account().seq == 0


def test_bad_cells_change_neither_exit_code_nor_output_shape(
    folder: Path, call: Call
) -> None:
    clean = call("release", "study.toml", "-o", "r.json")
    hostile = 'CANARY,1\n0.5\n"0.5,1\n1e999,1\nnan,1\n0.5,1,CANARY\n'
    with (folder / "people.csv").open("a", encoding="utf-8") as file:
        file.write(hostile)
    more = ("--force", "--new-draw")
    spoilt = call("release", "study.toml", "-o", "r.json", *more)
    assert (spoilt[0], spoilt[2]) == (clean[0], clean[2])
    assert len(spoilt[1]) == len(clean[1])
    assert "CANARY" not in spoilt[1] + (folder / "r.json").read_text("utf-8")


def test_release_files_are_not_left_half_written(folder: Path) -> None:
    shown("release", "study.toml", "-o", "r.json")
    left = [path for path in folder.iterdir() if path.name.startswith(".dpratio")]
    assert not left
    assert stat.S_ISREG((folder / "r.json").stat().st_mode)


def test_an_existing_file_is_never_replaced_by_accident(
    folder: Path, call: Call
) -> None:
    words = ("release", "study.toml", "-o")
    for mine in ("people.csv", "study.toml"):
        kept = (folder / mine).read_bytes()
        for more in ((), ("--force",)):
            assert is_refused(call(*words, mine, *more), 5, "exists and is no release")
        assert (folder / mine).read_bytes() == kept
    assert call(*words, "r.json")[0] == 0
    first = (folder / "r.json").read_bytes()
    done = call(*words, "r.json", "--new-draw")
    assert is_refused(done, 5, "holds a release already")
    assert (folder / "r.json").read_bytes() == first
    assert call(*words, "r.json", "--force", "--new-draw")[0] == 0
    assert (folder / "r.json").read_bytes() != first


def test_data_stand_beside_their_study(folder: Path, call: Call) -> None:
    (folder / "inner").mkdir()
    for name in ("study.toml", "people.csv"):
        (folder / name).rename(folder / "inner" / name)
    assert call("release", "inner/study.toml", "-o", "r.json")[0] == 0
    text = STUDY.replace('path = "people.csv"', 'path = "people.csv"\ndelimiter = ","')
    (folder / "inner" / "study.toml").write_text(text, encoding="utf-8")
    assert call("release", "inner/study.toml", "-o", "s.json")[0] == 0


def test_data_may_lie_in_a_database_beside_the_study(folder: Path, call: Call) -> None:
    place = folder / "place"
    place.mkdir()
    own = duckdb.connect(place / "people.db")
    own.execute("CREATE TABLE people (score REAL, label INTEGER)")
    own.executemany("INSERT INTO people VALUES (?, ?)", [(0.5, 1), (0.25, 0)] * 2000)
    own.execute(
        "CREATE VIEW all_people AS SELECT 2 * score AS score, label FROM people"
    )
    own.commit()
    own.close()
    there = 'url = "duckdb:///people.db"\ntable = "people"'
    study = STUDY.replace('path = "people.csv"', there)
    (place / "study.toml").write_text(study, encoding="utf-8")
    code, _, error = call("release", "place/study.toml", "-o", "release.json")
    assert code == 0, error
    _, estimated, _ = call("estimate", "release.json", "--format", "json")
    assert json.loads(estimated)[0]["ratio"] == pytest.approx(0.75, abs=0.05)
    study = study.replace('table = "people"', 'table = "all_people"')
    (place / "view.toml").write_text(study, encoding="utf-8")
    code, out, error = call("release", "place/view.toml", "-o", "view.json")
    assert (code, out) == (4, "")
    assert "'all_people' is a view, and one person may be in many rows" in error
    assert len(Ledger("dpratio.db").account().releases) == 1
