"""Lines that nobody can follow are set aside on the record, and free nothing."""

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.junk import TENTH, write_past
from curator.ledger.loans import CARDS, ID, OTHER, PLAN, SCOPE, bring, state, wrong_in
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused

NEW = "2" * 32
WHY = "written by hand"


def set_aside(ledger: Ledger, *lines: int) -> list[str]:
    return ledger.quarantine(lines, why=WHY, scope="loans", by="olga")


def refused(ledger: Ledger, lines: Iterable[object], **given: Any) -> str:  # noqa: ANN401
    terms: dict[str, Any] = {"why": WHY, "scope": "loans"}
    with pytest.raises((LedgerRefused, LedgerFailed, InvalidInput)) as error:
        ledger.quarantine(lines, **(terms | given))  # type: ignore[arg-type]
    return str(error.value)


def test_a_line_that_nobody_can_read_stops_all_until_it_is_set_aside(
    ledger: Ledger,
) -> None:
    ledger.open_scope(CARDS)
    bring(ledger, "published")
    write_past(ledger, subject=OTHER)
    for stopped in (
        lambda: ledger.account("loans"),
        lambda: ledger.charge(NEW, PLAN, scope="loans", source=named_source("a")),
        lambda: ledger.charge(NEW, PLAN, scope="cards", source=named_source("b")),
    ):
        with pytest.raises(LedgerFailed, match=r"entry 5 .*`dpratio ledger quaran"):
            stopped()
    (said,) = set_aside(ledger, 5)
    assert said.startswith("line 5 of scope 'loans', written by somebody without a n")
    assert "cannot be followed; olga" in said
    assert said.endswith(f": {WHY}. What it may have cost is spent.")
    account = ledger.account("loans")
    assert account.spent == TENTH + TENTH
    assert account.aside[5].entry.subject == OTHER
    assert state(ledger, OTHER) == "set aside"
    assert f"Set aside: {said}" in ledger.history("loans").said()
    columns = ledger.history("loans").columns()
    assert columns["state"] == ["published", "spent, set aside"]
    assert columns["by"][1] == columns["source"][1] == ""
    ledger.charge(NEW, PLAN, scope="loans", source=named_source("a"))
    ledger.charge("3" * 32, PLAN, scope="cards", source=named_source("b"))
    assert wrong_in(ledger) == ()
    assert ledger.account("loans").spent.loss == Fraction(3, 10)


def test_verify_says_what_is_in_quarantine(file_ledger: Ledger) -> None:
    assert verify_ledger(file_ledger).lines()[-1] == "The ledger is sound."
    write_past(file_ledger)
    assert verify_ledger(file_ledger).lines()[-1] == "The ledger is NOT sound."
    set_aside(file_ledger, 1)
    found = verify_ledger(file_ledger)
    assert found.wrong == ()
    assert len(found.aside) == 1
    assert f"Quarantined: {found.aside[0]}" in found.lines()
    assert str(found).endswith("The ledger is sound but for 1 line in quarantine.")
    write_past(file_ledger, subject=OTHER)
    set_aside(file_ledger, 3)
    assert verify_ledger(file_ledger).lines()[-1] == (
        "The ledger is sound but for 2 lines in quarantine."
    )


@pytest.mark.parametrize(
    ("before", "kind", "after"),
    [
        ("charge", "opened", "set aside"),
        ("opened", "sealed", "set aside"),
        ("charge", "void", "set aside"),
        ("sealed", "published", "published"),
        ("published", "published", "published"),
    ],
)
def test_a_step_that_is_set_aside_gives_nothing_back(
    before: str, kind: str, after: str, file_ledger: Ledger
) -> None:
    """A release ends there; only what was sealed can be had again."""
    bring(file_ledger, before)
    junk = write_past(file_ledger, kind, "9" * 32 if before == kind else ID)
    set_aside(file_ledger, junk.seq)
    assert file_ledger.account().spent == TENTH
    assert wrong_in(file_ledger) == ()
    assert state(file_ledger) == after
    if after == "set aside":
        with pytest.raises(LedgerRefused):
            file_ledger.void(ID)
        with pytest.raises(LedgerRefused, match=r"that was set aside\. Its charge is"):
            file_ledger.charge(ID, PLAN, scope="loans")
    else:
        assert file_ledger.sealed(ID, PLAN) == b"bytes"


