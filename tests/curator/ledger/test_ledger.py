"""The verbs of the ledger, in a file and on a server."""

import hashlib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpratio.curator.ledger import ledger as room
from dpratio.curator.ledger.anchor import Anchor, Head
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.postgres import PostgresStore
from dpratio.curator.ledger.scope import Scope
from dpratio.curator.ledger.sqlite import SqliteStore
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused, PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.plan_file import plan_hash
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Ratio

ID, OTHER = "0" * 32, "1" * 32
SCOPE = Scope("loans", Budget(1, "1e-6"))
CARDS = Scope("cards", Budget(1))


def plan_of(epsilon: str = "0.1") -> Plan:
    return make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(epsilon),
    )


PLAN = plan_of()


@pytest.fixture
def ledger(any_ledger: str) -> Ledger:
    """A ledger with one scope; SQLite and PostgreSQL in turn."""
    made = Ledger(any_ledger)
    made.open_scope(SCOPE)
    return made


@pytest.fixture
def small(tmp_path: Path) -> Ledger:
    """A ledger with one scope in a file, where the store does not matter."""
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(SCOPE)
    return made


def bring(ledger: Ledger, state: str, release_id: str = ID) -> None:
    """Bring a release to a state."""
    ledger.charge(release_id, PLAN, scope="loans", by="me")
    if state == "void":
        ledger.void(release_id)
    if state in {"opened", "sealed", "published"}:
        ledger.open(release_id)
    if state in {"sealed", "published"}:
        ledger.seal(release_id, b"bytes", "json")
    if state == "published":
        ledger.publish(release_id)


# --- Places ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["postgresql://host/budget", "postgres://user:word@host:1/budget"]
)
def test_an_address_means_a_server(address: str) -> None:
    assert Ledger(address).watch.store == PostgresStore(address)


@pytest.mark.parametrize("path", ["budget.db", "postgres.db", Path("a") / "b"])
def test_everything_else_means_a_file(path: str | Path) -> None:
    watch = Ledger(path, anchor="heads").watch
    assert watch.store == SqliteStore(Path(path))
    assert watch.anchor == Anchor(Path("heads"))


@pytest.mark.parametrize("place", [None, "", 7, b"budget.db", ["budget.db"]])
def test_what_is_no_place_is_refused(place: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="a ledger lies in a file or on a server"):
        Ledger(place)


@pytest.mark.parametrize("anchor", [7, b"heads", ["heads"]])
def test_an_anchor_is_a_file(anchor: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="an anchor is a file"):
        Ledger("budget.db", anchor=anchor)


def test_a_ledger_is_made_by_its_first_scope_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    for verb in (ledger.scopes, ledger.account, lambda: ledger.charge(ID, PLAN)):
        with pytest.raises(LedgerFailed, match="it cannot be opened"):
            verb()
    assert not list(tmp_path.iterdir())


# --- Scopes ---------------------------------------------------------------------------


def test_a_scope_is_opened_once(ledger: Ledger) -> None:
    assert ledger.open_scope(SCOPE).scope == SCOPE
    assert ledger.scopes() == ["loans"]
    ledger.open_scope(CARDS)
    assert ledger.scopes() == ["cards", "loans"]
    assert ledger.account("cards").left.loss == 1


@pytest.mark.parametrize(
    "change",
    [
        {"budget": Budget(2, "1e-6")},
        {"budget": Budget("0.5", "1e-6")},
        {"unit": "customer"},
        {"accounting": "zcdp"},
        {"dataset": "loans, again"},
        {"needs_approval": True},
    ],
)
def test_the_terms_of_a_scope_do_not_change(
    change: dict[str, Any], small: Ledger
) -> None:
    with pytest.raises(LedgerRefused) as refused:
        small.open_scope(replace(SCOPE, **change))
    assert str(refused.value).startswith(
        "scope 'loans' is open already, with other terms: Scope('loans', epsilon 1, "
        "delta 0.000001, basic, rows). A cap that could be raised would be none; "
    )
    assert small.account().scope == SCOPE


def test_the_same_terms_again_keep_what_was_spent(small: Ledger) -> None:
    bring(small, "opened")
    assert small.open_scope(SCOPE).spent.loss == Fraction(1, 10)


@pytest.mark.parametrize("scope", ["loans", None, Budget(1)])
def test_only_a_scope_is_opened(scope: Any, small: Ledger) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="scope must be a Scope"):
        small.open_scope(scope)


