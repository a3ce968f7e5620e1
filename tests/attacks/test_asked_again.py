"""The same study asked again is one charge and one draw, whatever the data became."""

import os
import warnings
from fractions import Fraction
from pathlib import Path

import pytest

from curator.ledger.attacks.books import DATA, open_book, plan_of, run_script
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import source_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import GivenAgain, LedgerRefused
from dpratio.terms.budget import Budget

PLAN = plan_of("0.1")
ONE = Fraction(1, 10)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a ledger with one scope, in a file and on a server."""
    if request.param == "sqlite":
        made = str(tmp_path / "budget.db")
    else:
        made = str(request.getfixturevalue("postgres_url"))
    open_book(made)
    return made


def spent(place: str) -> Fraction:
    return Ledger(place).account().spent.loss


def test_28_a_study_that_runs_again_is_charged_once_whatever_the_data_became(
    place: str, tmp_path: Path
) -> None:
    """Who adds a row and asks again learns nothing of it and pays nothing.

    Neither the content, the size, the time nor the existence of the file is looked
    at, nor where the release is written. A key that knew the data would tell by the
    charge that they changed.
    Source: issue 28 of this project, "A re-run spends the budget".
    More: tests/curator/test_asked_again.py.
    """
    path, out = tmp_path / "loans.csv", tmp_path / "release.json"
    path.write_text("s,y\n0.5,1\n0.2,0\n", "utf-8")
    release_sums(path, PLAN, ledger=place, out=out)
    sealed = out.read_bytes()
    for step in range(4):
        path.write_text("s,y\n" + "0.9,1\n" * step, "utf-8")
        os.utime(path, (step, step))
        if step == 3:
            path.unlink()
        again = tmp_path / f"again-{step}.json"
        for where, replace in ((out, True), (again, False)):
            with pytest.warns(GivenAgain, match="The data were not looked at"):
                release_sums(path, PLAN, ledger=place, out=where, replace=replace)
            assert where.read_bytes() == sealed
    assert spent(place) == ONE


def test_28_a_loop_is_told_each_time_that_no_data_were_looked_at(
    tmp_path: Path,
) -> None:
    """Python shows a warning once for each line; the second night would be silent.

    Source: found by an independent attack on this code, 2026.
    """
    place = str(tmp_path / "budget.db")
    open_book(place)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _night in range(3):
            release_sums(DATA, PLAN, ledger=place, source="loans")
    assert len(told) == 2
    assert all("are not in it" in str(each.message) for each in told)


def test_28_a_second_charge_needs_a_word(place: str) -> None:
    """Also where the first is seen only when the second is about to be charged.

    Source: issue 28 of this project; two schedulers that start the same job.
    """
    book = Ledger(place)
    book.charge("a" * 32, PLAN, is_first=True)
    with pytest.raises(LedgerRefused, match="charged meanwhile for the same plan"):
        book.charge("b" * 32, PLAN, is_first=True)
    assert spent(place) == ONE
    release_sums(DATA, PLAN, ledger=place, new_draw=True)
    assert spent(place) == 2 * ONE


def test_28_processes_that_start_at_once_are_charged_once(place: str) -> None:
    """Source: two schedulers that start the same job; row 30 for one request."""
    said = run_script("racing", "release", place, "6", "")
    assert len({one["bytes"] for one in said if one["bytes"]}) == 1
    assert sum(one["draws"] for one in said) == 1
    assert spent(place) == ONE


def test_28_a_release_that_was_opened_is_not_drawn_for_again_by_itself(
    place: str,
) -> None:
    """Noise may have been seen; a second draw is asked for, and paid.

    Source: row 31, for a run that is repeated without its id.
    """
    book = Ledger(place)
    book.charge("a" * 32, PLAN)
    book.open("a" * 32)
    with pytest.raises(LedgerRefused, match="say new_draw=True"):
        release_sums(DATA, PLAN, ledger=place, source=book.scopes()[0])
    assert spent(place) == ONE


def test_38_tables_without_a_name_are_not_one_table(place: str) -> None:
    """South is not given for north: what is in memory has no place to know it by.

    Neither is a charge gone on with that another table may have been meant for.
    Source: found by an independent attack on this code, 2026.
    """
    south = {name: values[:1] for name, values in DATA.items()}
    Ledger(place).charge("a" * 32, PLAN)
    with pytest.raises(LedgerRefused, match="without a name may be another one"):
        release_sums(south, PLAN, ledger=place)
    first = release_sums(DATA, PLAN, ledger=place, release_id="a" * 32)
    with pytest.raises(LedgerRefused, match=f"say release_id='{first.id}'"):
        release_sums(south, PLAN, ledger=place)
    assert spent(place) == ONE


def test_38_a_template_is_not_one_table(tmp_path: Path) -> None:
    """October is not given for November; each is charged, and each is given again.

    Source: found by looking for wrong answers in this code's own key, 2026.
    """
    place = str(tmp_path / "budget.db")
    open_book(place)
    template, released = f"{tmp_path}/{{period}}.csv", []
    for month in (10, 11):
        path = tmp_path / f"2026-{month}.csv"
        path.write_text("s,y\n0.5,1\n", "utf-8")
        released.append(release_sums(path, PLAN, ledger=place, source=template).id)
        found = source_of(path, template)
        assert found is not None
        assert f"2026-{month}.csv" in found.filled
    assert len(set(released)) == 2
    assert spent(place) == 2 * ONE


def test_38_no_filling_of_a_template_has_two_scopes(tmp_path: Path) -> None:
    """Scopes may share a template, for weeks of other people, and no week of it.

    Source: found by binding weeks to scopes of their own, in this code, 2026.
    """
    place = str(tmp_path / "budget.db")
    open_book(place)
    open_book(place, Scope("other", Budget(1)))
    template = f"{tmp_path}/{{period}}.csv"
    weeks = [tmp_path / f"2026-W{at}.csv" for at in (45, 46)]
    for path, scope in zip(weeks, ("loans", "other"), strict=True):
        path.write_text("s,y\n0.5,1\n", "utf-8")
        release_sums(path, PLAN, ledger=place, source=template, scope=scope)
    for path, scope in zip(weeks, ("other", "loans"), strict=True):
        with pytest.raises(LedgerRefused, match="were charged to another scope"):
            release_sums(path, PLAN, ledger=place, source=template, scope=scope)


def test_38_a_charge_for_one_filling_is_not_gone_on_with_for_another(
    tmp_path: Path,
) -> None:
    """October, charged and not begun, does not become November under its id.

    Source: found by an independent attack on this code, 2026.
    """
    place = str(tmp_path / "budget.db")
    open_book(place)
    template = f"{tmp_path}/{{period}}.csv"
    october, november = (tmp_path / f"2026-{month}.csv" for month in (10, 11))
    for path in (october, november):
        path.write_text("s,y\n0.5,1\n", "utf-8")
    name = "a" * 32
    Ledger(place).charge(name, PLAN, source=source_of(october, template))
    with pytest.raises(LedgerRefused, match="was charged for other data"):
        release_sums(november, PLAN, ledger=place, source=template, release_id=name)
    release = release_sums(october, PLAN, ledger=place, source=template)
    assert release.id == name
    assert spent(place) == ONE


def test_38_an_id_does_not_give_the_release_of_another_file(tmp_path: Path) -> None:
    """Nor that of another filling of a template; where the file is gone it is given.

    Source: found by an independent attack on this code, 2026.
    """
    place = str(tmp_path / "budget.db")
    open_book(place)
    template = f"{tmp_path}/{{period}}.csv"
    north, south = tmp_path / "north.csv", tmp_path / "south.csv"
    for path in (north, south):
        path.write_text("s,y\n0.5,1\n", "utf-8")
    for name, named in (("plain", None), ("filled", template)):
        asked = {"ledger": place, "source": named, "release_id": name}
        release_sums(north, PLAN, **asked)  # type: ignore[arg-type]
        with pytest.raises(LedgerRefused, match="was drawn from another source"):
            release_sums(south, PLAN, **asked)  # type: ignore[arg-type]
    north.unlink()
    release_sums(north, PLAN, ledger=place, release_id="plain")
    assert spent(place) == 2 * ONE


def test_38_a_rehearsal_is_not_given_for_the_release(tmp_path: Path) -> None:
    """Nor a release of real people for a rehearsal.

    Source: found by an independent attack on this code, 2026.
    """
    place = str(tmp_path / "budget.db")
    open_book(place)
    for name, simulated in (("a", True), ("b", False)):
        asked = {"ledger": place, "source": name}
        release_sums(DATA, PLAN, simulated=simulated, **asked)  # type: ignore[arg-type]
        with pytest.raises(LedgerRefused, match=f"simulated={simulated} to get it"):
            release_sums(DATA, PLAN, simulated=not simulated, **asked)  # type: ignore[arg-type]
    assert spent(place) == 2 * ONE
