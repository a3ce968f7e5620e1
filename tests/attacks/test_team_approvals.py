"""A team's approvals and its owner: no limit, role or junk line frees a budget."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator.ledger.junk import TENTH, write_past
from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, bring
from curator.ledger.store.test_server_approvals import approve, charge_line
from curator.ledger.store.test_server_functions import hand_in, next_line
from curator.ledger.teams import Team, team_at
from dpratio.curator.ledger import ledger as room
from dpratio.curator.ledger.account.account import subject_of
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused

MINE = named_source("mine")
ASKS = replace(SCOPE, needs_approval=True)
OTHERS = replace(ASKS, approvals_by_others=True)


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(OTHERS)
    return made


@pytest.fixture
def junk(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "junk.db")
    made.open_scope(SCOPE)
    return made


@pytest.fixture
def team(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, OTHERS) as made:
        yield made


@pytest.fixture
def free(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, SCOPE) as made:
        yield made


def is_refused(ledger: Ledger, release_id: str = ID, by: str = "ann") -> bool:
    try:
        ledger.charge(release_id, PLAN, source=MINE, by=by)
    except LedgerRefused:
        return True
    return False


# --- Row 38: what was approved, by whom, and within which limits ----------------------


def test_38_an_approval_that_was_withdrawn_admits_nothing(book: Ledger) -> None:
    """An officer who changes their mind is obeyed.

    Source: issue 22 (approvals can be withdrawn).
    """
    book.approve(PLAN, source="mine", by="olga")
    book.withdraw(1, by="olga")
    assert is_refused(book)
    assert book.account().spent.loss == 0


def test_38_an_approval_admits_no_more_than_its_number(book: Ledger) -> None:
    """Averaging many releases of one approval would undo its noise.

    Source: issue 22 (approvals are limited in number).
    """
    book.approve(PLAN, source="mine", most=1, by="olga")
    assert not is_refused(book)
    assert is_refused(book, OTHER)


def test_38_an_approval_that_ended_admits_nothing(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it after somebody sets the clock back.

    Source: issue 22 (approvals are limited in time).
    """
    times = ["2026-11-17T00:00:00Z"]
    monkeypatch.setattr(room, "time_now", lambda: times[-1])
    book.approve(PLAN, source="mine", until="2026-11-16", by="olga")
    assert is_refused(book)
    times.append("2026-11-15T00:00:00Z")
    assert is_refused(book)


def test_38_nobody_approves_for_themselves(book: Ledger, team: Team) -> None:
    """Names count in a file; on a server its users do, whatever the names.

    Source: issue 22 (nobody approves their own plan where the scope says so).
    """
    book.approve(PLAN, source="mine", by="olga")
    assert is_refused(book, by=" Olga")
    assert is_refused(book, by="")
    assert not is_refused(book)
    both = in_both_roles(team)
    both.approve(PLAN, source="mine", by="olga")
    assert is_refused(both, by="ann")
    assert not is_refused(team.ledger("curator"), by="olga")


def in_both_roles(team: Team) -> Ledger:
    """The ledger of a person who is a curator and an officer."""
    with team.connected() as connection:
        for role in ("curator", "officer"):
            said = f"GRANT {team.prefix}_{role} TO {team.person('stranger')}"
            connection.execute(said.encode())
    return team.ledger("stranger")


def test_38_a_charge_without_a_valid_approval_does_not_follow(book: Ledger) -> None:
    """A line that is written past the library stops the scope.

    Source: found by an independent attack on this code, 2026.
    """
    book.approve(PLAN, source="mine", by="olga")
    event = {"plan": "0" * 64, "by": "ann", "source": MINE.written.text}
    write_past(book, told=event | {"place": MINE.place.text, "salt": "0"})
    with pytest.raises(LedgerFailed, match="entry 2"):
        book.account()


