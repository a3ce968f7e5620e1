"""An account: the chain is followed, step by step, or not at all."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.curator.ledger.account.account import Account, follow, new_account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import KINDS, OWNERS, Entry, link
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.held import AFTER
from dpratio.curator.ledger.account.place import Place
from dpratio.curator.ledger.account.scope import Scope
from dpratio.errors import LedgerFailed
from dpratio.terms.budget import Budget

SCOPE = Scope("loans", Budget(1, "1e-6"))
ID, OTHER = "0" * 32, "1" * 32
TENTH = Charge(Fraction(1, 10), Fraction(1, 10**7))
NOTHING = Charge(Fraction(0), Fraction(0))
NOON = "2026-01-01T12:00:00Z"
PLAN = {"plan": "p" * 64, "by": "me"}
STATES = ("charge", "opened", "sealed", "published", "void")
PATHS = {
    "": (),
    "charge": ("charge",),
    "opened": ("charge", "opened"),
    "sealed": ("charge", "opened", "sealed"),
    "published": ("charge", "opened", "sealed", "published"),
    "void": ("charge", "void"),
}


EVENTS = {
    "charge": PLAN,
    "sealed": {"sha256": "0" * 64, "format": "json"},
    "void": {"by": "void"},
    "approved": {"by": "approved"},
}


def entry(before: Account, kind: str, subject: str = ID, **changes: Any) -> Entry:  # noqa: ANN401
    event = EVENTS.get(kind, {})
    given: dict[str, Any] = {
        "time": NOON,
        "charge": TENTH if kind == "charge" else None,
        "event": event,
    }
    return link(before.last, subject=subject, kind=kind, **(given | changes))


def after(*kinds: str, subject: str = ID, account: Account | None = None) -> Account:
    """The account after these steps of one release."""
    account = account or new_account(SCOPE)
    for kind in kinds:
        account = follow(account, [entry(account, kind, subject)])
    return account


def refusal(account: Account, *entries: Entry) -> str:
    with pytest.raises(LedgerFailed) as refused:
        follow(account, entries)
    assert "Release nothing; find the last sound copy" in str(refused.value)
    return str(refused.value)


def forged(entry: Entry, **changes: Any) -> Entry:  # noqa: ANN401
    """The entry with other content and a hash that fits it."""
    edited = replace(entry, **changes)
    return replace(edited, hash=edited.wanted_hash)


# --- What stands where ----------------------------------------------------------------


def test_a_new_account_begins_with_the_hash_of_its_terms() -> None:
    account = new_account(SCOPE)
    assert account.last == ("loans", 0, SCOPE.hash, "")
    assert account.spent == NOTHING
    assert account.left == SCOPE.cap
    assert not account.releases
    assert not account.approved


def test_a_charge_is_spent_whatever_becomes_of_it() -> None:
    for state in ("charge", "opened", "sealed", "published"):
        account = after(*PATHS[state])
        assert account.releases[ID].state == state
        assert account.spent == TENTH
        assert account.left == SCOPE.cap - TENTH
        assert account.seq == len(PATHS[state])


def test_a_voided_charge_comes_back() -> None:
    account = after("charge", "void")
    assert account.spent == NOTHING
    assert account.releases[ID].state == "void"


def test_a_release_remembers_plan_charge_and_words() -> None:
    held = after("charge", "opened", "sealed").releases[ID]
    assert (held.plan, held.charge) == ("p" * 64, TENTH)
    assert held.said("charge") == PLAN
    assert held.said("sealed") == EVENTS["sealed"]
    assert held.said("published") == {}
    assert [each.kind for each in held.entries] == ["charge", "opened", "sealed"]


def test_releases_are_kept_apart_and_in_order() -> None:
    first = after("charge", "opened")
    account = after("charge", "void", subject=OTHER, account=first)
    assert list(account.releases) == [ID, OTHER]
    assert [each.state for each in account.releases.values()] == ["opened", "void"]
    assert account.spent == TENTH


def test_approved_plans_cost_nothing() -> None:
    account = after("approved", subject="p" * 64)
    assert set(account.approved) == {"p" * 64}
    assert account.spent == NOTHING
    assert not account.releases


SOURCED = {"source": '{"name": "a"}', "place": Place("memory", ("a",)).text}
PAIR = (SOURCED["source"], SOURCED["place"])


def test_a_charge_binds_its_source_until_it_is_given_back() -> None:
    event = {**PLAN, **SOURCED, "salt": "0"}
    first = new_account(SCOPE)
    bound = follow(first, [entry(first, "charge", event=event)])
    twice = follow(bound, [entry(bound, "charge", OTHER, event=event)])
    assert (dict(bound.sources), dict(twice.sources)) == ({PAIR: 1}, {PAIR: 2})
    assert bound.releases[ID].source == PAIR
    once = after("void", account=twice)
    assert dict(once.sources) == {PAIR: 1}
    assert dict(after("void", subject=OTHER, account=once).sources) == {}


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        ("approved", {"by": "", "plan": "p" * 64, "source": SOURCED["source"]}),
        ("allowed", {"by": "", **SOURCED}),
    ],
)
def test_what_an_officer_writes_is_named_by_its_content_and_its_number(
    kind: str, event: dict[str, str]
) -> None:
    account = new_account(SCOPE)
    subject = subject_of(event, 1)
    written = follow(account, [entry(account, kind, subject, event=event)])
    assert written.spent == NOTHING
    assert set(written.approved if kind == "approved" else written.allowed) == (
        {subject} if kind == "approved" else {PAIR}
    )
    for wrong in (subject_of(event, 2), subject_of({**event, "by": "x"}, 1), "p" * 64):
        assert "entry 1" in refusal(account, entry(account, kind, wrong, event=event))


@pytest.mark.parametrize(
    "changes", [{"source": "{}"}, {"place": "{}"}, {"source": ""}, {"place": ""}]
)
def test_a_source_that_cannot_be_read_is_an_edit(changes: dict[str, str]) -> None:
    account = new_account(SCOPE)
    event = {**PLAN, **SOURCED, "salt": "0", **changes}
    broken = entry(account, "charge", event=event)
    assert "entry 1" in refusal(account, broken)


def test_following_changes_nothing_that_was_there() -> None:
    before = after("charge")
    after("opened", account=before)
    assert before.releases[ID].state == "charge"
    assert before.seq == 1


def test_many_entries_are_followed_as_one_by_one() -> None:
    steps, account = [], new_account(SCOPE)
    for kind in PATHS["published"]:
        steps.append(entry(account, kind))
        account = follow(account, steps[-1:])
    assert follow(new_account(SCOPE), steps) == account


# --- Steps ----------------------------------------------------------------------------


def test_every_kind_but_what_officers_and_owners_write_has_a_place() -> None:
    others = {"approved", "withdrawn", "allowed", *OWNERS}
    assert set(AFTER) == set(STATES) == set(KINDS) - others


@pytest.mark.parametrize("state", PATHS)
@pytest.mark.parametrize("kind", STATES)
def test_a_step_that_may_not_follow_is_refused(state: str, kind: str) -> None:
    account = after(*PATHS[state])
    allowed = {
        ("", "charge"),
        ("charge", "opened"),
        ("charge", "void"),
        ("opened", "sealed"),
        ("sealed", "published"),
    }
    if (state, kind) in allowed:
        assert after(kind, account=account).releases[ID].state == kind
    else:
        said = refusal(account, entry(account, kind))
        assert f"entry {account.seq + 1} of scope 'loans' does not follow" in said


@pytest.mark.parametrize("kind", ["refund", "", "Charge", "charge "])
def test_an_unknown_kind_is_refused(kind: str) -> None:
    account = new_account(SCOPE)
    refusal(account, entry(account, kind, charge=TENTH, event=PLAN))


# --- Charges --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "charge",
    [
        Charge(Fraction(-1, 10), Fraction(0)),
        Charge(Fraction(1, 10), Fraction(-1, 10**9)),
        Charge(Fraction(-1), Fraction(-1)),
        Charge(Fraction(11, 10), Fraction(0)),
        Charge(Fraction(0), Fraction(2, 10**6)),
    ],
    ids=["loss below 0", "delta below 0", "both", "above epsilon", "above delta"],
)
def test_a_charge_below_zero_or_above_the_cap_is_refused(charge: Charge) -> None:
    account = new_account(SCOPE)
    refusal(account, entry(account, "charge", charge=charge))


def test_a_chain_that_spends_more_than_the_cap_is_refused_where_it_does() -> None:
    account = new_account(SCOPE)
    for number in range(10):
        account = after("charge", subject=f"{number:032x}", account=account)
    assert account.left == NOTHING
    said = refusal(account, entry(account, "charge", OTHER))
    assert "entry 11 of scope 'loans'" in said


def test_what_a_void_gives_back_can_be_spent_again() -> None:
    account = after("charge", "void")
    whole = entry(account, "charge", OTHER, charge=SCOPE.cap)
    assert follow(account, [whole]).left == NOTHING


@pytest.mark.parametrize("text", ["", "0.1e0", "nan", "1/0", "x", "1/" + "9" * 400])
def test_a_charge_that_is_no_exact_number_is_refused(text: str) -> None:
    account = new_account(SCOPE)
    refusal(account, forged(entry(account, "charge"), loss=text))


@pytest.mark.parametrize("event", ["", "[]", "{", '{"by": "me"}', '{"plan": 1}'])
def test_a_charge_without_a_plan_is_refused(event: str) -> None:
    account = new_account(SCOPE)
    refusal(account, forged(entry(account, "charge"), event=event))


# --- Links ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"scope": "other"},
        {"seq": 3},
        {"seq": 1},
        {"previous": "0" * 64},
    ],
)
def test_an_entry_of_another_place_is_refused(change: dict[str, Any]) -> None:
    account = after("charge")
    refusal(account, forged(entry(account, "opened"), **change))


@pytest.mark.parametrize(
    "change",
    [{"loss": "0/1"}, {"time": "2027"}, {"event": "{}"}, {"hash": "0" * 64}],
)
def test_an_edited_entry_is_refused(change: dict[str, Any]) -> None:
    account = new_account(SCOPE)
    refusal(account, replace(entry(account, "charge"), **change))


def test_a_missing_entry_is_refused() -> None:
    first = after("charge")
    second = after("opened", account=first)
    refusal(first, entry(second, "sealed"))


def test_a_chain_of_other_terms_is_refused() -> None:
    other = new_account(replace(SCOPE, budget=Budget(9, "1e-6")))
    said = refusal(new_account(SCOPE), entry(other, "charge"))
    assert said == (
        "the ledger was edited, damaged or rolled back: entry 1 of scope 'loans' does "
        "not follow from those before it. Release nothing; find the last sound copy, "
        "and compare with `dpratio ledger verify`. If somebody wrote this line past "
        "the library, its owner sets it aside with `dpratio ledger quarantine`."
    )


# --- The clock ------------------------------------------------------------------------


def test_a_clock_that_goes_back_is_noted_and_not_obeyed() -> None:
    account = new_account(SCOPE)
    times = ["2026-01-02", "2026-01-01", "2026-01-01", "2026-01-02", "2026-01-03"]
    for number, time in enumerate(times):
        step = entry(account, "charge", f"{number:032x}", time=time)
        account = follow(account, [step])
    assert account.steps_back == (2, 3)
    assert account.time == "2026-01-03"
    assert account.seq == 5
