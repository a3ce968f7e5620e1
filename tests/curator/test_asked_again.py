"""Who asks again gets what was sealed: free, to the byte, and no data are looked at."""

import dataclasses
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.attacks.tampering import forge
from curator.ledger.loans import (
    ID,
    NAME,
    ONE,
    OTHER,
    PLAN,
    SCOPE,
    TABLE,
    bring,
    plan_of,
    rows,
    spent,
)
from dpratio.curator.charged_release import ChargedRelease
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import (
    Listeners,
    Request,
    carry_out,
    release_sums,
)
from dpratio.errors import (
    FileRefused,
    GivenAgain,
    InvalidInput,
    LedgerFailed,
    LedgerRefused,
)
from dpratio.release.files import read_release
from dpratio.terms.budget import Budget


@pytest.fixture(params=["sqlite", "postgres"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    """A ledger with one scope; SQLite and PostgreSQL in turn."""
    if request.param == "sqlite":
        place = os.fspath(tmp_path / "budget.db")
    else:
        place = str(request.getfixturevalue("postgres_url"))
    made = Ledger(place, spool=tmp_path / "spool")
    made.open_scope(SCOPE)
    return made


def test_asked_again_a_release_is_given_again_and_nothing_is_charged(
    book: Ledger, tmp_path: Path
) -> None:
    out, other = tmp_path / "r.json", tmp_path / "s.json"
    first = release_sums(TABLE, PLAN, ledger=book, source=NAME, out=out)
    account = book.account()
    for place, replace in ((out, False), (out, True), (other, False), (None, False)):
        with pytest.warns(GivenAgain, match=f"Release {first.id} of "):
            again = release_sums(
                TABLE, PLAN, ledger=book, source=NAME, out=place, replace=replace
            )
        assert again == first
    assert out.read_bytes() == other.read_bytes()
    assert book.account() == account


def test_the_warning_says_day_price_and_that_no_data_were_looked_at(
    own: Ledger,
) -> None:
    first = release_sums(TABLE, PLAN, ledger=own, source="loans 2026")
    day = own.account().releases[first.id].entries[0].time[:10]
    costs = "A new draw costs epsilon 0.1 and delta 0"
    with pytest.warns(GivenAgain) as told:
        release_sums(TABLE, PLAN, ledger=own, source="loans 2026")
    assert len(told) == 1
    assert str(told[0].message) == (
        f"Release {first.id} of {day} is given again, for free: plan, source, scope "
        "and period are the same. The data were not looked at: rows that were added or "
        f"changed since {day} are not in it. {costs} and leaves epsilon 0.8 and delta "
        "0.000001 in scope 'loans': new_draw=True."
    )
    assert told[0].filename == __file__
    rest = plan_of("0.85")
    release_sums(TABLE, rest, ledger=own)
    with pytest.warns(GivenAgain) as told:
        release_sums(TABLE, PLAN, ledger=own, source="loans 2026")
    said = str(told[0].message)
    assert f"{costs}, more than scope 'loans' has left: epsilon 0.05" in said


def test_the_day_is_that_on_which_data_were_opened(
    own: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = "dpratio.curator.ledger.store.clock.time_now"
    monkeypatch.setattr(clock, lambda: "2100-01-01T00:00:00Z")
    bring(own, "charge")
    assert own.account().releases[ID].read_on == "2100-01-01"
    monkeypatch.setattr(clock, lambda: "2100-01-03T00:00:00Z")
    release_sums(TABLE, PLAN, ledger=own, source=NAME)
    monkeypatch.setattr(clock, lambda: "2100-01-05T00:00:00Z")
    with pytest.warns(GivenAgain, match="changed since 2100-01-03 are not in it"):
        release_sums(TABLE, PLAN, ledger=own, source=NAME)


def test_a_new_draw_is_charged_and_is_given_again_from_then_on(book: Ledger) -> None:
    first = release_sums(TABLE, PLAN, ledger=book, source=NAME)
    second = release_sums(TABLE, PLAN, ledger=book, source=NAME, new_draw=True)
    assert (second.id != first.id, spent(book)) == (True, 2 * ONE)
    with pytest.warns(GivenAgain, match=second.id):
        assert release_sums(TABLE, PLAN, ledger=book, source=NAME) == second
    assert (
        release_sums(TABLE, PLAN, ledger=book, source=NAME, release_id=first.id)
        == first
    )
    assert spent(book) == 2 * ONE


def test_an_id_that_is_given_names_its_draw_and_warns_of_nothing(own: Ledger) -> None:
    first = release_sums(TABLE, PLAN, ledger=own, source=NAME, release_id="monday")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            release_sums(TABLE, PLAN, ledger=own, source=NAME, release_id="monday")
            == first
        )
        tuesday = release_sums(
            TABLE, PLAN, ledger=own, source=NAME, release_id="tuesday"
        )
    assert spent(own) == 2 * ONE
    with pytest.warns(GivenAgain, match=tuesday.id):
        release_sums(TABLE, PLAN, ledger=own, source=NAME)


def test_an_id_and_a_new_draw_contradict_each_other(own: Ledger) -> None:
    with pytest.raises(InvalidInput, match="an id names one draw, and new_draw asks"):
        release_sums(TABLE, PLAN, ledger=own, source=NAME, release_id=ID, new_draw=True)
    with pytest.raises(InvalidInput, match="new_draw must be true or false"):
        release_sums(TABLE, PLAN, ledger=own, source=NAME, new_draw=1)  # type: ignore[arg-type]


def test_without_a_ledger_every_release_is_a_new_draw() -> None:
    first = release_sums(TABLE, PLAN, ledger=None)
    assert release_sums(TABLE, PLAN, ledger=None).id != first.id
    assert release_sums(TABLE, PLAN, ledger=None, new_draw=True).id != first.id


def test_the_content_the_size_and_the_time_of_a_file_do_not_matter(
    own: Ledger, tmp_path: Path
) -> None:
    """Nor whether it is still there: the release was paid for."""
    path = rows(tmp_path / "loans.csv")
    first = release_sums(path, PLAN, ledger=own)
    rows(path, "s,y\n" + "0.9,1\n" * 50)
    os.utime(path, (0, 0))
    with pytest.warns(GivenAgain):
        assert release_sums(path, PLAN, ledger=own) == first
    path.unlink()
    with pytest.warns(GivenAgain):
        assert release_sums(path, PLAN, ledger=own) == first
    assert spent(own) == ONE


def test_every_plan_source_and_scope_is_a_request_of_its_own(
    own: Ledger, tmp_path: Path
) -> None:
    own.open_scope(Scope("cards", Budget(2)))
    one = rows(tmp_path / "a.csv")
    two = rows(tmp_path / "b.csv")
    asked: list[tuple[Any, Any, dict[str, Any]]] = [
        (one, PLAN, {"scope": "loans"}),
        (one, plan_of("0.11"), {"scope": "loans"}),
        (two, PLAN, {"scope": "loans"}),
        (TABLE, PLAN, {"scope": "loans", "source": "one"}),
        (TABLE, PLAN, {"scope": "loans", "source": "two"}),
        (TABLE, PLAN, {"scope": "cards", "source": "three"}),
    ]
    first = [release_sums(t, plan, ledger=own, **more) for t, plan, more in asked]
    assert len({each.id for each in first}) == len(asked)
    before = own.account("loans"), own.account("cards")
    for (table, plan, more), release in zip(asked, first, strict=True):
        with pytest.warns(GivenAgain):
            assert release_sums(table, plan, ledger=own, **more) == release
    assert (own.account("loans"), own.account("cards")) == before


def test_a_template_stands_for_what_it_is_filled_with(
    own: Ledger, tmp_path: Path
) -> None:
    template = f"{tmp_path}/{{period}}.csv"
    files = [rows(tmp_path / f"2026-{month}.csv") for month in (10, 11)]
    first = [release_sums(at, PLAN, ledger=own, source=template) for at in files]
    assert (first[0].id != first[1].id, spent(own)) == (True, 2 * ONE)
    for at, release in zip(files, first, strict=True):
        with pytest.warns(GivenAgain):
            assert release_sums(at, PLAN, ledger=own, source=template) == release


@pytest.mark.parametrize("state", ["charge", "void"])
def test_nothing_is_charged_twice_where_nothing_was_drawn(
    state: str, own: Ledger
) -> None:
    """An unbegun charge is gone on with; one that was voided was given back."""
    bring(own, state)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = release_sums(TABLE, PLAN, ledger=own, source=NAME)
    assert (release.id == ID) is (state == "charge")
    assert spent(own) == ONE


def test_a_release_that_stopped_half_way_is_not_charged_again_by_itself(
    own: Ledger,
) -> None:
    bring(own, "opened")
    with pytest.raises(LedgerRefused) as refused:
        release_sums(TABLE, PLAN, ledger=own, source=NAME)
    assert str(refused.value) == (
        f"release {ID} is running, or stopped after data were opened. If it runs, wait "
        "and ask again. If it stopped, its charge is gone, for noise is drawn once for "
        "a charge: say new_draw=True, or give a new id. A new draw costs epsilon 0.1 "
        "and delta 0 and leaves epsilon 0.8 and delta 0.000001 in scope 'loans'."
    )
    assert spent(own) == ONE
    done = release_sums(TABLE, PLAN, ledger=own, source=NAME, new_draw=True)
    bring(own, "opened", OTHER)
    with pytest.warns(GivenAgain, match=done.id):
        release_sums(TABLE, PLAN, ledger=own, source=NAME)
    assert spent(own) == 3 * ONE


def test_what_waits_in_the_spool_is_given(
    own: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: object) -> None:
        raise LedgerFailed("the ledger is away.")

    step = Ledger._step
    monkeypatch.setattr(
        Ledger,
        "_step",
        lambda self, name, kind, *more: (fail if kind == "sealed" else step)(
            self, name, kind, *more
        ),
    )
    with pytest.raises(LedgerFailed, match="waits in the spool"):
        release_sums(TABLE, PLAN, ledger=own, source=NAME)
    monkeypatch.undo()
    (name,) = own.spool.waiting()
    with pytest.warns(GivenAgain, match=name):
        assert release_sums(TABLE, PLAN, ledger=own, source=NAME).id == name
    assert spent(own) == ONE


def test_bytes_that_are_gone_are_not_drawn_again_by_themselves(
    own: Ledger, tmp_path: Path
) -> None:
    release_sums(TABLE, PLAN, ledger=own, source=NAME)
    assert forge(tmp_path / "budget.db", ("DELETE FROM artifact", ()))
    gone = "Find the last sound copy of the ledger. A new draw is charged, and must be"
    with pytest.raises(LedgerFailed, match=gone):
        release_sums(TABLE, PLAN, ledger=own, source=NAME)
    assert spent(own) == ONE


def test_two_who_ask_at_once_are_charged_once(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second looked before the first was charged."""
    first = release_sums(TABLE, PLAN, ledger=book, source=NAME)
    monkeypatch.setattr(ChargedRelease, "searched", lambda release, _: release)
    with pytest.raises(LedgerRefused) as refused:
        release_sums(TABLE, PLAN, ledger=book, source=NAME)
    assert str(refused.value) == (
        f"release {first.id} was charged meanwhile for the same plan and source. "
        "Nothing more was charged: ask again."
    )
    assert spent(book) == ONE


def test_a_file_of_another_release_stays(own: Ledger, tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    first = release_sums(TABLE, PLAN, ledger=None, out=out)
    given = release_sums(TABLE, PLAN, ledger=own, source=NAME)
    with pytest.raises(FileRefused, match="holds a release already"):
        release_sums(TABLE, PLAN, ledger=own, source=NAME, out=out)
    assert read_release(out) == first
    with pytest.warns(GivenAgain):
        release_sums(TABLE, PLAN, ledger=own, source=NAME, out=out, replace=True)
    assert read_release(out) == given
    assert spent(own) == ONE


def test_who_runs_a_release_is_told_its_id_before_the_charge(own: Ledger) -> None:
    request = Request(TABLE, PLAN, own, source=NAME)
    named, again = list[str](), list[str]()
    listeners = Listeners(named=named.append, again=again.append)
    first = carry_out(request, listeners)
    assert (named, again) == ([first.id], [])
    carry_out(request, listeners)
    assert (named, bool(again[0])) == ([first.id] * 2, True)


def test_what_is_looked_for_is_the_plan_and_the_source(own: Ledger) -> None:
    new = ChargedRelease(own, PLAN, OTHER, is_first=True)
    assert new.searched(lambda: None) is new
    bring(own, "charge")
    named = dataclasses.replace(new, scope="loans").searched(lambda: named_source(NAME))
    assert (named.release_id, named.notice) == (ID, "")
    assert new.searched(lambda: named_source("x")) is new
