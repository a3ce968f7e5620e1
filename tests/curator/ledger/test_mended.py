"""Ways in which a ledger could be made useless by honest people, each closed."""

import sqlite3
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from dpratio.curator.ledger.account.accounting import charge_of
from dpratio.curator.ledger.account.entry import link
from dpratio.curator.ledger.account.scope import Scope, scope_from_document
from dpratio.curator.ledger.account.source_description import SourceDescription
from dpratio.curator.ledger.admission.anchor import Head
from dpratio.curator.ledger.history import describe_plan
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

ID = "0" * 32
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}
PLAN = make_plan(Ratio("s", per="y"), bounds=BOUNDS, budget=Budget("0.1"))
SCOPE = Scope("loans", Budget(1, "1e-6"))


def long_plan() -> Plan:
    """Deltas of key selections that together have 400 digits."""
    keys = [
        PrivateKeys(f"k{at}", Budget("0.1", Fraction(10**90 + at, 10**98 + 9 * at + 7)))
        for at in range(1, 5)
    ]
    unit = PrivacyUnit("u", totals=BOUNDS)
    return make_plan(
        Ratio("s", per="y"),
        bounds=BOUNDS,
        budget=Budget(1, "1e-6"),
        groups=keys,
        unit=unit,
        mechanism="laplace",
    )


def test_a_cost_of_hundreds_of_digits_is_rounded_up_and_can_be_followed(
    tmp_path: Path,
) -> None:
    plan = long_plan()
    cost = price(plan)
    assert len(str(cost.delta)) > 300
    charge = charge_of(cost, "basic")
    assert cost.delta < charge.delta < cost.delta * (1 + Fraction(1, 10**90))
    ledger = Ledger(tmp_path / "a.db")
    ledger.open_scope(Scope("m", Budget(10, "1e-3"), unit="u"))
    ledger.charge(ID, plan)
    assert Ledger(tmp_path / "a.db").account().spent == charge