def test_an_anchor_makes_an_anchored_scope(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads")
    scope = ledger.open_scope(SCOPE).scope
    assert scope == replace(SCOPE, is_anchored=True)
    ledger.open_scope(SCOPE)
    assert ledger.watch.anchor is not None
    assert ledger.watch.anchor.heads() == [Head("loans", 0, scope.hash)]


def test_an_anchored_scope_is_not_opened_again_without_its_anchor(
    tmp_path: Path,
) -> None:
    Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads").open_scope(SCOPE)
    with pytest.raises(LedgerRefused, match="is open already, with other terms"):
        Ledger(tmp_path / "budget.db").open_scope(SCOPE)


def test_where_there_are_several_a_scope_is_named(small: Ledger) -> None:
    small.open_scope(CARDS)
    for verb in (
        small.account,
        lambda: small.charge(ID, PLAN),
        lambda: small.approve(PLAN),
        lambda: small.sealed(ID, PLAN),
    ):
        with pytest.raises(LedgerRefused, match="name the scope of the data"):
            verb()
    small.charge(ID, PLAN, scope="cards")
    assert small.account("cards").seq == 1
    assert small.account("loans").seq == 0


# --- The way of a release -------------------------------------------------------------


def test_a_release_goes_from_charge_to_published(ledger: Ledger) -> None:
    assert ledger.sealed(ID, PLAN) is None
    ledger.charge(ID, PLAN, by="Ada")
    head = ledger.open(ID)
    assert head == ledger.account().head
    ledger.seal(ID, b"\x00bytes\xff", "parquet")
    assert ledger.sealed(ID, PLAN) == (b"\x00bytes\xff", "parquet")
    ledger.publish(ID)
    account = ledger.account("loans")
    held = account.releases[ID]
    assert (held.state, account.seq) == ("published", 4)
    assert held.plan == plan_hash(PLAN)
    assert held.said("charge") == {"plan": plan_hash(PLAN), "by": "Ada"}
    assert held.said("sealed") == {
        "sha256": hashlib.sha256(b"\x00bytes\xff").hexdigest(),
        "format": "parquet",
    }
    assert ledger.sealed(ID, PLAN, scope="loans") == (b"\x00bytes\xff", "parquet")


def test_another_process_sees_the_same(any_ledger: str, ledger: Ledger) -> None:
    bring(ledger, "published")
    other = Ledger(any_ledger)
    assert other.account() == ledger.account()
    assert other.sealed(ID, PLAN) == (b"bytes", "json")


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
    small: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "time_now", lambda: "2026-01-01T00:00:00Z")
    small.charge(ID, PLAN)
    monkeypatch.setattr(room, "time_now", lambda: "2025-01-01T00:00:00Z")
    small.open(ID)
    account = small.account()
    times = [each.time for each in account.releases[ID].entries]
    assert times == ["2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z"]
    assert account.steps_back == (2,)


VERBS: dict[str, Any] = {
    "opened": lambda ledger: ledger.open(ID),
    "sealed": lambda ledger: ledger.seal(ID, b"other", "json"),
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
def test_a_step_out_of_order_is_refused(state: str, verb: str, small: Ledger) -> None:
    bring(small, state)
    before = small.account()
    with pytest.raises(LedgerRefused) as refused:
        VERBS[verb](small)
    said = {"charge": "charged", "void": "voided"}.get(state, state)
    advice = " A charge comes back only before data are opened."
    assert str(refused.value) == (
        f"release {ID} is {said}, so it cannot be {verb}."
        f"{advice if verb == 'voided' else ''}"
    )
    assert small.account() == before


def test_a_refused_seal_keeps_no_bytes(small: Ledger) -> None:
    bring(small, "charge")
    with pytest.raises(LedgerRefused):
        small.seal(ID, b"bytes", "json")
    with small.watch.reading() as watched:
        assert watched.tables.artifact_ids() == []


@pytest.mark.parametrize("verb", VERBS)
def test_a_release_that_is_not_there_takes_no_step(verb: str, small: Ledger) -> None:
    with pytest.raises(LedgerRefused, match=f"release {ID} is not in this ledger"):
        VERBS[verb](small)


@pytest.mark.parametrize("name", ["", "0" * 31, "g" * 32, "A" * 32, None, 7])
def test_an_id_is_32_hexadecimal_digits(name: Any, small: Ledger) -> None:  # noqa: ANN401
    for verb in (
        lambda: small.charge(name, PLAN),
        lambda: small.open(name),
        lambda: small.void(name),
        lambda: small.sealed(name, PLAN),
    ):
        with pytest.raises(InvalidInput, match="a release id is 32 hexadecimal digits"):
            verb()


@pytest.mark.parametrize("by", ["two\nlines", "x" * 201, None])
def test_who_asks_is_a_line_of_words(by: Any, small: Ledger) -> None:  # noqa: ANN401
    small.charge(ID, PLAN)
    for verb in (
        lambda: small.charge(OTHER, PLAN, by=by),
        lambda: small.void(ID, by=by),
        lambda: small.approve(PLAN, by=by),
    ):
        with pytest.raises(InvalidInput, match="by must be one line"):
            verb()
    assert small.account().seq == 1


def test_a_plan_is_priced_before_it_is_charged_or_approved(small: Ledger) -> None:
    cheap = replace(PLAN, budget=Budget("0.01"))
    for verb in (lambda: small.charge(ID, cheap), lambda: small.approve(cheap)):
        with pytest.raises(PlanRefused, match="too small for the budget"):
            verb()
    assert small.account().seq == 0


# --- Ids that were used before --------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("charge", "was charged and not begun"),
        ("opened", "is running, or stopped after data were opened"),
        ("void", "was voided"),
    ],
)
def test_an_unfinished_release_is_not_given_again(
    state: str, said: str, small: Ledger
) -> None:
    bring(small, state)
    with pytest.raises(LedgerRefused, match=f"release {ID} {said}"):
        small.sealed(ID, PLAN)
    with pytest.raises(LedgerRefused, match=f"release {ID} {said}"):
        small.charge(ID, PLAN)


