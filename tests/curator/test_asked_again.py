"""Who asks again gets what was sealed: free, to the byte, and no data are looked at.

What is not the same request is refused, not given: other rows, files or people.
"""

import dataclasses
import os
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
from dpratio.curator.ledger.account.source import named_source, source_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import Listeners, Request, carry_out, release_sums
from dpratio.errors import (
    FileRefused,
    GivenAgain,
    InvalidInput,
    LedgerFailed,
    LedgerRefused,
)
from dpratio.plan.plan import Plan
from dpratio.release.files import read_release
from dpratio.release.release import Release
from dpratio.terms.budget import Budget

COSTS = "A new draw costs epsilon 0.1 and delta 0"
LEAVES = f"{COSTS} and leaves epsilon 0.8 and delta 0.000001 in scope 'loans'"


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


def ask(
    ledger: Ledger,
    table: object = TABLE,
    plan: Plan = PLAN,
    **door: Any,  # noqa: ANN401
) -> Release:
    """Release a table; a warning is an error."""
    if table is TABLE:
        door = {"source": NAME} | door
    return release_sums(table, plan, ledger=ledger, **door)


def ask_again(ledger: Ledger, *request: Any, **door: Any) -> tuple[Release, str]:  # noqa: ANN401
    """Release the same again; return the one warning, too."""
    with pytest.warns(GivenAgain) as told:
        release = ask(ledger, *request, **door)
    (warning,) = told
    assert warning.filename == __file__
    return release, str(warning.message)


def test_asked_again_a_release_is_given_again_and_nothing_is_charged(
    book: Ledger, tmp_path: Path
) -> None:
    out, other = tmp_path / "r.json", tmp_path / "s.json"
    first = ask(book, out=out)
    account = book.account()
    for place, replace in ((out, False), (out, True), (other, False), (None, False)):
        release, words = ask_again(book, out=place, replace=replace)
        assert (release, first.id in words) == (first, True)
    assert out.read_bytes() == other.read_bytes()
    assert book.account() == account


