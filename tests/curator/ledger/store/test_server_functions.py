"""Lines that are forged and handed to the server's functions directly are refused."""

import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import psycopg
import pytest

from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, bring, wrong_in
from curator.ledger.teams import Team, team_at
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, exact_text, link

TENTH = Charge(Fraction(1, 10), Fraction(0))
PLAN_HASH = "0" * 64


@pytest.fixture
def team(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, SCOPE) as made:
        yield made


def hand_in(
    team: Team, entry: Entry, verb: str = "append", role: str = "curator"
) -> str:
    """Call a function of the server as a person; give what it says, '' for nothing."""
    marks = ", ".join("%s" for _ in entry.row)
    with psycopg.connect(team.of(role), autocommit=True) as connection:
        try:
            connection.execute(f"SELECT dpratio.{verb}({marks})".encode(), entry.row)
        except psycopg.Error as error:
            return str(error.diag.message_primary)
    return ""


def next_line(team: Team, kind: str = "charge", **changes: Any) -> Entry:  # noqa: ANN401
    """A line that follows, from the person who is the curator, unless changed."""
    account = team.ledger("reader").account()
    events: dict[str, dict[str, str]] = {"charge": {"plan": PLAN_HASH, "by": ""}}
    given: dict[str, Any] = {
        "time": "2026-01-01T00:00:00Z",
        "subject": ID,
        "kind": kind,
        "charge": TENTH if kind == "charge" else None,
        "event": events.get(kind, {}),
    }
    writer = changes.pop("writer", team.person("curator"))
    return link(before_of(account, writer), **(given | changes))


def before_of(account: Account, writer: str) -> tuple[str, int, str, str]:
    return replace(account, writer=writer).last


def linked(entry: Entry, **changes: Any) -> Entry:  # noqa: ANN401
    """Change a line and hash it again, as one who knows how would."""
    changed = replace(entry, **changes)
    return replace(changed, hash=changed.wanted_hash)


def test_a_line_that_follows_is_taken(team: Team) -> None:
    assert hand_in(team, next_line(team)) == ""
    assert hand_in(team, next_line(team, "opened")) == ""
    assert team.ledger("reader").account().releases[ID].state == "opened"
    assert wrong_in(team.ledger("reader")) == ()


def test_a_line_that_does_not_follow_is_refused(team: Team) -> None:
    line = next_line(team)
    said = {
        "no scope": hand_in(team, linked(line, scope="cards")),
        "number": hand_in(team, linked(line, seq=2)),
        "number before": hand_in(team, linked(line, seq=0)),
        "link": hand_in(team, linked(line, previous="0" * 64)),
        "hash": hand_in(team, replace(line, hash="0" * 64)),
        "edited": hand_in(team, replace(line, loss="1/1000")),
        "another user": hand_in(team, next_line(team, writer="olga")),
        "no user": hand_in(team, next_line(team, writer="")),
        "no event": hand_in(team, linked(line, event="[")),
        "a step too early": hand_in(team, next_line(team, "opened")),
        "void of nothing": hand_in(team, next_line(team, "void")),
        "unknown kind": hand_in(team, linked(line, kind="refund")),
        "not a curator's": hand_in(team, linked(line, kind="approved")),
        "not an officer's": hand_in(team, line, "approve", "officer"),
        "a costly step": hand_in(team, linked(line, kind="published")),
    }
    assert said == {
        "no scope": "there is no such scope",
        "number": "the line does not follow the last one",
        "number before": "the line does not follow the last one",
        "link": "the line does not follow the last one",
        "hash": "the hash is not that of the line",
        "edited": "the hash is not that of the line",
        "another user": "the line names another user",
        "no user": "the line names another user",
        "no event": "invalid input syntax for type json",
        "a step too early": "the step may not follow",
        "void of nothing": "the step may not follow",
        "unknown kind": "this is not yours to write",
        "not a curator's": "this is not yours to write",
        "not an officer's": "this is not yours to write",
        "a costly step": "the step may not follow",
    }
    assert team.ledger("reader").account().seq == 0


@pytest.mark.parametrize(
    ("loss", "delta"),
    [
        ("0/1", "0/1"),
        ("-1/1", "0/1"),
        ("1/0", "0/1"),
        ("nan", "0/1"),
        ("NaN/1", "0/1"),
        ("1e-9/1", "0/1"),
        ("01/10", "0/1"),
        (" 1/10", "0/1"),
        ("1/10\n", "0/1"),
        ("", ""),
        ("1/10", "-1/1000000"),
        ("1/10", ""),
        (f"1/{'9' * 1000}", "0/1"),
    ],
)
def test_a_charge_must_be_exact_and_above_0(loss: str, delta: str, team: Team) -> None:
    line = linked(next_line(team), loss=loss, delta=delta)
    assert hand_in(team, line) == "a charge must be above 0 and exact"


