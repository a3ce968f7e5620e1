"""Approvals that are limited, withdrawn or one's own admit nothing; each says why."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.junk import write_past
from curator.ledger.loans import PLAN, SCOPE, plan_of, wrong_in
from curator.ledger.teams import Team, team_at
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.history import describe_plan
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock as room
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.release.files import plan_hash
from dpratio.terms.budget import Budget

MINE = named_source("mine")
ASKS = replace(SCOPE, needs_approval=True)
OTHERS = replace(ASKS, approvals_by_others=True)
THIS = f"this plan, {plan_hash(PLAN)[:12]}…,"


@pytest.fixture
def book(any_ledger: str) -> Ledger:
    made = Ledger(any_ledger)
    made.open_scope(ASKS)
    return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the ledger's clock says; the last word holds."""
    times = ["2026-11-16T12:00:00Z"]
    monkeypatch.setattr(room, "time_now", lambda: times[-1])
    return times


def ask(ledger: Ledger, number: int, by: str = "ann", **given: Any) -> None:  # noqa: ANN401
    ledger.charge(f"{number:032x}", given.pop("plan", PLAN), source=MINE, by=by)


def refusal(ledger: Ledger, by: str = "ann") -> str:
    before = ledger.account()
    with pytest.raises(LedgerRefused) as refused:
        ask(ledger, 99, by)
    assert ledger.account() == before
    return str(refused.value)


# --- Limits ---------------------------------------------------------------------------


def test_an_approval_is_for_so_many_releases(book: Ledger) -> None:
    book.approve(PLAN, source="mine", most=2, by="olga")
    ask(book, 1)
    ask(book, 2)
    said = refusal(book)
    assert said.startswith(
        f"scope 'loans' admits approved studies only; the approval of {THIS} by olga"
    )
    assert said.endswith(
        ", line 1 of the ledger, was for 2 releases, and that many were charged. Ask "
        "for a new approval with `dpratio ledger approve`."
    )
    # A charge that was given back was no release.
    book.void(f"{2:032x}")
    ask(book, 3)
    assert "was for 2 releases" in refusal(book)
    book.approve(PLAN, source="mine", most=2, by="olga")
    ask(book, 4)
    assert [each.used for each in book.account().approved.values()] == [2, 1]
    assert wrong_in(book) == ()


def test_an_approval_ends(clock: list[str], tmp_path: Path) -> None:
    book = Ledger(tmp_path / "more.db")
    book.open_scope(ASKS)
    book.approve(PLAN, source="mine", until="2026-11-17", by="olga")
    clock.append("2026-11-17T23:59:59Z")
    ask(book, 1)
    clock.append("2026-11-18T00:00:00Z")
    assert "by olga, line 1 of the ledger, ended on 2026-11-17. Ask for" in refusal(
        book
    )
    # A clock that goes back brings nothing back, once a line is newer.
    book.allow_source("more", by="olga")
    clock.append("2026-11-16T00:00:00Z")
    assert "ended on 2026-11-17" in refusal(book)


def test_a_server_has_a_clock_of_its_own(postgres_url: str, clock: list[str]) -> None:
    """A client whose clock is behind is refused by the server."""
    book = Ledger(postgres_url)
    book.open_scope(ASKS)
    clock.append("2020-01-01T00:00:00Z")
    book.approve(PLAN, source="mine", until="2020-12-31", by="olga")
    with pytest.raises(LedgerFailed, match="the server's own check refused the line"):
        ask(book, 1)
    assert book.account().seq == 1


def test_a_withdrawn_approval_admits_nothing(book: Ledger) -> None:
    book.approve(PLAN, source="mine", by="olga")
    ask(book, 1)
    for _ in range(2):
        book.withdraw(1, by="pia")
    assert book.account().seq == 3
    said = refusal(book)
    assert ", line 1 of the ledger, was withdrawn on 20" in said
    assert " by pia" in said
    with pytest.raises(LedgerRefused, match="charged and not begun; its approval by"):
        book.open(f"{1:032x}")
    book.void(f"{1:032x}")
    book.approve(PLAN, source="mine", by="olga")
    ask(book, 2)
    book.open(f"{2:032x}")
    assert (
        book.account().releases[f"{2:032x}"].said("charge")["approval"]
        == (list(book.account().approved)[-1])
    )
    assert wrong_in(book) == ()


@pytest.mark.parametrize("line", [0, 2, -1, "1"])
def test_only_an_approval_is_withdrawn(line: Any, file_ledger: Ledger) -> None:  # noqa: ANN401
    file_ledger.approve(PLAN, source="mine")
    file_ledger.allow_source("more")
    rule = f"there is no approval on line {line} of scope 'loans'"
    with pytest.raises(LedgerRefused, match=rule):
        file_ledger.withdraw(line)
    with pytest.raises(InvalidInput, match="by must be one line"):
        file_ledger.withdraw(1, by="a\nb")