def test_38_the_server_holds_charges_to_their_approval(team: Team) -> None:
    """A curator with a console needs an open approval of this plan and source.

    Source: issue 22 (enforced inside the database, not only in Python).
    More: tests/curator/ledger/store/test_server_approvals.py.
    """
    none = "the charge names no approval of its plan and source"
    approve(team)
    assert hand_in(team, charge_line(team, approval="")) == none
    assert hand_in(team, charge_line(team, plan="0" * 64)) == none
    assert hand_in(team, charge_line(team, source="{}")) == none
    team.ledger("officer").withdraw(1)
    assert hand_in(team, charge_line(team)) == "the approval was withdrawn"


def test_38_the_server_counts_uses_and_looks_at_its_own_clock(team: Team) -> None:
    """Neither another spelling nor an old date of the line helps a curator.

    Source: issue 22 (enforced inside the database, not only in Python).
    """
    approve(team, most=1)
    line = charge_line(team)
    spelled = replace(line, event=line.event.replace('": "', '":"', 1))
    spelled = replace(spelled, hash=spelled.wanted_hash)
    assert hand_in(team, spelled) == "the charge must name its approval first"
    assert hand_in(team, line) == ""
    assert hand_in(team, charge_line(team)) == "the approval was used up"
    approve(team, until="2020-12-31")
    old = replace(charge_line(team), time="2020-01-01T00:00:00Z")
    old = replace(old, hash=old.wanted_hash)
    assert hand_in(team, old) == "the approval has ended"
    far = replace(charge_line(team), time="2999-01-01T00:00:00Z")
    far = replace(far, hash=far.wanted_hash)
    assert hand_in(team, far).startswith("the time of the line is none")


def test_38_the_server_knows_who_approved_and_who_asks(team: Team) -> None:
    """Somebody with both roles and a console approves nothing for themselves.

    Source: issue 22 (with session_user, inside the functions).
    """
    in_both_roles(team)
    approve(team, "stranger")
    own = charge_line(team, "stranger")
    said = hand_in(team, own, role="stranger")
    assert said == "the approval must be by somebody else"


# --- Rows 32 and 34: lines that are set aside -----------------------------------------


def test_34_a_line_that_nobody_can_read_does_not_block_a_scope(junk: Ledger) -> None:
    """It is set aside on the record, counts in full, and is not passed in silence.

    Source: issue 22 (a junk row by one user cannot block a scope for good).
    """
    bring(junk, "charge")
    write_past(junk, subject=OTHER)
    with pytest.raises(LedgerFailed, match="entry 2"):
        junk.account()
    junk.quarantine([2], why="written by hand", by="otto")
    assert junk.account().spent == TENTH + TENTH
    found = verify_ledger(junk)
    assert any(each.startswith("Quarantined: line 2") for each in found.lines())
    assert found.lines()[-1] != "The ledger is sound."
    junk.charge("2" * 32, PLAN)


def test_34_a_charge_that_can_be_followed_is_not_set_aside(junk: Ledger) -> None:
    """Neither by the command, nor by a line that an owner writes by hand.

    Source: found by an independent attack on this code, 2026.
    """
    bring(junk, "opened")
    with pytest.raises(LedgerRefused, match="can be followed"):
        junk.quarantine([1], why="mine", by="otto")
    row = junk.account().releases[ID].entries[0].row_hash
    told = {"by": "", "why": "mine", "line": "1", "row": row}
    write_past(junk, "quarantined", "s", told, loss="0/1", delta="0/1")
    with pytest.raises(LedgerFailed, match="entry 3"):
        junk.account()
    junk.quarantine([3], why="a mistake", by="otto")
    assert junk.account().spent == TENTH


