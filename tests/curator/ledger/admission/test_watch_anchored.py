"""What was seen in the anchor is never gone back behind."""

import errno
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.watching import (
    ANCHORED,
    OLDER,
    SCOPE,
    Place,
    charge,
    look,
    refusal,
    tenth,
)
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.anchor import Anchor, Head
from dpratio.curator.ledger.admission.watch import Watched
from dpratio.curator.ledger.store.sqlite import SqliteStore
from dpratio.errors import LedgerFailed, LedgerRefused


@pytest.fixture
def place(tmp_path: Path) -> Callable[[Scope], Place]:
    return lambda scope: Place(tmp_path, scope)


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
    conflict = f"entry {seq} of scope 'loans' is not the one in the anchor: one of them"
    assert refusal(made.watch()).startswith(conflict)


def test_a_conflicting_head_anywhere_is_refused_when_first_read(
    place: Callable[[Scope], Place],
) -> None:
    made = place(ANCHORED)
    watch = made.watch()
    charge(watch)
    made.anchor.append(Head("loans", 0, "0" * 64))
    charge_after = made.anchor.heads()
    made.anchor.append(charge_after[1])  # The newest head comes last, and is right.
    for each in (watch, made.watch()):
        assert refusal(each).startswith("entry 0 of scope 'loans' is not the one in")


def test_what_one_who_stopped_did_not_anchor_is_anchored_with_the_next(
    place: Callable[[Scope], Place],
) -> None:
    made = place(ANCHORED)
    kept = made.anchor.path.read_bytes()
    for number in range(3):
        charge(made.watch(), f"{number:032x}")
    whole = made.anchor.heads()
    made.anchor.path.write_bytes(kept)
    watch = made.watch()
    assert look(watch).seq == 3
    assert made.anchor.path.read_bytes() == kept
    charge(watch, "f" * 32)
    assert made.anchor.heads()[:-1] == whole
    assert [head.seq for head in made.anchor.heads()] == [0, 1, 2, 3, 4]


def test_what_its_writer_anchors_meanwhile_is_not_anchored_again(
    place: Callable[[Scope], Place],
) -> None:
    made = place(ANCHORED)
    kept = made.anchor.path.read_bytes()
    charge(made.watch())
    late = made.anchor.path.read_bytes()[len(kept) :]
    made.anchor.path.write_bytes(kept)
    watch = made.watch()
    with watch.writing() as watched:
        before = watched.follow("loans")
        assert [head.seq for head in watched.missing["loans"]] == [1]
        with made.anchor.path.open("ab") as file:  # The slow writer of entry 1.
            file.write(late)
        watched.append(before, tenth(before, "f" * 32))
    assert [head.seq for head in made.anchor.heads()] == [0, 1, 2]


def test_a_thread_that_began_earlier_is_not_held_against_a_longer_anchor(
    place: Callable[[Scope], Place],
) -> None:
    made = place(ANCHORED)
    watch = made.watch()
    earlier = dict(watch.seen), dict(watch.anchored), watch.mark()
    charge(watch)
    look(watch)
    with watch.store.reading() as tables:
        watched = Watched(watch, tables, *earlier, to_write=False)
        assert watched.follow("loans").seq == 1
    assert look(watch).seq == 1


def test_an_anchor_may_be_behind(place: Callable[[Scope], Place]) -> None:
    made = place(ANCHORED)
    kept = made.anchor.path.read_bytes()
    charge(made.watch())
    made.anchor.path.write_bytes(kept)
    assert look(made.watch()).seq == 1
    charge(made.watch(), "1" * 32)
    assert [head.seq for head in made.anchor.heads()] == [0, 1, 2]


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
        (Anchor, "mark"),
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
    assert order == ["mark", "reading", "mark", "writing"]


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
