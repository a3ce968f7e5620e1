"""The server keeps lines that were lost, or closed, as they are."""

from dataclasses import replace
from fractions import Fraction

import psycopg

from curator.ledger.attacks.books import name_of, plan_of
from curator.ledger.teams import team_at
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.terms.budget import Budget

ONE = Scope("loans", Budget(1, "1e-6"))


def hand_in(address: str, verb: str, entry: Entry) -> str:
    """Hand a line to a function of the server; give what it says, '' for nothing."""
    marks = ", ".join("%s" for _ in entry.row)
    with psycopg.connect(address, autocommit=True) as connection:
        try:
            connection.execute(f"SELECT dpratio.{verb}({marks})".encode(), entry.row)
        except psycopg.Error as error:
            return str(error.diag.message_primary)
    return ""


def line_after(account: Account, user: str, kind: str, subject: str = "") -> Entry:
    """The next line, as one who goes past this library would write it."""
    events = {
        "recovered": dict.fromkeys(("by", "why", "lost_seq", "lost_hash"), ""),
        "charge": {"by": "", "plan": "0" * 64},
    }
    event = events.get(kind, {"by": ""} if kind != "opened" else {})
    costs = Charge(Fraction(1, 10), Fraction(0))
    return link(
        (*account.last[:3], user),
        time="",
        subject=subject or subject_of(event, account.seq + 1),
        kind=kind,
        charge=costs if kind in {"charge", "recovered"} else None,
        event=event,
    )


def test_32_the_server_keeps_lost_and_closed_lines_lost_and_closed(
    postgres_url: str,
) -> None:
    """Past this library, nobody voids or opens what was lost, or writes what is closed.

    Source: found while recovery was written, 2026.
    """
    with team_at(postgres_url, ONE) as team:
        reader, curator = team.ledger("reader"), team.of("curator")
        team.ledger("curator").charge(name_of(1), plan_of("0.1"))

        def hand(role: str, verb: str, kind: str, subject: str = "") -> str:
            entry = line_after(reader.account(), team.person(role), kind, subject)
            return hand_in(team.of(role), verb, entry)

        for role in ("curator", "officer"):
            for verb in ("append", "approve", "settle", "enter"):
                assert hand(role, verb, "recovered") != ""
        assert hand("owner", "settle", "recovered") == ""
        for kind in ("void", "opened"):
            said = hand("curator", "append", kind, name_of(1))
            assert said == "lines were lost after the charge"
        assert reader.account().spent.loss == Fraction(2, 10)
        before = reader.account()
        closed = line_after(before, team.person("owner"), "closed")
        assert hand_in(team.of("owner"), "settle", closed) == ""
        after = replace(before, seq=closed.seq, head=closed.hash)
        charge = line_after(after, team.person("curator"), "charge", name_of(2))
        assert hand_in(curator, "append", charge) == "the scope is closed"