def test_what_was_sealed_stays_sealed(file_ledger: Ledger) -> None:
    bring(file_ledger, "sealed")
    junk = write_past(file_ledger, "void")
    set_aside(file_ledger, junk.seq)
    assert state(file_ledger) == "sealed"
    file_ledger.publish(ID)


@pytest.mark.parametrize("kind", ["approved", "allowed", "withdrawn"])
def test_what_an_officer_wrote_wrongly_is_set_aside(kind: str, ledger: Ledger) -> None:
    ledger.approve(PLAN, source="mine", by="olga")
    (approval,) = ledger.account().approved
    subject = approval if kind == "withdrawn" else "9" * 64
    write_past(ledger, kind, subject)
    with pytest.raises(LedgerFailed, match="entry 2"):
        ledger.account()
    set_aside(ledger, 2)
    account = ledger.account()
    assert account.spent == Charge(Fraction(0), Fraction(0))
    assert set(account.approved) == {approval}
    # Somebody meant to withdraw it.
    is_withdrawn = account.approved[approval].withdrawal is not None
    assert is_withdrawn is (kind == "withdrawn")
    assert ledger.history().said()
    assert verify_ledger(ledger).wrong == ()


def test_a_withdrawal_of_nothing_is_set_aside(file_ledger: Ledger) -> None:
    write_past(file_ledger, "withdrawn", "9" * 64, {"by": "olga"})
    set_aside(file_ledger, 1)
    assert not file_ledger.account().approved


@pytest.mark.parametrize(
    ("changes", "cost"),
    [
        ({"loss": "2/5", "delta": "1/10000000"}, (Fraction(2, 5), Fraction(1, 10**7))),
        # What cannot be read may have cost all that is left.
        ({"loss": "much"}, (Fraction(1), Fraction(1, 10**6))),
        ({"loss": "-1/2"}, (Fraction(1), Fraction(1, 10**6))),
        ({"loss": "1/10", "delta": "-1/2"}, (Fraction(1), Fraction(1, 10**6))),
        # So may a kind that a later version knows, and a line that was edited.
        ({"kind": "charge of 2027"}, (Fraction(1), Fraction(1, 10**6))),
        ({"hash": "0" * 64}, (Fraction(1), Fraction(1, 10**6))),
        ({"previous": "0" * 64}, (Fraction(1), Fraction(1, 10**6))),
        # More than the cap is more than the cap.
        ({"loss": "3/1"}, (Fraction(3), Fraction(0))),
        ({"event": "["}, (Fraction(1, 10), Fraction(0))),
    ],
)
def test_a_line_in_a_file_counts_as_the_most_it_may_have_cost(
    changes: dict[str, Any], cost: tuple[Fraction, Fraction], file_ledger: Ledger
) -> None:
    write_past(file_ledger, **changes)
    set_aside(file_ledger, 1)
    account = file_ledger.account()
    assert account.spent == Charge(*cost)
    again = Ledger(str(file_ledger.watch.store.files()[0]))  # type: ignore[union-attr]
    assert again.account() == account
    assert wrong_in(again) == ()
    if cost[0] >= 1:
        with pytest.raises(LedgerRefused, match="does not come back"):
            file_ledger.charge(OTHER, PLAN)


def test_a_sum_that_gets_too_long_is_rounded_up(file_ledger: Ledger) -> None:
    for number, prime in enumerate((10**140 + 13, 10**140 + 33)):
        write_past(file_ledger, subject=f"{number:032x}", loss=f"1/{prime}")
    set_aside(file_ledger, 1, 2)
    assert file_ledger.account().spent.loss == Fraction(1, 10**110)
    assert wrong_in(file_ledger) == ()


def test_a_line_without_its_place_is_not_set_aside(file_ledger: Ledger) -> None:
    write_past(file_ledger, seq=3)
    assert "entry 3 of scope 'loans' does not follow" in refused(file_ledger, [3])