def test_the_warning_says_day_price_and_that_no_data_were_looked_at(
    own: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The day is that on which data were opened."""
    clock = "dpratio.curator.ledger.store.clock.time_now"
    monkeypatch.setattr(clock, lambda: "2100-01-01T00:00:00Z")
    bring(own, "charge")
    monkeypatch.setattr(clock, lambda: "2100-01-03T00:00:00Z")
    assert ask(own).id == ID
    monkeypatch.setattr(clock, lambda: "2100-01-05T00:00:00Z")
    assert ask_again(own)[1] == (
        f"Release {ID} of 2100-01-03 is given again, for free: plan, source, scope "
        "and period are the same. The data were not looked at: rows that were added or "
        f"changed since 2100-01-03 are not in it. {LEAVES}: new_draw=True."
    )
    ask(own, plan=plan_of("0.85"))
    left = f"{COSTS}, more than scope 'loans' has left: epsilon 0.05"
    assert left in ask_again(own)[1]


def test_a_new_draw_is_charged_and_is_given_again_from_then_on(book: Ledger) -> None:
    first, second = ask(book), ask(book, new_draw=True)
    assert (second.id != first.id, spent(book)) == (True, 2 * ONE)
    assert ask_again(book)[0] == second
    assert ask(book, release_id=first.id) == first
    assert spent(book) == 2 * ONE


def test_an_id_that_is_given_names_its_draw_and_warns_of_nothing(own: Ledger) -> None:
    first = ask(own, release_id="monday")
    assert ask(own, release_id="monday") == first
    tuesday = ask(own, release_id="tuesday")
    assert spent(own) == 2 * ONE
    assert ask_again(own)[0] == tuesday
    with pytest.raises(InvalidInput, match="an id names one draw, and new_draw asks"):
        ask(own, release_id=ID, new_draw=True)
    with pytest.raises(InvalidInput, match="new_draw must be true or false"):
        ask(own, new_draw=1)


def test_without_a_ledger_every_release_is_a_new_draw() -> None:
    ids = {
        release_sums(TABLE, PLAN, ledger=None, new_draw=new_draw).id
        for new_draw in (False, False, True)
    }
    assert len(ids) == 3


def test_the_content_the_size_and_the_time_of_a_file_do_not_matter(
    own: Ledger, tmp_path: Path
) -> None:
    """Nor whether it is still there: the release was paid for."""
    path = rows(tmp_path / "loans.csv")
    first = ask(own, path)
    rows(path, "s,y\n" + "0.9,1\n" * 50)
    os.utime(path, (0, 0))
    assert ask_again(own, path)[0] == first
    path.unlink()
    assert ask_again(own, path)[0] == first
    assert spent(own) == ONE


def test_every_plan_source_and_scope_is_a_request_of_its_own(
    own: Ledger, tmp_path: Path
) -> None:
    """A template stands for what it is filled with."""
    own.open_scope(Scope("cards", Budget(2)))
    one, two = rows(tmp_path / "a.csv"), rows(tmp_path / "b.csv")
    october, november = (rows(tmp_path / f"2026-{month}.csv") for month in (10, 11))
    template = f"{tmp_path}/{{period}}.csv"
    requests: list[tuple[Any, Any, dict[str, Any]]] = [
        (one, PLAN, {"scope": "loans"}),
        (one, plan_of("0.11"), {"scope": "loans"}),
        (two, PLAN, {"scope": "loans"}),
        (october, PLAN, {"scope": "loans", "source": template}),
        (november, PLAN, {"scope": "loans", "source": template}),
        (TABLE, PLAN, {"scope": "loans", "source": "one"}),
        (TABLE, PLAN, {"scope": "loans", "source": "two"}),
        (TABLE, PLAN, {"scope": "cards", "source": "three"}),
    ]
    first = [ask(own, table, plan, **more) for table, plan, more in requests]
    assert len({release.id for release in first}) == len(requests)
    before = own.account("loans"), own.account("cards")
    for (table, plan, more), release in zip(requests, first, strict=True):
        assert ask_again(own, table, plan, **more)[0] == release
    assert (own.account("loans"), own.account("cards")) == before


@pytest.mark.parametrize("state", ["charge", "void"])
def test_nothing_is_charged_twice_where_nothing_was_drawn(
    state: str, own: Ledger
) -> None:
    """An unbegun charge is gone on with; one that was voided was given back."""
    bring(own, state)
    assert (ask(own).id == ID) is (state == "charge")
    assert spent(own) == ONE


def test_a_release_that_stopped_half_way_is_not_charged_again_by_itself(
    own: Ledger,
) -> None:
    bring(own, "opened")
    with pytest.raises(LedgerRefused) as refused:
        ask(own)
    assert str(refused.value) == (
        f"release {ID} is running, or stopped after data were opened. If it runs, wait "
        "and ask again. If it stopped, its charge is gone, for noise is drawn once for "
        f"a charge: say new_draw=True, or give a new id. {LEAVES}."
    )
    assert spent(own) == ONE
    done = ask(own, new_draw=True)
    bring(own, "opened", OTHER)
    assert ask_again(own)[0] == done
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
        ask(own)
    monkeypatch.undo()
    (name,) = own.spool.waiting()
    assert ask_again(own)[0].id == name
    assert spent(own) == ONE


def test_bytes_that_are_gone_are_not_drawn_again_by_themselves(
    own: Ledger, tmp_path: Path
) -> None:
    ask(own)
    assert forge(tmp_path / "budget.db", ("DELETE FROM artifact", ()))
    gone = "Find the last sound copy of the ledger. A new draw is charged, and must be"
    with pytest.raises(LedgerFailed, match=gone):
        ask(own)
    assert spent(own) == ONE


def test_two_who_ask_at_once_are_charged_once(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second looked before the first was charged."""
    first = ask(book)
    monkeypatch.setattr(ChargedRelease, "searched", lambda release, _: release)
    with pytest.raises(LedgerRefused) as refused:
        ask(book)
    assert str(refused.value) == (
        f"release {first.id} was charged meanwhile for the same plan and source. "
        "Nothing more was charged: ask again."
    )
    assert spent(book) == ONE


def test_a_file_of_another_release_stays(own: Ledger, tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    first = release_sums(TABLE, PLAN, ledger=None, out=out)
    sealed = ask(own)
    with pytest.raises(FileRefused, match="holds a release already"):
        ask(own, out=out)
    assert read_release(out) == first
    ask_again(own, out=out, replace=True)
    assert read_release(out) == sealed
    assert spent(own) == ONE


def test_listeners_hear_the_id_before_the_charge_and_the_notice_after_it(
    own: Ledger,
) -> None:
    request = Request(TABLE, PLAN, own, source=NAME)
    named, again = list[str](), list[str]()

    def is_named(release_id: str) -> None:
        named.append(release_id)
        assert len(own.account().releases) == len(named) - 1

    listeners = Listeners(named=is_named, again=again.append)
    first = carry_out(request, listeners)
    assert (named, again) == ([first.id], [])
    carry_out(request, Listeners(named=named.append, again=again.append))
    assert (named, bool(again[0])) == ([first.id] * 2, True)


def test_what_is_searched_is_the_plan_and_the_source(own: Ledger) -> None:
    new = ChargedRelease(own, PLAN, OTHER, is_first=True)
    assert new.searched(lambda: None) is new
    bring(own, "charge")
    named = dataclasses.replace(new, scope="loans").searched(lambda: named_source(NAME))
    assert (named.release_id, named.notice) == (ID, "")
    assert new.searched(lambda: named_source("x")) is new


# --- What is not the same -------------------------------------------------------------


@pytest.mark.parametrize("state", ["charge", "opened", "published"])
def test_a_table_without_a_name_is_never_taken_for_another(
    state: str, own: Ledger
) -> None:
    """It may be another region, or another night, with the same plan."""
    bring(own, state)
    other: dict[str, list[float]] = {"s": [0.1], "y": [1]}
    account = own.account()
    day = account.releases[ID].entries[0].time[:10]
    with pytest.raises(LedgerRefused) as refused:
        ask(own, other)
    assert str(refused.value) == (
        "a table in memory without a name may be another one than that of release "
        f"{ID} of {day}, which has the same plan. For the same rows say "
        f"release_id='{ID}', which charges nothing. Give other rows a name of their "
        f"own, not 'loans': source='…'. {LEAVES}: new_draw=True."
    )
    assert own.account() == account
    ask(own, other, source="others")
    drawn = ask(own, other, new_draw=True)
    assert spent(own) == 3 * ONE
    with pytest.raises(LedgerRefused, match=f"say release_id='{drawn.id}'"):
        ask(own, other)
    assert ask(own, other, release_id=drawn.id) == drawn


def test_an_unbegun_charge_of_a_template_is_for_what_it_was_filled_with(
    own: Ledger, tmp_path: Path
) -> None:
    template = f"{tmp_path}/{{period}}.csv"
    october, november = (rows(tmp_path / f"2026-{month}.csv") for month in (10, 11))
    own.charge(ID, PLAN, source=source_of(october, template))
    with pytest.raises(LedgerRefused, match="was charged for other data, and was not"):
        ask(own, november, source=template, release_id=ID)
    assert ask(own, november, source=template).id != ID
    assert ask(own, october, source=template).id == ID
    assert spent(own) == 2 * ONE


def test_an_id_is_refused_for_another_source_and_given_for_its_own(
    own: Ledger, tmp_path: Path
) -> None:
    template = f"{tmp_path}/{{period}}.csv"
    north, south = rows(tmp_path / "north.csv"), rows(tmp_path / "south.csv")
    for name, source in (("plain", None), ("filled", template)):
        first = ask(own, north, source=source, release_id=name)
        with pytest.raises(LedgerRefused) as refused:
            ask(own, south, source=source, release_id=name)
        assert str(refused.value) == (
            f"release {first.id} was drawn from another source. Name that one to get "
            "it again; other data need an id of their own."
        )
        assert ask(own, source=None, release_id=name) == first
        north.unlink()
        assert ask(own, north, source=source, release_id=name) == first
        rows(north)
    assert spent(own) == 2 * ONE


@pytest.mark.parametrize("simulated", [True, False])
def test_a_rehearsal_and_a_release_are_not_given_for_each_other(
    own: Ledger, *, simulated: bool
) -> None:
    first = ask(own, simulated=simulated)
    for named in (None, first.id):
        with pytest.raises(LedgerRefused) as refused:
            ask(own, simulated=not simulated, release_id=named)
        assert str(refused.value) == (
            f"release {first.id} has simulated={simulated}, and simulated="
            f"{not simulated} is asked for. Say simulated={simulated} to get it again; "
            "for another draw, which is charged, say new_draw=True."
        )
    drawn = ask(own, simulated=not simulated, new_draw=True)
    assert drawn.is_simulated is not simulated
    assert spent(own) == 2 * ONE
