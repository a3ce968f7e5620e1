"""What was seen, here or in the anchor, is never gone back behind."""

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpratio.curator.ledger.account import Account
from dpratio.curator.ledger.accounting import Charge
from dpratio.curator.ledger.anchor import Anchor, Head
from dpratio.curator.ledger.entry import link
from dpratio.curator.ledger.scope import Scope
from dpratio.curator.ledger.sqlite import SqliteStore
from dpratio.curator.ledger.tables import Tables
from dpratio.curator.ledger.watch import Watch
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget

SCOPE = Scope("loans", Budget(1))
ANCHORED = replace(SCOPE, is_anchored=True)
ID = "0" * 32
OLDER = (
    "the ledger of scope 'loans' is older than what was seen of it: an old copy, or "
    "one that was edited. Release nothing; find the newest copy."
)


class Place:
    """A folder with a ledger of one scope, and perhaps its anchor."""

    def __init__(self, folder: Path, scope: Scope) -> None:
        self.file, self.copy = folder / "budget.db", folder / "copy.db"
        self.anchor = Anchor(folder / "heads")
        self.scope = scope
        self.store = SqliteStore(self.file)
        self.store.create()
        with self.store.writing() as tables:
            tables.add_scope(scope)
        if scope.is_anchored:
            self.anchor.append(Head("loans", 0, scope.hash))

    def watch(self, *, anchored: bool | None = None) -> Watch:
        wanted = self.scope.is_anchored if anchored is None else anchored
        return Watch(self.store, self.anchor if wanted else None)

    def keep(self) -> None:
        shutil.copy(self.file, self.copy)

    def roll_back(self) -> None:
        shutil.copy(self.copy, self.file)


@pytest.fixture
def place(tmp_path: Path) -> Callable[[Scope], Place]:
    return lambda scope: Place(tmp_path, scope)


def charge(watch: Watch, subject: str = ID) -> Account:
    """Charge a tenth; give the account as it was seen before."""
    with watch.writing() as watched:
        before = watched.follow("loans")
        entry = link(
            before.last,
            time="",
            subject=subject,
            kind="charge",
            charge=Charge(Fraction(1, 10), Fraction(0)),
            event={"plan": "p", "by": ""},
        )
        watched.append(before, entry)
    return before


def look(watch: Watch, name: str = "loans") -> Account:
    with watch.reading() as watched:
        return watched.follow(name)


def refusal(watch: Watch, kind: type[Exception] = LedgerFailed) -> str:
    with pytest.raises(kind) as refused:
        look(watch)
    with pytest.raises(kind) as again:
        charge(watch, "f" * 32)
    assert str(again.value) == str(refused.value)
    return str(refused.value)


# --- What was seen here ---------------------------------------------------------------


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
    assert not watch.seen
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


# --- What was seen outside ------------------------------------------------------------


def test_each_entry_of_an_anchored_scope_is_anchored(
    place: Callable[[Scope], Place],
) -> None:
    made = place(ANCHORED)
    watch = made.watch()
    charge(watch)
    head = watch.seen["loans"].head
    assert made.anchor.heads() == [
        Head("loans", 0, ANCHORED.hash),
        Head("loans", 1, head),
    ]
    assert look(made.watch()).head == head


def test_a_scope_that_is_not_anchored_leaves_the_anchor_alone(
    place: Callable[[Scope], Place],
) -> None:
    made = place(SCOPE)
    watch = made.watch(anchored=True)
    charge(watch)
    assert look(watch).seq == 1
    assert not made.anchor.path.exists()


def test_an_anchored_scope_needs_its_anchor(place: Callable[[Scope], Place]) -> None:
    assert refusal(place(ANCHORED).watch(anchored=False), LedgerRefused) == (
        "scope 'loans' is anchored: name its anchor with --anchor, or Ledger(…, "
        "anchor=…)."
    )


@pytest.mark.parametrize("content", [None, "", '{"scope":"x","seq":0,"hash":"h"}\n'])
def test_an_anchor_that_does_not_know_the_scope_is_refused(
    content: str | None, place: Callable[[Scope], Place]
) -> None:
    made = place(ANCHORED)
    made.anchor.path.unlink()
    if content is not None:
        made.anchor.path.write_text(content, encoding="utf-8")
    said = refusal(made.watch())
    assert said.startswith(f"the anchor '{made.anchor.path}' does not know scope")


def test_a_ledger_older_than_its_anchor_is_refused(
    place: Callable[[Scope], Place],
) -> None:
    made = place(ANCHORED)
    made.keep()
    charge(made.watch())
    made.roll_back()
    assert refusal(made.watch()) == OLDER


@pytest.mark.parametrize("seq", [0, 1])
def test_a_hash_other_than_the_anchored_one_is_refused(
    seq: int, place: Callable[[Scope], Place]
) -> None:
    made = place(ANCHORED)
    charge(made.watch())
    made.anchor.path.unlink()
    made.anchor.append(Head("loans", seq, "0" * 64))
    assert refusal(made.watch()) == OLDER


def test_an_anchor_may_be_behind(place: Callable[[Scope], Place]) -> None:
    made = place(ANCHORED)
    kept = made.anchor.path.read_bytes()
    charge(made.watch())
    made.anchor.path.write_bytes(kept)
    assert look(made.watch()).seq == 1
    charge(made.watch(), "1" * 32)
    assert [head.seq for head in made.anchor.heads()] == [0, 2]


def test_the_newest_head_counts_in_whatever_order_they_stand(
    place: Callable[[Scope], Place],
) -> None:
    made = place(ANCHORED)
    made.keep()
    charge(made.watch())
    lines = made.anchor.path.read_text("utf-8").splitlines(keepends=True)
    made.anchor.path.write_text("".join(reversed(lines)), "utf-8")
    assert look(made.watch()).seq == 1
    made.roll_back()
    assert refusal(made.watch()) == OLDER


def test_a_damaged_anchor_stops_everything(place: Callable[[Scope], Place]) -> None:
    made = place(ANCHORED)
    with made.anchor.path.open("a", encoding="utf-8") as file:
        file.write("{")
    assert "is damaged in line 2" in refusal(made.watch())


def test_the_anchor_is_read_before_the_ledger(
    place: Callable[[Scope], Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read after it, a head that others wrote meanwhile would look like a rollback."""
    made = place(ANCHORED)
    order: list[str] = []
    for owner, name in (
        (Anchor, "heads"),
        (SqliteStore, "reading"),
        (SqliteStore, "writing"),
    ):
        original = getattr(owner, name)

        def watched(
            *given: Any,  # noqa: ANN401
            original: Callable[..., Any] = original,
            name: str = name,
        ) -> Any:  # noqa: ANN401
            order.append(name)
            return original(*given)

        monkeypatch.setattr(owner, name, watched)
    look(made.watch())
    charge(made.watch())
    assert order == ["heads", "reading", "heads", "writing"]


def test_an_anchor_that_fails_after_the_commit_leaves_the_charge(
    place: Callable[[Scope], Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = place(ANCHORED)

    def fail(*_given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(LedgerFailed, match="cannot be written: No space left"):
        charge(made.watch())
    monkeypatch.undo()
    account = look(made.watch())
    assert (account.seq, account.spent.loss) == (1, Fraction(1, 10))
