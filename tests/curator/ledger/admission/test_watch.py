"""What was seen here is never gone back behind."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.watching import (
    ID,
    OLDER,
    SCOPE,
    Place,
    charge,
    look,
    refusal,
)
from dpratio.curator.ledger.account.entry import link
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget


@pytest.fixture
def place(tmp_path: Path) -> Callable[[Scope], Place]:
    return lambda scope: Place(tmp_path, scope)


def test_what_was_written_is_seen_after_the_commit(
    place: Callable[[Scope], Place],
) -> None:
    watch = place(SCOPE).watch()
    before = charge(watch)
    assert before.seq == 0
    assert watch.seen["loans"].seq == 1
    assert look(watch).spent.loss == Fraction(1, 10)


def test_what_was_not_committed_is_not_seen(place: Callable[[Scope], Place]) -> None:
    watch = place(SCOPE).watch()

    def stop_halfway() -> None:
        with watch.writing() as watched:
            before = watched.follow("loans")
            said = {"by": ""}
            entry = link(before.last, time="", subject=ID, kind="approved", event=said)
            watched.append(before, entry)
            raise KeyError

    with pytest.raises(KeyError):
        stop_halfway()
    assert watch.seen["loans"].seq == 0
    assert look(watch).seq == 0


def test_only_new_entries_are_read(
    place: Callable[[Scope], Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = place(SCOPE).watch()
    for number in range(3):
        charge(watch, f"{number:032x}")
    read: list[int] = []
    entries = Tables.entries

    def counted(tables: Tables, scope: str, since: int) -> Any:  # noqa: ANN401
        found = entries(tables, scope, since)
        read.append(len(found))
        return found

    monkeypatch.setattr(Tables, "entries", counted)
    other = Watch(watch.store, None)
    look(watch)
    look(other)
    look(other)
    assert read == [1, 3, 1]


def test_entries_of_others_are_followed(place: Callable[[Scope], Place]) -> None:
    made = place(SCOPE)
    mine, theirs = made.watch(), made.watch()
    charge(mine)
    charge(theirs, "1" * 32)
    assert look(mine).seq == 2


def test_an_old_copy_is_refused_by_who_saw_the_new_one(
    place: Callable[[Scope], Place],
) -> None:
    made = place(SCOPE)
    watch = made.watch()
    made.keep()
    charge(watch)
    made.roll_back()
    assert refusal(watch) == OLDER


def test_another_history_of_the_same_length_is_refused(
    place: Callable[[Scope], Place],
) -> None:
    made = place(SCOPE)
    watch = made.watch()
    made.keep()
    charge(watch)
    made.roll_back()
    charge(made.watch(), "1" * 32)
    assert refusal(watch) == OLDER


def test_other_terms_than_those_that_were_seen_are_refused(
    place: Callable[[Scope], Place], tmp_path: Path
) -> None:
    made = place(SCOPE)
    watch = made.watch()
    look(watch)
    (tmp_path / "other").mkdir()
    richer = Place(tmp_path / "other", replace(SCOPE, budget=Budget(9)))
    shutil.copy(richer.file, made.file)
    assert refusal(watch) == OLDER


def test_a_scope_without_terms_is_refused(place: Callable[[Scope], Place]) -> None:
    with pytest.raises(LedgerFailed, match=r"the terms of scope 'cards' are missing\."):
        look(place(SCOPE).watch(), "cards")


def test_a_release_is_found_with_its_account(place: Callable[[Scope], Place]) -> None:
    watch = place(SCOPE).watch()
    charge(watch)
    with watch.reading() as watched:
        account, held = watched.held(ID)
    assert (account.seq, held.state) == (1, "charge")
    with (
        pytest.raises(LedgerRefused, match=f"release {'1' * 32} is not in this ledger"),
        watch.reading() as watched,
    ):
        watched.held("1" * 32)
