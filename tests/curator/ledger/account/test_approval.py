"""An approval: its limits, when each is met, and who counts as somebody else."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dpratio.curator.ledger.account.approval import (
    Approval,
    approval_of,
    limits_of,
    who,
)
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.errors import InvalidInput

NOON = "2026-11-16T12:00:00Z"
OF = {"by": "Olga", "plan": "p" * 64, "source": "{}"}


def line(kind: str = "approved", writer: str = "", **said: str) -> Entry:
    event = ({} if kind == "withdrawn" else OF) | said
    before = ("loans", 0, "0" * 64, writer)
    return link(before, time=NOON, subject="s", kind=kind, event=event)


def test_an_approval_without_limits_is_open_for_ever() -> None:
    given = approval_of(line())
    assert (given.most, given.until, given.used) == (None, None, 0)
    assert replace(given, used=10**6).limit_met("9999-12-31T23:59:59Z") == ""


def test_each_limit_is_said_when_it_is_met() -> None:
    given = approval_of(line(most="2", until="2026-11-16"))
    assert given.limit_met(NOON) == ""
    assert given.charged(1).limit_met("2026-11-16T23:59:59Z") == ""
    twice = given.charged(1).charged(1)
    said = "was for 2 releases, and that many were charged"
    assert twice.limit_met(NOON) == said
    assert twice.charged(-1).limit_met(NOON) == ""
    assert given.limit_met("2026-11-17T00:00:00Z") == "ended on 2026-11-16"
    once = approval_of(line(most="1")).charged(1)
    assert once.limit_met(NOON) == "was for 1 release, and that many were charged"
    gone = replace(given, withdrawal=line("withdrawn", by="Pia"))
    assert gone.limit_met(NOON) == "was withdrawn on 2026-11-16 by Pia"


@pytest.mark.parametrize(
    "said",
    [
        {"most": "0"},
        {"most": "-1"},
        {"most": "1.5"},
        {"most": " 1"},
        {"most": ""},
        {"most": "1" * 10},
        {"most": "١"},
        {"until": "soon"},
        {"until": "2026-02-29"},
        {"until": "2026-00-01"},
        {"until": "2026-01-00"},
        {"until": "2026-1-1"},
        {"until": "20260101"},
        {"until": "0999-01-01"},
        {"until": "2026-12-31T00:00:00Z"},
        {"until": ""},
    ],
)
def test_limits_that_are_none_are_no_approval(said: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"most|until"):
        approval_of(line(**said))


def test_limits_are_written_where_they_are_given() -> None:
    assert limits_of(None, None) == {}
    assert limits_of(3, None) == {"most": "3"}
    assert limits_of(None, "2028-02-29") == {"until": "2028-02-29"}


@pytest.mark.parametrize("most", [0, -1, 1.0, True, "3", 10**9])
def test_a_number_of_releases_is_one_or_more(most: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="most must be a number of releases from 1"):
        limits_of(most, None)


@pytest.mark.parametrize(
    "until", ["", "2026-13-01", "31.12.2026", 20261231, "tomorrow"]
)
def test_the_last_day_is_a_day(until: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"until must be a day.*as 2026-12-31"):
        limits_of(None, until)


@pytest.mark.parametrize(
    ("session", "by", "is_other"),
    [
        ("", "Ann", True),
        ("", "Olga", False),
        ("", " OLGA ", False),
        ("", "", False),
        ("", " ", False),
        # A server's user and a name in a file cannot be compared.
        ("ann", "Ann", False),
    ],
)
def test_in_a_file_names_are_compared(session: str, by: str, is_other: bool) -> None:  # noqa: FBT001
    assert approval_of(line()).is_by_other(session, by) is is_other


def test_nobody_is_nobody_else() -> None:
    assert not approval_of(line(by="")).is_by_other("", "Ann")


@pytest.mark.parametrize(
    ("session", "by", "is_other"),
    [
        ("ann", "Olga", True),
        ("olga", "Ann", False),
        ("", "Ann", False),
    ],
)
def test_a_server_compares_its_users(session: str, by: str, is_other: bool) -> None:  # noqa: FBT001
    given = approval_of(line(writer="olga"))
    assert given.is_by_other(session, by) is is_other


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (line(), "Olga"),
        (line(writer="olga"), "Olga (olga)"),
        (line(by=""), "somebody without a name"),
        (line(writer="olga", more="x"), "somebody without a name (olga)"),
        (replace(line(), event="["), "somebody without a name"),
        (replace(line(), event=json.dumps([])), "somebody without a name"),
    ],
)
def test_who_wrote_a_line_is_said_as_far_as_it_can_be_read(
    entry: Entry, said: str
) -> None:
    assert who(entry) == said


def test_an_approval_is_a_value() -> None:
    given = Approval(line())
    assert given.charged(1).used == 1
    assert given.used == 0
