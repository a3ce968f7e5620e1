"""An id that comes again, and plans that were approved."""

from dataclasses import replace

import pytest

from curator.ledger.loans import CARDS, ID, OTHER, PLAN, SCOPE, bring, plan_of
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import LedgerRefused
from dpratio.release.files import plan_hash

MINE = named_source("mine")

# --- Ids that were used before --------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("opened", "is running, or stopped after data were opened"),
        ("void", "was voided"),
    ],
)
def test_an_unfinished_release_is_not_given_again(
    state: str, said: str, file_ledger: Ledger
) -> None:
    bring(file_ledger, state)
    with pytest.raises(LedgerRefused, match=f"release {ID} {said}"):
        file_ledger.sealed(ID, PLAN)
    with pytest.raises(LedgerRefused, match=f"release {ID} {said}"):
        file_ledger.charge(ID, PLAN)


def test_a_charge_that_was_not_begun_is_gone_on_with(ledger: Ledger) -> None:
    """Its answer may have been lost; nothing is charged a second time."""
    told = ledger.charge(ID, PLAN, source=MINE)
    before = ledger.account()
    assert ledger.sealed(ID, PLAN) is None
    assert ledger.charge(ID, PLAN, source=MINE, by="another") == told
    assert ledger.account() == before


def test_a_charge_is_gone_on_with_for_its_data_alone(file_ledger: Ledger) -> None:
    file_ledger.charge(ID, PLAN, source=MINE)
    with pytest.raises(LedgerRefused) as refused:
        file_ledger.charge(ID, PLAN, source=named_source("yours"))
    assert str(refused.value) == (
        f"release {ID} was charged for other data, and was not begun. Bring those "
        "back; or void it with `dpratio ledger void`, and release under a new id."
    )
    assert file_ledger.account().seq == 1


@pytest.mark.parametrize("state", ["charge", "opened", "sealed", "void"])
def test_an_id_of_another_plan_is_refused(state: str, file_ledger: Ledger) -> None:
    bring(file_ledger, state)
    other = plan_of("0.2")
    with pytest.raises(LedgerRefused, match="belongs to another plan"):
        file_ledger.sealed(ID, other)
    with pytest.raises(LedgerRefused, match="belongs to another plan"):
        file_ledger.charge(ID, other)


def test_a_sealed_release_is_not_charged_again(file_ledger: Ledger) -> None:
    bring(file_ledger, "sealed")
    with pytest.raises(LedgerRefused, match="went on meanwhile"):
        file_ledger.charge(ID, PLAN)


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
    with pytest.raises(LedgerRefused, match="admits approved studies only"):
        ledger.charge(ID, PLAN, source=MINE)
    for _ in range(2):
        approved = ledger.approve(PLAN, source="mine", by="officer")
        assert approved == plan_hash(PLAN)
    account = ledger.account()
    assert account.seq == 1
    (approval,) = account.approved.values()
    assert approval.entry.said == {
        "by": "officer",
        "plan": plan_hash(PLAN),
        "source": MINE.written.text,
    }
    ledger.charge(ID, PLAN, source=MINE)
    ledger.charge(OTHER, PLAN, source=MINE)
    with pytest.raises(LedgerRefused, match="admits approved studies only"):
        ledger.charge("2" * 32, plan_of("0.2"), source=MINE)


def test_an_approval_holds_in_its_scope_alone(file_ledger: Ledger) -> None:
    file_ledger.open_scope(replace(CARDS, needs_approval=True))
    file_ledger.approve(PLAN, source="mine", scope="loans")
    with pytest.raises(LedgerRefused, match="admits approved studies only"):
        file_ledger.charge(ID, PLAN, scope="cards", source=MINE)
    file_ledger.approve(PLAN, source="mine", scope="cards")
    file_ledger.charge(ID, PLAN, scope="cards", source=MINE)
