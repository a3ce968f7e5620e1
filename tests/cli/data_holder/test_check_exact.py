"""`dpratio check --exact`: on a terminal, asked for, on the record."""

from pathlib import Path

import pytest

from cli.commands_for_tests import STUDY, Call
from cli.on_a_terminal import on_a_terminal
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.release.files import read_release
from dpratio.terms.budget import Budget

WORDS = ("check", "study.toml", "--exact")
WRONG = 'score,label\n"0,5",1\n"0,25",2\n"0,7125",2\n'


def plain(shown: str) -> str:
    return " ".join(shown.split())


def lines() -> int:
    return Ledger("dpratio.db").account("people").seq


def test_faults_are_told_and_nothing_else_of_the_data(folder: Path, call: Call) -> None:
    (folder / "people.csv").write_text(WRONG, "utf-8")
    code, shown = on_a_terminal(folder, "y", *WORDS, "--by", "ann")
    assert code == 0
    asked, told = plain(shown).split("Look at the data? [y/N]")
    assert "An exact look is not private" in asked
    assert "entered in the ledger for scope 'people'" in asked
    assert "terms set after a look at the data" in asked
    assert "`score`: decimal comma." in told
    assert "Write decimal = ',' under [data]." in told
    assert "`label`: labels 1 and 2." in told
    assert "The look is entered for scope 'people'." in told
    assert max(map(len, shown.splitlines())) <= 80
    for secret in ("0,5", "25", "7125", "row 1", "3 rows", "rows: "):
        assert secret not in told
    (line,) = Ledger("dpratio.db").account().looked
    assert line.said["by"] == "ann"
    said = plain(call("ledger", "show")[1])
    assert "Looked at, past all noise, in entry 1 of scope 'people'" in said
    code, said, _ = call("release", "study.toml", "-o", "release.json")
    assert (code, "terms set after a look at the data" in plain(said)) == (0, True)
    assert read_release(folder / "release.json").is_after_look
    said = plain(call("estimate", "release.json")[1])
    assert "Terms set after a look at the data: somebody had seen" in said
    assert call("report", "release.json", "-o", "report.html")[0] == 0
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "Terms set after a look at the data" in report


def test_who_says_no_has_not_looked(folder: Path) -> None:
    code, shown = on_a_terminal(folder, "no", *WORDS)
    assert (code, "Nothing was looked at" in shown) == (0, True)
    assert lines() == 0


def test_a_file_without_faults(folder: Path) -> None:
    code, shown = on_a_terminal(folder, "y", *WORDS)
    assert (code, "No fault of format was found" in shown) == (0, True)
    assert lines() == 1


@pytest.mark.usefixtures("folder")
def test_not_into_a_pipe(call: Call) -> None:
    code, said, error = call(*WORDS)
    assert (code, said) == (3, "")
    assert "--exact needs a terminal, got 'a pipe or a file'" in error
    assert lines() == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("more", "rule"),
    [
        (("--no-ledger",), "an exact look needs a ledger"),
        (("--rows",), "--exact goes without --schema, --rows and --last"),
        (("--schema",), "--exact goes without --schema, --rows and --last"),
        (("--last", "2026-11"), "--exact goes without --schema, --rows and --last"),
        (("--epsilon", "1"), "--epsilon and --new-draw go with --rows"),
    ],
)
def test_what_contradicts_it_is_refused(
    more: tuple[str, ...], rule: str, call: Call
) -> None:
    code, said, error = call(*WORDS, *more)
    assert (code, said, rule in error) == (3, "", True)
    assert lines() == 0


@pytest.mark.parametrize(
    ("more", "code", "rule"),
    [
        (("--ledger", "none.db"), 11, "there is no ledger"),
        (("--data", "people.parquet"), 3, "an exact look must be at CSV files"),
    ],
)
def test_what_is_refused_before_anybody_is_asked(
    more: tuple[str, ...], code: int, rule: str, folder: Path
) -> None:
    given, shown = on_a_terminal(folder, "y", *WORDS, *more)
    assert (given, rule in plain(shown)) == (code, True)
    assert "[y/N]" not in shown
    assert lines() == 0


def test_where_studies_are_approved_nobody_is_asked(folder: Path) -> None:
    terms = Scope("loans", Budget(1), needs_approval=True)
    Ledger("dpratio.db").open_scope(terms)
    (folder / "study.toml").write_text(f'{STUDY}scope = "loans"\n', "utf-8")
    code, shown = on_a_terminal(folder, "y", *WORDS)
    assert (code, "and a look is none" in plain(shown)) == (10, True)
    assert "[y/N]" not in shown
