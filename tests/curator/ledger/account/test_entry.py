"""One line of the ledger: linked, exact, and the same after a trip through a table."""

import json
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, entry_from_row, link
from dpratio.errors import DocumentRefused, LedgerFailed

ID = "0" * 32


def line(charge: Charge | None = None, **event: str) -> Entry:
    return link(
        ("loans", 6, "f" * 64),
        time="2026-01-02T03:04:05Z",
        subject=ID,
        kind="charge",
        charge=charge,
        event=event,
    )


def test_a_line_follows_the_number_and_hash_before_it() -> None:
    entry = line()
    assert (entry.scope, entry.seq, entry.previous) == ("loans", 7, "f" * 64)
    assert entry.hash == entry.wanted_hash
    assert len(entry.hash) == 64


def test_the_hash_is_over_everything_else_in_the_line() -> None:
    entry = line(Charge(Fraction(1), Fraction(0)), by="me")
    for field in fields(Entry):
        if field.name != "hash":
            other: Any = 8 if field.name == "seq" else "x"
            edited = replace(entry, **{field.name: other})
            assert edited.wanted_hash != entry.hash, field.name


def test_values_cannot_be_moved_from_one_column_to_the_next() -> None:
    left = replace(line(), loss="1", delta="23")
    right = replace(line(), loss="12", delta="3")
    assert left.wanted_hash != right.wanted_hash


@pytest.mark.parametrize(
    ("loss", "delta"),
    [
        (Fraction(1, 3), Fraction(1, 10**6)),
        (Fraction(0), Fraction(0)),
        (Fraction(10**100 - 1, 10**100), Fraction(1, 10**100)),
    ],
)
def test_a_charge_is_kept_exactly(loss: Fraction, delta: Fraction) -> None:
    charge = Charge(loss, delta)
    assert line(charge).charge == charge


def test_a_tenth_is_written_as_a_fraction() -> None:
    entry = line(Charge(Fraction(1, 10), Fraction(0)))
    assert (entry.loss, entry.delta) == ("1/10", "0/1")


def test_a_line_without_a_charge_holds_none() -> None:
    entry = line()
    assert (entry.loss, entry.delta) == ("", "")
    with pytest.raises(DocumentRefused, match="must be an exact number"):
        _ = entry.charge


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("charge", ("plan", "by")),
        ("charge", ("plan", "by", "source", "place", "salt")),
        ("approved", ("by",)),
        ("approved", ("by", "plan", "source")),
        ("allowed", ("by", "source", "place")),
    ],
)
def test_an_event_says_all_of_its_form_and_nothing_else(
    kind: str, told: tuple[str, ...]
) -> None:
    """Charges and approvals of before named no source."""
    event = dict.fromkeys(told, "x")
    said = replace(line(), kind=kind, event=json.dumps(event)).said
    assert said == event
    others = [{each: "x" for each in told if each != name} for name in told]
    for other in (*others, {**event, "more": "x"}):
        with pytest.raises(DocumentRefused):
            _ = replace(line(), kind=kind, event=json.dumps(other)).said


def test_an_event_is_sorted_plain_text() -> None:
    entry = line(plan="p", by="Ada Lovelace, größe 😀")
    assert entry.event.isascii()
    assert list(json.loads(entry.event)) == ["by", "plan"]
    assert entry.said == {"by": "Ada Lovelace, größe 😀", "plan": "p"}


@pytest.mark.parametrize("event", ["[]", "1", '{"by": 1}', '{"by": null}'])
def test_an_event_that_holds_no_words_is_refused(event: str) -> None:
    with pytest.raises(DocumentRefused):
        _ = replace(line(), event=event).said


def test_a_row_of_the_table_gives_the_line_back() -> None:
    entry = line(Charge(Fraction(1, 3), Fraction(0)), by="me")
    assert entry_from_row(entry.row) == entry
    assert entry_from_row(list(entry.row)) == entry


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, None),
        (0, b"loans"),
        (1, "7"),
        (1, 7.0),
        (1, True),
        (5, 0.1),
        (9, None),
    ],
)
def test_a_row_of_other_types_is_refused(at: int, value: object) -> None:
    row: list[object] = list(line().row)
    row[at] = value
    with pytest.raises(LedgerFailed, match="a line of the ledger was edited"):
        entry_from_row(row)


@pytest.mark.parametrize("count", [0, 9, 11])
def test_a_row_with_too_few_or_too_many_values_is_refused(count: int) -> None:
    row = [*line().row, "more"][:count]
    with pytest.raises(LedgerFailed, match="a line of the ledger was edited"):
        entry_from_row(row)