def test_charges_fill_the_cap_exactly_and_no_more(team: Team) -> None:
    """A little more than is left is refused, by one part in 10^100."""
    too_much = Fraction(1) + Fraction(1, 10**100)
    refused = "the charge exceeds the cap"
    line = next_line(team, charge=Charge(too_much, Fraction(0)))
    assert hand_in(team, line) == refused
    line = next_line(team, charge=Charge(Fraction(1, 2), Fraction(2, 10**6)))
    assert hand_in(team, line) == refused
    thirds = [Charge(Fraction(1, 3), Fraction(1, 3 * 10**6)) for _ in range(3)]
    for number, charge in enumerate(thirds):
        line = next_line(team, subject=f"{number:032x}", charge=charge)
        assert hand_in(team, line) == ""
    line = next_line(
        team, subject="f" * 32, charge=Charge(Fraction(1, 10**100), Fraction(0))
    )
    assert hand_in(team, line) == refused
    void = next_line(team, "void", subject=f"{0:032x}", event={"by": ""})
    assert hand_in(team, void) == ""
    assert hand_in(team, next_line(team, subject="e" * 32, charge=thirds[0])) == ""
    assert team.ledger("reader").account().left.loss == 0
    assert wrong_in(team.ledger("reader")) == ()


def test_an_opened_charge_is_not_given_back(team: Team) -> None:
    bring(team.ledger("curator"), "opened")
    void = next_line(team, "void", event={"by": ""})
    assert hand_in(team, void) == "the step may not follow"


def keep(team: Team, release_id: str, content: bytes, sha256: str) -> str:
    with psycopg.connect(team.of("curator")) as connection:
        try:
            connection.execute(
                "SELECT dpratio.keep(%s, %s, %s)", (release_id, content, sha256)
            )
            connection.commit()
        except psycopg.Error as error:
            return str(error.diag.message_primary)
    return ""


def test_bytes_are_kept_with_their_seal_alone(team: Team) -> None:
    digest = hashlib.sha256(b"bytes").hexdigest()
    assert keep(team, ID, b"bytes", digest) == "the release is not open"
    bring(team.ledger("curator"), "charge")
    assert keep(team, ID, b"bytes", digest) == "the release is not open"
    team.ledger("curator").open(ID)
    assert keep(team, ID, b"other", digest) == "the hash is not that of the bytes"
    assert keep(team, ID, b"bytes", digest) == "bytes must be sealed with their line"
    seal = next_line(team, "sealed", event={"sha256": digest, "format": "json"})
    assert hand_in(team, seal) == "the bytes are not there"
    team.ledger("curator").seal(ID, b"bytes")
    team.ledger("curator").charge(OTHER, PLAN)
    assert wrong_in(team.ledger("reader")) == ()


def test_a_right_to_insert_is_noticed_and_its_lines_do_not_pass(team: Team) -> None:
    """What the guide once granted let a charge of 0 in, and then any release."""
    with psycopg.connect(team.address, autocommit=True) as connection:
        said = f"GRANT INSERT ON dpratio.entry TO {team.prefix}_curator"
        connection.execute(said.encode())
    with pytest.raises(Exception, match="right INSERT on entry does not belong"):
        team.ledger("curator").charge(ID, PLAN)


def test_text_is_hashed_as_python_writes_it(postgres_url: str, team: Team) -> None:
    chance = random.Random(7)  # noqa: S311 (not for secrets)
    odd = ["", '"', "\\", "\b\f\n\r\t\x01\x1f\x7f\x80", "é", "\ud7ff\ue000\uffff", "😀"]
    codes = [*range(1, 0x300), 0x2028, 0xFFFD, 0x10000, 0x10FFFF]
    odd += ["".join(chr(chance.choice(codes)) for _ in range(40)) for _ in range(50)]
    assert team.address == postgres_url
    with psycopg.connect(postgres_url) as connection:
        for text in odd:
            found = connection.execute("SELECT dpratio.json_text(%s)", (text,))
            assert found.fetchone() == (json.dumps(text),)


def test_fractions_are_added_and_compared_exactly(
    postgres_url: str, team: Team
) -> None:
    chance = random.Random(8)  # noqa: S311 (not for secrets)
    assert team.address == postgres_url
    with psycopg.connect(postgres_url) as connection:
        for _ in range(100):
            digits = chance.choice([1, 5, 110])
            a, b = (
                Fraction(chance.randrange(10**digits), 1 + chance.randrange(10**digits))
                for _ in range(2)
            )
            for sign in (1, -1):
                query = "SELECT dpratio.plus(%s, %s, %s)"
                found = connection.execute(query, (exact_text(a), exact_text(b), sign))
                assert found.fetchone() == (exact_text(a + sign * b),)
            near = a + Fraction(chance.choice([-1, 0, 1]), 10**110)
            given = (exact_text(near), exact_text(a))
            found = connection.execute("SELECT dpratio.fits(%s, %s)", given)
            assert found.fetchone() == (near <= a,)
