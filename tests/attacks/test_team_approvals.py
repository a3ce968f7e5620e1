"""A team's approvals and its owner: no limit, role or junk line frees a budget."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator.ledger.loans import ID, OTHER, PLAN, SCOPE
from curator.ledger.store.test_server_approvals import approve, charge_line
from curator.ledger.store.test_server_functions import hand_in, next_line
from curator.ledger.teams import Team, team_at
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock as room
from dpratio.errors import LedgerRefused

MINE = named_source("mine")
ASKS = replace(SCOPE, needs_approval=True)
OTHERS = replace(ASKS, approvals_by_others=True)


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(OTHERS)
    return made


@pytest.fixture
def team(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, OTHERS) as made:
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


def test_38_the_server_opens_only_what_is_still_approved(team: Team) -> None:
    """Nor does a console help, or the officer's own hand.

    Source: found by an independent attack on this code, 2026.
    """
    in_both_roles(team)
    approve(team, "stranger", most=1)
    line = charge_line(team)
    assert hand_in(team, line) == ""
    own = next_line(
        team, "opened", subject=line.subject, writer=team.person("stranger")
    )
    said = hand_in(team, own, role="stranger")
    assert said == "the approval must be by somebody else"
    team.ledger("stranger").withdraw(1)
    late = next_line(team, "opened", subject=line.subject)
    assert hand_in(team, late) == "the approval was withdrawn"