def test_only_all_lines_that_nobody_can_follow_are_set_aside(
    file_ledger: Ledger,
) -> None:
    none = "name all lines of scope 'loans' that cannot be followed, and no others: "
    assert refused(file_ledger, []) == f"{none}none."
    bring(file_ledger, "charge")
    sound = "line 1 of scope 'loans' can be followed, is set aside already, or is not"
    assert refused(file_ledger, [1]).startswith(sound)
    write_past(file_ledger, subject=OTHER)
    write_past(file_ledger, subject=NEW)
    assert refused(file_ledger, [1, 2, 3]).startswith(sound)
    assert refused(file_ledger, [2]) == f"{none}2 3."
    assert refused(file_ledger, []) == f"{none}2 3."
    assert "a line is set aside for a reason" in refused(file_ledger, [2, 3], why=" ")
    assert "why must be one line" in refused(file_ledger, [2, 3], why="a\nb")
    assert "by must be one line" in refused(file_ledger, [2, 3], by="a\nb")
    assert "lines are numbers of lines" in refused(file_ledger, ["2", True])
    set_aside(file_ledger, 3, 2)
    assert [*file_ledger.account().aside] == [2, 3]
    assert refused(file_ledger, [2]).startswith("line 2 of scope 'loans' can be")


def forged(ledger: Ledger, line: int = 1, **changes: Any) -> None:  # noqa: ANN401
    """Write a line that sets another aside, with something changed."""
    with ledger.watch.store.reading() as tables:
        row = tables.entries("loans", 0)[line - 1].row_hash
    event = {"by": "", "why": WHY, "line": str(line), "row": row}
    event |= changes.pop("event", {})
    with ledger.watch.store.reading() as tables:
        seq = len(tables.entries("loans", 0)) + 1
    subject = subject_of(event, seq)
    given = {"loss": "1/10", "delta": "0/1", "subject": subject} | changes
    write_past(ledger, "quarantined", told=event, **given)


@pytest.mark.parametrize(
    "changes",
    [
        {"loss": "0/1"},
        {"loss": "1/20"},
        {"loss": ""},
        {"subject": "0" * 64},
        {"event": {"row": "0" * 64}},
        {"event": {"line": "2"}},
        {"event": {"line": "one"}},
        {"event": {"more": "x"}},
    ],
)
def test_a_line_that_sets_another_aside_wrongly_is_junk_itself(
    changes: dict[str, Any], file_ledger: Ledger
) -> None:
    write_past(file_ledger)
    forged(file_ledger, **changes)
    with pytest.raises(LedgerFailed, match=r"entry [12] of"):
        file_ledger.account()
    set_aside(file_ledger, 1, 2)
    assert file_ledger.account().spent == TENTH
    assert wrong_in(file_ledger) == ()


def test_a_line_is_set_aside_as_the_library_writes_it(file_ledger: Ledger) -> None:
    write_past(file_ledger)
    forged(file_ledger)
    assert file_ledger.account().spent == TENTH


def test_a_line_that_only_junk_names_is_not_set_aside(file_ledger: Ledger) -> None:
    write_past(file_ledger)
    forged(file_ledger, loss="0/1")
    forged(file_ledger, line=2)
    with pytest.raises(LedgerFailed, match="entry 1 of"):
        file_ledger.account()
    set_aside(file_ledger, 1)
    assert file_ledger.account().spent == TENTH


def test_a_real_charge_cannot_be_set_aside(file_ledger: Ledger) -> None:
    """Not even by one who writes the line by hand."""
    bring(file_ledger, "charge")
    for loss in ("1/10", "0/1"):
        forged(file_ledger, loss=loss)
    with pytest.raises(LedgerFailed, match="entry 2"):
        file_ledger.account()
    set_aside(file_ledger, 2, 3)
    assert file_ledger.account().spent == TENTH
    assert state(file_ledger) == "charge"


def test_lines_that_are_set_aside_are_anchored(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads")
    ledger.open_scope(SCOPE)
    bring(ledger, "charge")
    for number in (5, 6, 7):
        write_past(ledger, subject=f"{number:032x}")
    with pytest.raises(LedgerRefused, match="is anchored"):
        set_aside(Ledger(tmp_path / "budget.db"), 2, 3, 4)
    set_aside(ledger, 2, 3, 4)
    found = verify_ledger(Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads"))
    assert (found.wrong, len(found.aside)) == ((), 3)
    assert not any("anchor" in each for each in found.notes)
