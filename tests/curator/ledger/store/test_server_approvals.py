"""The server itself holds approvals, and lines that were set aside, to their rules.

Whoever logs in as a curator, an officer or an owner and calls the functions directly
gets no further than through the library.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from curator.ledger.junk import write_past
from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, wrong_in
from curator.ledger.store.test_server_functions import hand_in, next_line
from curator.ledger.teams import Team, team_at
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.release.files import plan_hash

MINE = named_source("mine")
OTHERS = replace(SCOPE, needs_approval=True, approvals_by_others=True)


@pytest.fixture
def team(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, OTHERS) as made:
        yield made


def charge_line(team: Team, role: str = "curator", **told: str) -> Entry:
    """A charge as the library writes it under the last approval, or changed."""
    approvals = [*team.ledger("reader").account().approved, "0" * 64]
    event = {
        "approval": approvals[-2] if len(approvals) > 1 else approvals[-1],
        "plan": plan_hash(PLAN),
        "by": "ann",
        "source": MINE.written.text,
        "place": MINE.place.text,
        "salt": "0",
    } | told
    number = len(team.ledger("reader").account().releases)
    kept = {name: word for name, word in event.items() if word}
    return next_line(
        team, subject=f"{number:032x}", event=kept, writer=team.person(role)
    )


def approve(team: Team, role: str = "officer", **limits: Any) -> None:  # noqa: ANN401
    team.ledger(role).approve(PLAN, source="mine", by="olga", **limits)


def test_a_charge_needs_its_approval(team: Team) -> None:
    none = "the charge names no approval of its plan and source"
    assert hand_in(team, charge_line(team)) == none
    approve(team)
    assert hand_in(team, charge_line(team, approval="")) == none
    assert hand_in(team, charge_line(team, approval="0" * 64)) == none
    assert hand_in(team, charge_line(team, plan="0" * 64)) == none
    assert hand_in(team, charge_line(team, source="{}")) == none
    assert hand_in(team, charge_line(team, source="")) == none
    assert hand_in(team, charge_line(team)) == ""
    assert wrong_in(team.ledger("reader")) == ()


def test_a_withdrawn_approval_admits_nothing(team: Team) -> None:
    approve(team)
    line = charge_line(team)
    team.ledger("officer").withdraw(1, by="olga")
    assert hand_in(team, charge_line(team)) == "the approval was withdrawn"
    assert hand_in(team, line) == "the line does not follow the last one"


def test_only_an_officer_withdraws_and_only_an_approval(team: Team) -> None:
    with pytest.raises(LedgerFailed, match="this user may not do that"):
        approve(team, "curator")
    approve(team)
    with pytest.raises(LedgerFailed, match="this user may not do that"):
        team.ledger("curator").withdraw(1)
    line = next_line(
        team,
        "withdrawn",
        subject="0" * 64,
        event={"by": ""},
        writer=team.person("officer"),
    )
    assert hand_in(team, line, "approve", "officer") == "there is no such approval"
    mine = next_line(team, "withdrawn", subject="0" * 64, event={"by": ""})
    assert hand_in(team, mine) == "this is not yours to write"


def test_uses_are_counted_however_a_line_is_written(team: Team) -> None:
    approve(team, most=2)
    line = charge_line(team)
    said = json.loads(line.event)
    for event in (
        json.dumps(said, sort_keys=True, separators=(",", ":")),
        json.dumps(dict(reversed(said.items()))),
        line.event.replace('"approval": "', '"approval": "\\u0030', 1).replace(
            said["approval"], said["approval"][1:]
        ),
    ):
        other = replace(line, event=event)
        other = replace(other, hash=other.wanted_hash)
        assert hand_in(team, other) in {
            "the charge must name its approval first",
            "the charge names no approval of its plan and source",
        }
    assert hand_in(team, charge_line(team)) == ""
    assert hand_in(team, charge_line(team)) == ""
    assert hand_in(team, charge_line(team)) == "the approval was used up"
    void = next_line(team, "void", subject=f"{0:032x}", event={"by": ""})
    assert hand_in(team, void) == ""
    assert hand_in(team, charge_line(team)) == ""
    assert hand_in(team, charge_line(team)) == "the approval was used up"
    assert wrong_in(team.ledger("reader")) == ()


def test_the_clock_of_the_server_counts_and_so_does_that_of_the_line(
    team: Team,
) -> None:
    approve(team, until="2020-12-31")
    line = replace(charge_line(team), time="2020-01-01T00:00:00Z")
    line = replace(line, hash=line.wanted_hash)
    assert hand_in(team, line) == "the approval has ended"
    approve(team, until="2999-12-31")
    none = "the time of the line is none, or is still to come"
    for time in ("", "3000-01-01T00:00:00Z", "2020-01-01", "zz", "2020-01-01T00:00:00"):
        line = replace(charge_line(team), time=time)
        assert hand_in(team, replace(line, hash=line.wanted_hash)) == none
    assert hand_in(team, charge_line(team)) == ""


def test_nobody_runs_what_they_approved(team: Team) -> None:
    """Whatever names are given: the server knows who is there."""
    with team.connected() as connection:
        for role in ("curator", "officer"):
            said = f"GRANT {team.prefix}_{role} TO {team.person('stranger')}"
            connection.execute(said.encode())
    approve(team, "stranger")
    own = charge_line(team, "stranger")
    assert (
        hand_in(team, own, role="stranger") == "the approval must be by somebody else"
    )
    assert hand_in(team, own) == "the line names another user"
    assert hand_in(team, charge_line(team)) == ""


def test_an_approval_without_a_user_of_the_server_is_nobodys(team: Team) -> None:
    """Lines that come from a file name no user."""
    approve(team)
    with psycopg.connect(team.address) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "UPDATE dpratio.entry SET event = (event::jsonb - 'session')::text"
        )
    with psycopg.connect(team.address) as connection:
        found = connection.execute(
            "SELECT hash FROM dpratio.entry ORDER BY seq DESC LIMIT 1"
        ).fetchone()
    assert found is not None
    with psycopg.connect(team.of("curator"), autocommit=True) as connection:
        rows = connection.execute("SELECT subject FROM dpratio.entry").fetchall()
        line = next_line_after(team, str(found[0]), str(rows[0][0]))
        marks = ", ".join("%s" for _ in line.row)
        with pytest.raises(psycopg.Error, match="must be by somebody else"):
            connection.execute(f"SELECT dpratio.append({marks})".encode(), line.row)


def next_line_after(team: Team, head: str, approval: str) -> Entry:
    event = {
        "approval": approval,
        "plan": plan_hash(PLAN),
        "by": "ann",
        "source": MINE.written.text,
        "session": team.person("curator"),
    }
    line = Entry(
        scope="loans",
        seq=2,
        time="2026-01-01T00:00:00Z",
        subject=ID,
        kind="charge",
        loss="1/10",
        delta="0/1",
        event=json.dumps(event, sort_keys=True),
        previous=head,
    )
    return replace(line, hash=line.wanted_hash)


# --- Lines that were set aside --------------------------------------------------------


@pytest.fixture
def free(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, SCOPE) as made:
        yield made


def test_the_owner_sets_aside_what_a_curator_wrote(free: Team) -> None:
    curator = free.ledger("curator")
    curator.charge(ID, PLAN)
    write_past(curator, subject=OTHER)
    write_past(curator, "void", ID)
    for role in ("curator", "officer", "reader"):
        with pytest.raises(LedgerFailed, match="this user may not do that"):
            free.ledger(role).quarantine([2, 3], why="junk")
    (first, second) = free.ledger("owner").quarantine([2, 3], why="junk", by="otto")
    person = free.person("curator")
    assert f"written by somebody without a name ({person}), cannot" in first
    assert f"otto ({free.person('owner')}) set it aside on" in second
    account = free.ledger("reader").account()
    assert account.spent.loss * 5 == 1
    assert verify_ledger(free.ledger("reader")).wrong == ()
    assert len(verify_ledger(free.ledger("reader")).aside) == 2
    free.ledger("curator").charge("2" * 32, PLAN)
    assert wrong_in(free.ledger("reader")) == ()


def test_the_server_gives_nothing_back_for_what_was_set_aside(free: Team) -> None:
    """Its own totals count too: a void that was set aside is spent there as well."""
    curator = free.ledger("curator")
    write_past(curator, loss="1/1")
    write_past(curator, "void")
    free.ledger("owner").quarantine([1, 2], why="junk")
    line = next_line(free, subject=OTHER)
    assert hand_in(free, line) == "the charge exceeds the cap"
    for kind in ("opened", "void"):
        assert hand_in(free, next_line(free, kind)) == "the release was set aside"
    with pytest.raises(LedgerRefused, match="does not come back"):
        curator.charge(OTHER, PLAN)
    assert wrong_in(free.ledger("reader")) == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"loss": "0/1"}, ""),
        ({"loss": "-1/1"}, "what is spent must be exact"),
        ({"delta": ""}, "what is spent must be exact"),
        ({"event": {"line": "9"}}, "there is no such line"),
        ({"event": {"line": "1 "}}, "there is no such line"),
    ],
)
def test_an_owner_at_the_console_frees_no_charge(
    changes: dict[str, Any], said: str, free: Team
) -> None:
    """A real charge stays, whatever the owner says of it by hand."""
    curator = free.ledger("curator")
    curator.charge(ID, PLAN)
    row = curator.account().releases[ID].entries[0].row_hash
    event = {"by": "", "why": "x", "line": "1", "row": row} | changes.pop("event", {})
    line = next_line(
        free,
        "quarantined",
        subject="s",
        event=event,
        writer=free.person("owner"),
    )
    line = replace(line, **({"loss": "1/10", "delta": "0/1"} | changes))
    line = replace(line, hash=line.wanted_hash)
    assert hand_in(free, line, "settle", "owner") == said
    assert "permission denied" in hand_in(free, line, "settle", "curator")
    if said:
        assert curator.account().seq == 1
        return
    with pytest.raises(LedgerFailed, match="entry 2"):
        curator.account()
    free.ledger("owner").quarantine([2], why="my own mistake")
    assert Ledger(free.of("reader")).account().spent.loss * 10 == 1
    with psycopg.connect(free.of("reader")) as connection:
        kept = connection.execute(
            "SELECT spent_loss FROM dpratio.entry ORDER BY seq"
        ).fetchall()
    assert kept == [("1/10",)] * 3
    assert wrong_in(free.ledger("reader")) == ()


def test_an_approval_that_was_set_aside_admits_nothing(team: Team) -> None:
    approve(team)
    line = charge_line(team)
    junk = write_past(
        team.ledger("officer"),
        "approved",
        "f" * 64,
        {"by": "", "plan": plan_hash(PLAN), "source": MINE.written.text, "most": "x"},
    )
    team.ledger("owner").quarantine([junk.seq], why="junk")
    assert hand_in(team, charge_line(team, approval="f" * 64)) == (
        "the charge names no approval of its plan and source"
    )
    assert hand_in(team, line) == "the line does not follow the last one"
    assert hand_in(team, charge_line(team)) == ""