def test_34_a_line_that_is_only_named_is_not_set_aside(junk: Ledger) -> None:
    """A line that sets another aside must be sound itself, and state what is spent.

    Source: found by an independent attack on this code, 2026.
    """
    line = write_past(junk, loss="1/1")
    told = {"by": "", "why": "", "line": "1", "row": line.row_hash}
    for number, stated in ((2, "0/1"), (3, "1/2")):
        subject = subject_of(told, number)
        write_past(junk, "quarantined", subject, told, loss=stated, delta="0/1")
        with pytest.raises(LedgerFailed):
            Ledger(junk.watch.store.files()[0]).account()  # type: ignore[attr-defined]
    for number in (2, 3):
        with junk.watch.store.reading() as tables:
            other = tables.entries("loans", 0)[number - 1].row_hash
        told = {"by": "", "why": "", "line": str(number), "row": other}
        subject = subject_of(told, number + 2)
        write_past(junk, "quarantined", subject, told, loss="1/1", delta="0/1")
    # Both who named it are set aside themselves, so nobody has set it aside.
    with pytest.raises(LedgerFailed, match="entry 1"):
        junk.account()
    junk.quarantine([1], why="junk", by="otto")
    assert junk.account().left.loss == 0


UNKNOWN: dict[str, Callable[[Ledger], object]] = {
    "a kind of a later version": lambda book: write_past(book, "charge of 2027"),
    "an edited line": lambda book: write_past(book, hash="0" * 64),
    "a cost that is no number": lambda book: write_past(book, loss="much"),
    "a cost below nothing": lambda book: write_past(book, loss="-1/1"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_34_what_cannot_be_known_may_have_cost_all_that_is_left(
    name: str, junk: Ledger
) -> None:
    """Or an owner would drop a real charge after making it unreadable.

    Source: found by an independent attack on this code, 2026.
    """
    UNKNOWN[name](junk)
    junk.quarantine([1], why="junk", by="otto")
    assert junk.account().left.loss == 0
    assert is_refused(junk)


def test_34_a_void_that_is_set_aside_gives_nothing_back(junk: Ledger) -> None:
    """Nor is a release voided after one of its lines was set aside.

    Source: found by an independent attack on this code, 2026.
    """
    bring(junk, "charge")
    write_past(junk, "opened")
    junk.quarantine([2], why="junk", by="otto")
    with pytest.raises(LedgerRefused, match="is set aside, so it cannot be voided"):
        junk.void(ID)
    assert junk.account().spent == TENTH


def test_34_only_the_owner_sets_aside_on_a_server_and_frees_nothing(
    free: Team,
) -> None:
    """A curator who charges, voids and writes junk gains no budget by it.

    Source: found by an independent attack on this code, 2026.
    """
    curator = free.ledger("curator")
    write_past(curator, loss="1/1")
    write_past(curator, "void")
    for role in ("curator", "officer"):
        with pytest.raises(LedgerFailed, match="may not do that"):
            free.ledger(role).quarantine([1, 2], why="junk")
    free.ledger("owner").quarantine([1, 2], why="junk", by="otto")
    assert hand_in(free, next_line(free, "opened")) == "the release was set aside"
    charge = next_line(free, subject=OTHER)
    assert hand_in(free, charge) == "the charge exceeds the cap"


def test_34_an_owner_at_the_console_lowers_no_total(free: Team) -> None:
    """The server keeps the larger of what it has added up and what it is told.

    Source: found by an independent attack on this code, 2026.
    """
    curator = free.ledger("curator")
    whole = next_line(free, charge=replace(TENTH, loss=TENTH.loss * 10))
    assert hand_in(free, whole) == ""
    told = {"by": "", "why": "x", "line": "1", "row": whole.row_hash}
    line = next_line(
        free, "quarantined", subject="s", event=told, writer=free.person("owner")
    )
    line = replace(line, loss="0/1", delta="0/1")
    line = replace(line, hash=line.wanted_hash)
    assert hand_in(free, line, "settle", "owner") == ""
    with pytest.raises(LedgerFailed, match="entry 2"):
        curator.account()
    with pytest.raises(LedgerFailed, match="the server's own check refused"):
        write_past(curator, subject=OTHER)
    free.ledger("owner").quarantine([2], why="a mistake")
    charge = next_line(free, subject=OTHER)
    assert hand_in(free, charge) == "the charge exceeds the cap"
