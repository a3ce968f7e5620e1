"""Lines that are set aside: none of them frees a budget, or takes one for good."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from curator.ledger.junk import TENTH
from curator.ledger.loans import ID, PLAN, SCOPE
from curator.ledger.store.test_server_functions import hand_in, next_line
from curator.ledger.teams import Team, team_at


@pytest.fixture
def free(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, SCOPE) as made:
        yield made


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