def test_an_entry_that_could_not_be_followed_is_not_written(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db")
    before = ledger.open_scope(SCOPE)
    broken = link(before.last, time="", subject=ID, kind="charge", event={"by": "me"})

    def write() -> None:
        with ledger.watch.writing() as watched:
            watched.append(watched.follow("loans"), broken)

    with pytest.raises(LedgerFailed, match="does not follow"):
        write()
    assert Ledger(tmp_path / "a.db").account().seq == 0


def test_a_release_is_not_written_over_its_ledger_or_its_anchor(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db", anchor=tmp_path / "heads")
    ledger.open_scope(SCOPE)
    for place in ("a.db", "heads", "./a.db"):
        with pytest.raises(InvalidInput, match="is not written over its ledger"):
            release_sums(
                {"s": [1], "y": [1]}, PLAN, ledger=ledger, out=tmp_path / place
            )
    assert ledger.account().seq == 0


def test_an_anchor_lies_outside_of_its_ledger(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="an anchor lies outside of its ledger"):
        Ledger(tmp_path / "a.db", anchor=tmp_path / "a.db")


def test_a_scope_whose_anchor_failed_at_first_is_anchored_by_opening_it_again(
    tmp_path: Path,
) -> None:
    with pytest.raises(LedgerFailed, match="cannot be written"):
        Ledger(tmp_path / "a.db", anchor=tmp_path / "no" / "heads").open_scope(SCOPE)
    ledger = Ledger(tmp_path / "a.db", anchor=tmp_path / "heads")
    account = ledger.open_scope(SCOPE)
    assert ledger.watch.heads() == [Head("loans", 0, account.scope.hash)]
    ledger.charge(ID, PLAN)
    assert ledger.open_scope(SCOPE).seq == 1
    assert [head.seq for head in ledger.watch.heads()] == [0, 1]


def test_a_scope_with_entries_does_not_begin_a_new_anchor(tmp_path: Path) -> None:
    old = Ledger(tmp_path / "a.db", anchor=tmp_path / "heads")
    old.open_scope(SCOPE)
    old.charge(ID, PLAN)
    with pytest.raises(LedgerFailed, match="does not know scope"):
        Ledger(tmp_path / "a.db", anchor=tmp_path / "new").open_scope(SCOPE)


@pytest.mark.parametrize("delta", ["1e-100", Fraction(1, 10**100)])
def test_the_smallest_caps_can_be_read_again(delta: str | Fraction) -> None:
    scope = Scope("x", Budget(3, delta), accounting="zcdp")
    assert scope_from_document(Node(scope.to_document())) == scope


def test_where_a_scope_cannot_be_followed_its_bytes_are_not_slandered(
    tmp_path: Path,
) -> None:
    ledger = Ledger(tmp_path / "a.db")
    ledger.open_scope(SCOPE)
    release_sums({"s": [1], "y": [1]}, PLAN, ledger=ledger)
    other = Ledger(tmp_path / "a.db", anchor=tmp_path / "heads")
    other.watch.anchor.append(Head("loans", 99, "0" * 64))  # type: ignore[union-attr]
    (wrong,) = verify_ledger(other).wrong
    assert "is older than what was seen" in wrong


@pytest.mark.parametrize("name", ["loans ", " loans", "loans.", "a\0b"])
def test_a_name_has_no_end_that_is_not_seen(name: str) -> None:
    with pytest.raises(InvalidInput, match="a scope needs a plain name"):
        Scope(name, Budget(1))


def test_names_without_nul(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="a ledger lies in a file or on a server"):
        Ledger("a\0b.db")
    with pytest.raises(InvalidInput, match="an anchor is a file"):
        Ledger(tmp_path / "a.db", anchor="a\0b")


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db")
    ledger.open_scope(SCOPE)
    with pytest.raises(InvalidInput, match="plan must be a Plan"):
        ledger.charge(ID, "plan.json")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="plan must be a Plan"):
        ledger.approve("plan.json")  # type: ignore[arg-type]


def test_a_plan_that_would_be_refused_is_told_with_the_reason(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db")
    account = ledger.open_scope(Scope("loans", Budget(1), needs_approval=True))
    said = describe_plan(account, PLAN)
    assert "would be refused: scope 'loans' admits approved studies only" in said
    ledger.approve(PLAN, source="mine")
    mine = SourceDescription(name="mine")
    assert describe_plan(ledger.account(), PLAN, mine).endswith("it fits 10 times.")
    whole = make_plan(Ratio("s", per="y"), bounds=BOUNDS, budget=Budget(1))
    ledger.approve(whole, source="mine")
    assert describe_plan(ledger.account(), whole, mine).endswith("it fits once.")


def test_amounts_that_look_alike_are_told_apart(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db")
    ledger.open_scope(Scope("loans", Budget("0.99999999999")))
    whole = make_plan(
        Ratio("s", per="y"), bounds=BOUNDS, budget=Budget("0.999999999999")
    )
    with pytest.raises(Exception, match="has a little less than epsilon 1 and delta 0"):
        ledger.charge(ID, whole)


def test_a_published_release_is_compared_with_what_was_sealed(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db")
    ledger.open_scope(SCOPE)
    release = release_sums({"s": [1], "y": [1]}, PLAN, ledger=ledger)
    assert verify_ledger(ledger, [release]).wrong == ()
    question = release.questions[0]
    sums = (replace(question.sums[0], values=question.values + 10**9),)
    forged = replace(release, questions=(replace(question, sums=sums),))
    (wrong,) = verify_ledger(ledger, [forged]).wrong
    assert wrong == f"release {release.id} is not what was sealed under its id."


def test_a_release_that_was_never_sealed_is_found(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db")
    ledger.open_scope(SCOPE)
    ledger.charge(ID, PLAN)
    head = ledger.open(ID)
    other = release_sums({"s": [1], "y": [1]}, PLAN, ledger=None)
    made_up = replace(other, id=ID, ledger_head=head)
    (wrong,) = verify_ledger(ledger, [made_up]).wrong
    assert "is not what was sealed" in wrong


def test_bytes_that_were_damaged_are_told_of_a_release_too(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.db")
    ledger.open_scope(SCOPE)
    release = release_sums({"s": [1], "y": [1]}, PLAN, ledger=ledger)
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("DROP TRIGGER artifact_keeps_update")
        connection.execute("UPDATE artifact SET content = x'00'")
        connection.execute(
            "CREATE TRIGGER artifact_keeps_update BEFORE UPDATE ON artifact\n"
            "        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
        )
    connection.close()
    wrong = verify_ledger(Ledger(tmp_path / "a.db"), [release]).wrong
    assert len(wrong) == 2
    assert all("not in the ledger as they were sealed" in each for each in wrong)


def test_a_forgotten_anchor_is_refused_and_accuses_nobody(tmp_path: Path) -> None:
    Ledger(tmp_path / "a.db", anchor=tmp_path / "heads").open_scope(SCOPE)
    with pytest.raises(LedgerRefused, match="name its anchor with --anchor"):
        verify_ledger(Ledger(tmp_path / "a.db"))