@pytest.mark.parametrize("state", ["charge", "opened", "sealed", "void"])
def test_an_id_of_another_plan_is_refused(state: str, small: Ledger) -> None:
    bring(small, state)
    other = plan_of("0.2")
    with pytest.raises(LedgerRefused, match="belongs to another plan"):
        small.sealed(ID, other)
    with pytest.raises(LedgerRefused, match="belongs to another plan"):
        small.charge(ID, other)


def test_a_sealed_release_is_not_charged_again(small: Ledger) -> None:
    bring(small, "sealed")
    with pytest.raises(LedgerRefused, match="was sealed meanwhile"):
        small.charge(ID, PLAN)


@pytest.mark.parametrize("state", ["charge", "published", "void"])
def test_an_id_of_another_scope_is_refused(state: str, ledger: Ledger) -> None:
    bring(ledger, state)
    ledger.open_scope(CARDS)
    with pytest.raises(LedgerRefused, match="belongs to another scope"):
        ledger.sealed(ID, PLAN, scope="cards")
    with pytest.raises(LedgerRefused) as refused:
        ledger.charge(ID, PLAN, scope="cards")
    assert str(refused.value) == (
        f"release {ID} belongs to another scope. Leave the id out for a new release."
    )
    assert ledger.account("cards").seq == 0


# --- Approvals ------------------------------------------------------------------------


def test_a_plan_is_approved_once_and_then_charged(any_ledger: str) -> None:
    ledger = Ledger(any_ledger)
    ledger.open_scope(replace(SCOPE, needs_approval=True))
    with pytest.raises(LedgerRefused, match="admits approved plans only"):
        ledger.charge(ID, PLAN)
    for _ in range(2):
        assert ledger.approve(PLAN, by="officer") == plan_hash(PLAN)
    account = ledger.account()
    assert account.seq == 1
    assert account.approved[plan_hash(PLAN)].said == {"by": "officer"}
    ledger.charge(ID, PLAN)
    ledger.charge(OTHER, PLAN)
    with pytest.raises(LedgerRefused, match="admits approved plans only"):
        ledger.charge("2" * 32, plan_of("0.2"))


def test_an_approval_holds_in_its_scope_alone(small: Ledger) -> None:
    small.open_scope(replace(CARDS, needs_approval=True))
    small.approve(PLAN, scope="loans")
    with pytest.raises(LedgerRefused, match="admits approved plans only"):
        small.charge(ID, PLAN, scope="cards")
    small.approve(PLAN, scope="cards")
    small.charge(ID, PLAN, scope="cards")


def test_a_ledger_names_its_place_and_no_password(tmp_path: Path) -> None:
    assert repr(Ledger(tmp_path / "a.db")) == f"Ledger('{tmp_path / 'a.db'}')"
    secret = Ledger("postgresql://curator:SECRET@host/budget")
    assert repr(secret) == "Ledger('a PostgreSQL server')"
