"""The verbs of the ledger, from charge to published, in a file and on a server."""

import hashlib
from typing import Any

import pytest

from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, bring, plan_of
from dpratio.curator.ledger.account.place import Place
from dpratio.curator.ledger.account.source import salted_hash
from dpratio.curator.ledger.account.source_description import SourceDescription
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock as room
from dpratio.errors import InvalidInput, LedgerRefused, PlanRefused
from dpratio.release.files import plan_hash
from dpratio.terms.budget import Budget
from edited_plans import with_terms


def test_a_release_goes_from_charge_to_published(ledger: Ledger) -> None:
    assert ledger.sealed(ID, PLAN) is None
    hashed = ledger.charge(ID, PLAN, by="Ada")
    head = ledger.open(ID)
    assert head == ledger.account().head
    ledger.seal(ID, b"\x00bytes\xff")
    assert ledger.sealed(ID, PLAN) == b"\x00bytes\xff"
    ledger.publish(ID)
    account = ledger.account("loans")
    held = account.releases[ID]
    assert (held.state, account.seq) == ("published", 4)
    assert held.plan == plan_hash(PLAN)
    said = dict(held.said("charge"))
    written, salt = SourceDescription(name="loans"), said.pop("salt")
    assert (len(salt), salted_hash(written, salt)) == (64, hashed)
    assert said == {
        "plan": plan_hash(PLAN),
        "by": "Ada",
        "source": written.text,
        "place": Place("memory", ("loans",)).text,
    }
    assert held.said("sealed") == {
        "sha256": hashlib.sha256(b"\x00bytes\xff").hexdigest(),
        "format": "json",
    }
    assert ledger.sealed(ID, PLAN, scope="loans") == b"\x00bytes\xff"


def test_another_process_sees_the_same(any_ledger: str, ledger: Ledger) -> None:
    bring(ledger, "published")
    other = Ledger(any_ledger)
    assert other.account() == ledger.account()
    assert other.sealed(ID, PLAN) == b"bytes"


def test_ten_tenths_fill_the_cap_exactly(ledger: Ledger) -> None:
    for number in range(10):
        ledger.charge(f"{number:032x}", PLAN)
    assert ledger.account().left.loss == 0
    with pytest.raises(LedgerRefused, match="has epsilon 0 and delta"):
        ledger.charge("f" * 32, PLAN)
    assert ledger.account().seq == 10


def test_publishing_again_adds_nothing(ledger: Ledger) -> None:
    bring(ledger, "published")
    ledger.publish(ID)
    assert ledger.account().seq == 4


def test_a_voided_charge_can_be_spent_again(ledger: Ledger) -> None:
    ledger.charge(ID, plan_of("1"), by="Ada")
    ledger.void(ID, by="curator")
    account = ledger.account()
    assert account.left == SCOPE.cap
    assert account.releases[ID].said("void") == {"by": "curator"}
    ledger.charge(OTHER, plan_of("1"))


def test_entries_have_the_time_of_the_clock(
    file_ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "time_now", lambda: "2026-01-01T00:00:00Z")
    file_ledger.charge(ID, PLAN)
    monkeypatch.setattr(room, "time_now", lambda: "2025-01-01T00:00:00Z")
    file_ledger.open(ID)
    account = file_ledger.account()
    times = [each.time for each in account.releases[ID].entries]
    assert times == ["2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z"]
    assert account.steps_back == (2,)


VERBS: dict[str, Any] = {
    "opened": lambda ledger: ledger.open(ID),
    "sealed": lambda ledger: ledger.seal(ID, b"other"),
    "published": lambda ledger: ledger.publish(ID),
    "voided": lambda ledger: ledger.void(ID),
}


@pytest.mark.parametrize(
    ("state", "verb"),
    [
        ("charge", "sealed"),
        ("charge", "published"),
        ("opened", "opened"),
        ("opened", "published"),
        ("opened", "voided"),
        ("sealed", "opened"),
        ("sealed", "sealed"),
        ("sealed", "voided"),
        ("published", "opened"),
        ("published", "sealed"),
        ("published", "voided"),
        ("void", "opened"),
        ("void", "sealed"),
        ("void", "published"),
        ("void", "voided"),
    ],
)
def test_a_step_out_of_order_is_refused(
    state: str, verb: str, file_ledger: Ledger
) -> None:
    bring(file_ledger, state)
    before = file_ledger.account()
    with pytest.raises(LedgerRefused) as refused:
        VERBS[verb](file_ledger)
    said = {"charge": "charged", "void": "voided"}.get(state, state)
    advice = " A charge comes back only before data are opened."
    assert str(refused.value) == (
        f"release {ID} is {said}, so it cannot be {verb}."
        f"{advice if verb == 'voided' else ''}"
    )
    assert file_ledger.account() == before


def test_a_refused_seal_keeps_no_bytes(file_ledger: Ledger) -> None:
    bring(file_ledger, "charge")
    with pytest.raises(LedgerRefused):
        file_ledger.seal(ID, b"bytes")
    with file_ledger.watch.reading() as watched:
        assert watched.tables.artifact_ids() == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_release_that_is_not_there_takes_no_step(
    verb: str, file_ledger: Ledger
) -> None:
    with pytest.raises(LedgerRefused, match=f"release {ID} is not in this ledger"):
        VERBS[verb](file_ledger)


@pytest.mark.parametrize("name", ["", "0" * 31, "g" * 32, "A" * 32, None, 7])
def test_an_id_is_32_hexadecimal_digits(name: Any, file_ledger: Ledger) -> None:  # noqa: ANN401
    for verb in (
        lambda: file_ledger.charge(name, PLAN),
        lambda: file_ledger.open(name),
        lambda: file_ledger.void(name),
        lambda: file_ledger.sealed(name, PLAN),
    ):
        with pytest.raises(InvalidInput, match="a release id is 32 hexadecimal digits"):
            verb()


@pytest.mark.parametrize("by", ["two\nlines", "x" * 201, None])
def test_who_asks_is_a_line_of_words(by: Any, file_ledger: Ledger) -> None:  # noqa: ANN401
    file_ledger.charge(ID, PLAN)
    for verb in (
        lambda: file_ledger.charge(OTHER, PLAN, by=by),
        lambda: file_ledger.void(ID, by=by),
        lambda: file_ledger.approve(PLAN, by=by),
    ):
        with pytest.raises(InvalidInput, match="by must be one line"):
            verb()
    assert file_ledger.account().seq == 1


def test_a_plan_is_priced_before_it_is_charged_or_approved(file_ledger: Ledger) -> None:
    cheap = with_terms(PLAN, budget=Budget("0.01"))
    with pytest.raises(PlanRefused, match="too small for the budget"):
        file_ledger.charge(ID, cheap)
    with pytest.raises(PlanRefused, match="too small for the budget"):
        file_ledger.approve(cheap, source="mine")
    assert file_ledger.account().seq == 0
