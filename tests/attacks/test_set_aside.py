"""Lines that are set aside: none of them frees a budget, or takes one for good."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator.ledger.junk import TENTH, write_past
from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, bring
from curator.ledger.store.test_server_functions import hand_in, next_line
from curator.ledger.teams import Team, team_at
from dpratio.curator.ledger.account.account import subject_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused


@pytest.fixture
def junk(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "junk.db")
    made.open_scope(SCOPE)
    return made


@pytest.fixture
def free(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, SCOPE) as made:
        yield made


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
            Ledger(junk.watch.store.files()[0]).account()  # type: ignore[union-attr]
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
    with pytest.raises(LedgerRefused):
        junk.charge(OTHER, PLAN)


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


def write_unknown(team: Team) -> int:
    """Let a superuser write a line of a kind that nobody knows; give its number."""
    line = next_line(team, "refund", subject="f" * 32)
    with team.connected() as connection:
        totals = "SELECT spent_loss, spent_delta FROM dpratio.entry ORDER BY seq DESC"
        spent = connection.execute(f"{totals} LIMIT 1".encode()).fetchone() or ()
        values = (*line.row, *spent)
        marks = ", ".join("%s" for _ in values)
        said = f"INSERT INTO dpratio.entry VALUES ({marks})"  # noqa: S608
        connection.execute(said.encode(), values)
    return line.seq


def test_34_the_server_opens_nothing_that_a_damaged_line_may_have_opened(
    free: Team,
) -> None:
    """Nobody can tell of which release it spoke, so it may have been any.

    Source: found by a review of this code, 2026.
    """
    free.ledger("curator").charge(ID, PLAN)
    number = write_unknown(free)
    free.ledger("owner").quarantine([number], why="damaged", by="otto")
    for kind in ("opened", "void"):
        line = next_line(free, kind, event={"by": ""} if kind == "void" else {})
        assert hand_in(free, line) == "lines were lost after the charge"
    assert free.ledger("reader").account().left.loss == 0


def test_34_an_owner_at_the_console_strands_no_charge(free: Team) -> None:
    """A line that can be followed was named; then that name is set aside.

    Source: found by a review of this code, 2026.
    """
    curator = free.ledger("curator")
    curator.charge(ID, PLAN)
    (charge,) = curator.account().releases[ID].entries
    told = {"by": "", "why": "x", "line": "1", "row": charge.row_hash}
    for row, said in (("0" * 64, "there is no such line"), (charge.row_hash, "")):
        line = next_line(
            free,
            "quarantined",
            subject="s",
            event=told | {"row": row},
            writer=free.person("owner"),
            charge=TENTH,
        )
        assert hand_in(free, line, "settle", "owner") == said
    again = replace(line, seq=3, subject="t", previous=line.hash)
    again = replace(again, hash=again.wanted_hash)
    said = hand_in(free, again, "settle", "owner")
    assert said == "the line is set aside already"
    free.ledger("owner").quarantine([2], why="a mistake", by="otto")
    curator.open(ID)
    assert curator.account().releases[ID].state == "opened"