def test_what_is_not_counted_is_used_first_then_what_ends_first(
    clock: list[str], tmp_path: Path
) -> None:
    book = Ledger(tmp_path / "more.db")
    book.open_scope(ASKS)
    book.approve(PLAN, source="mine", most=1)
    book.approve(PLAN, source="mine", most=1, until="2026-12-31")
    book.approve(PLAN, source="mine", until="2026-11-16")
    ask(book, 1)
    clock.append("2026-11-17T00:00:00Z")
    ask(book, 2)
    ask(book, 3)
    used = {each.entry.seq: each.used for each in book.account().approved.values()}
    assert used == {1: 1, 2: 1, 3: 1}
    assert "line 3 of the ledger, ended on" in refusal(book)


def test_the_same_approval_is_written_once_until_it_is_used(book: Ledger) -> None:
    terms: list[dict[str, Any]] = [
        {},
        {"most": 1},
        {"until": "2999-12-31"},
        {"most": 1, "until": "2999-12-31"},
    ]
    for _ in range(2):
        for term in terms:
            book.approve(PLAN, source="mine", **term)
    assert book.account().seq == 4
    book.withdraw(1)
    book.withdraw(3)
    ask(book, 1)  # under what ends first
    book.approve(PLAN, source="mine", most=1, until="2999-12-31")
    assert book.account().seq == 8
    book.approve(PLAN, source="mine", until="2020-12-31")
    book.approve(PLAN, source="mine", until="2020-12-31")
    assert book.account().seq == 10


def test_what_stands_where_is_shown(book: Ledger) -> None:
    book.approve(PLAN, source="mine", most=1, by="olga")
    ask(book, 1)
    book.approve(PLAN, source="mine", until="2020-12-31", by="olga")
    book.approve(plan_of("0.2"), source="mine", by="olga")
    book.withdraw(4, by="pia")
    book.approve(PLAN, source="mine", most=1_000, until="2999-12-31", by="olga")
    said = [each for each in book.history().said() if each.startswith("Approval on")]
    ends = [each.partition("by olga")[2].partition("; ")[2] for each in said]
    assert ends[0] == "1 of 1 used, was for 1 release, and that many were charged."
    assert ends[1] == "until 2020-12-31, ended on 2020-12-31."
    assert ends[2].startswith("was withdrawn on 20")
    assert ends[3] == "0 of 1,000 used, until 2999-12-31, open."
    assert "Only approved studies run: 4 so far." in book.history().said()
    assert describe_plan(book.account(), PLAN, MINE.written).endswith("fits 9 times.")
    other = describe_plan(book.account(), plan_of("0.2"), MINE.written)
    assert "would be refused" in other
    assert "was withdrawn on" in other


# --- Somebody else --------------------------------------------------------------------


def test_in_a_file_the_names_must_differ(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "budget.db")
    book.open_scope(OTHERS)
    with pytest.raises(InvalidInput, match="needs to know who approves, got ' '"):
        book.approve(PLAN, source="mine", by=" ")
    book.approve(PLAN, source="mine", by="Olga")
    words = "must come from another person than the one who asks in this scope"
    for by in ("Olga", " olga", ""):
        assert words in refusal(book, by)
    ask(book, 1, "ann")
    # Each approval counts for those who did not write it.
    book.approve(PLAN, source="mine", by="ann")
    book.approve(PLAN, source="mine", by="ann")
    assert book.account().seq == 3
    ask(book, 2, "Olga")
    assert wrong_in(book) == ()
    said = book.history().said()
    assert "Only studies that somebody else approved run: 2 so far." in said
    assert describe_plan(book.account(), PLAN, MINE.written).endswith("fits 8 times.")


@pytest.fixture
def team(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, OTHERS) as made:
        yield made


def test_on_a_server_the_users_must_differ(team: Team) -> None:
    """Names that are given do not matter where the server knows its users."""
    with team.connected() as connection:
        for role in ("curator", "officer"):
            both = f"GRANT {team.prefix}_{role} TO {team.person('stranger')}"
            connection.execute(both.encode())
    both_roles, officer = team.ledger("stranger"), team.ledger("officer")
    both_roles.approve(PLAN, source="mine", by="olga")
    words = "must come from another person"
    with pytest.raises(LedgerRefused, match=words):
        ask(both_roles, 1, "ann")
    ask(team.ledger("curator"), 2, "olga")
    officer.approve(PLAN, source="mine", by="olga")
    ask(both_roles, 3, "olga")
    assert wrong_in(team.ledger("reader")) == ()


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"approval": "0" * 64},
        {"plan": "0" * 64},
        {"source": named_source("other").written.text},
        {"by": "olga"},
    ],
)
def test_a_charge_past_its_approval_does_not_follow(
    told: dict[str, str], tmp_path: Path
) -> None:
    book = Ledger(tmp_path / "budget.db")
    book.open_scope(OTHERS)
    book.approve(PLAN, source="mine", by="olga")
    (approval,) = book.account().approved
    event = {
        "approval": approval,
        "plan": plan_hash(PLAN),
        "by": "ann",
        "source": MINE.written.text,
        "place": MINE.place.text,
        "salt": "0",
    }
    if told:
        event |= told
    else:
        del event["approval"]
    write_past(book, told=event)
    with pytest.raises(LedgerFailed, match="entry 2"):
        book.account()
    book.quarantine([2], why="no approval")
    ask(book, 1)


def test_approvals_by_others_are_approvals() -> None:
    with pytest.raises(InvalidInput, match="need a scope that demands approval"):
        Scope("loans", Budget(1), approvals_by_others=True)
