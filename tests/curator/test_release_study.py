"""A study is released as it stands: it knows its plan, its data and its scope."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import dpratio as dpr
from dpratio.errors import GivenAgain, InvalidInput

STUDY = """
ratio = { numerator = "score", per = "label" }
bounds = { score = [0, 1], label = "binary" }
data = { path = "people.csv" }
privacy = { epsilon = 0.5, scope = "loans" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study beside its data, and a ledger with two scopes."""
    place = tmp_path / "inner"
    place.mkdir()
    (place / "people.csv").write_text("score,label\n0.5,1\n0.2,0\n", "utf-8")
    (place / "study.toml").write_text(STUDY, "utf-8")
    book = dpr.Ledger(tmp_path / "budget.db")
    for name in ("loans", "cards"):
        book.open_scope(dpr.Scope(name, dpr.Budget(1)))
    return tmp_path


def test_a_study_is_released_from_beside_its_file_into_its_scope(folder: Path) -> None:
    study = dpr.read_study(folder / "inner" / "study.toml")
    book = dpr.Ledger(folder / "budget.db")
    release = dpr.release_sums(study, ledger=book)
    assert release.plan == dpr.make_plan(study)
    account = book.account("loans")
    held = account.releases[release.id]
    assert held.said("charge")["source"] == (
        '{"delimiter":",","path":"people.csv","quote":"\\""}'
    )
    assert account.spent.loss == Fraction(1, 2)
    with pytest.warns(GivenAgain):
        assert dpr.release_sums(study, ledger=book) == release


def test_each_period_of_a_study_is_a_release_of_its_own(folder: Path) -> None:
    text = STUDY.replace("people.csv", "{period}.csv")
    (folder / "inner" / "study.toml").write_text(text, "utf-8")
    for name in ("2026-W45", "2026-W46"):
        week = (folder / "inner" / "people.csv").read_text("utf-8")
        (folder / "inner" / f"{name}.csv").write_text(week, "utf-8")
    study = dpr.read_study(folder / "inner" / "study.toml")
    book = dpr.Ledger(folder / "budget.db")
    with pytest.raises(InvalidInput, match="are those of one period"):
        dpr.release_sums(study, ledger=book)
    weeks = [replace(study, period=name) for name in ("2026-W45", "2026-W46")]
    first, second = (dpr.release_sums(week, ledger=book) for week in weeks)
    assert first.id != second.id
    with pytest.warns(GivenAgain):
        assert dpr.release_sums(weeks[0], ledger=book) == first
    held = book.account("loans").releases
    assert {each.said("charge")["source"] for each in held.values()} == {
        '{"delimiter":",","path":"{period}.csv","quote":"\\""}'
    }


def test_another_scope_may_be_named_and_without_a_ledger_there_is_none(
    folder: Path,
) -> None:
    study = dpr.read_study(folder / "inner" / "study.toml")
    book = dpr.Ledger(folder / "budget.db")
    dpr.release_sums(study, ledger=book, scope="cards")
    assert book.account("cards").spent.loss == Fraction(1, 2)
    assert dpr.release_sums(study, ledger=None).ledger_head is None


def test_a_study_that_is_parsed_is_read_from_where_the_program_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "inner")
    study = dpr.parse_study(STUDY)
    assert study == dpr.read_study("study.toml")
    dpr.release_sums(study, ledger=None)


def test_what_a_study_lacks_or_has_twice_is_told(folder: Path) -> None:
    study = dpr.read_study(folder / "inner" / "study.toml")
    plan = dpr.make_plan(study)
    for given in ({"plan": plan}, {"source": "people"}):
        with pytest.raises(InvalidInput, match="a study knows its plan and its source"):
            dpr.release_sums(study, ledger=None, **given)
    empty = dpr.parse_study(STUDY.replace('data = { path = "people.csv" }', ""))
    with pytest.raises(InvalidInput, match="a release needs data"):
        dpr.release_sums(empty, ledger=None)
    with pytest.raises(InvalidInput) as refused:
        dpr.release_sums({"score": [1]}, study, ledger=None)  # type: ignore[arg-type]
    assert str(refused.value) == (
        "plan must be a Plan, got 'Study'. Write release_sums(table, make_plan(…)), or "
        "release_sums(study)."
    )


def test_a_study_with_another_title_is_not_charged_again(folder: Path) -> None:
    study = dpr.read_study(folder / "inner" / "study.toml")
    book = dpr.Ledger(folder / "budget.db")
    release = dpr.release_sums(replace(study, title="Loans"), ledger=book)
    assert release.plan.title == "Loans"  # type: ignore[union-attr]
    with pytest.warns(GivenAgain):
        again = dpr.release_sums(replace(study, title="Mended"), ledger=book)
    assert again == release
    assert book.account("loans").spent.loss == Fraction(1, 2)
