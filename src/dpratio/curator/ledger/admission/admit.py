"""Whether a release may be charged to a scope: every rule in one place."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NoReturn

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import (
    LOSS_NAMES,
    Charge,
    charge_of,
    to_enter,
)
from dpratio.curator.ledger.account.held import SET_ASIDE, Held
from dpratio.curator.ledger.account.source_description import SourceDescription
from dpratio.curator.ledger.admission.approved import require_approved
from dpratio.errors import LedgerRefused
from dpratio.plan.price import AnyPlan, Cost
from dpratio.terms.budget import decimal_text

_LONGEST_SHOWN = 10**120
_UNFINISHED = {
    "opened": (
        "is running, or stopped after data were opened. If it runs, wait and ask "
        "again. If it stopped, its charge is gone, for noise is drawn once for a "
        "charge: say new_draw=True, or give a new id"
    ),
    "void": "was voided. Release under a new id",
    SET_ASIDE: (
        "has a line in the ledger that nobody can read and that was set aside. Its "
        "charge is gone: release under a new id"
    ),
    "stranded": (
        "was charged before lines of the ledger were lost, and may have been opened in "
        "those. Its charge stays: release under a new id"
    ),
}


def admit(  # noqa: PLR0913 (all that a request says)
    account: Account,
    release_id: str,
    plan: AnyPlan,
    cost: Cost,
    plan_hash: str,
    *,
    time: str,
    written: SourceDescription | None = None,
    asker: tuple[str, str] | None = None,
) -> tuple[Charge, str | None]:
    """Check a request against the terms of its scope and what is left.

    Args:
        account: The scope that would be charged.
        release_id: The id of the release.
        plan: What would be measured.
        cost: What that costs.
        plan_hash: What the ledger calls the plan.
        time: When it is asked.
        written: The source, as written.
        asker: Who asks, as `require_approved` takes it.

    Returns:
        What to charge, and the approval it is charged under, where one is needed.

    Raises:
        LedgerRefused: When a rule forbids it; nothing has been charged.

    Guarantee:
        What is admitted keeps everything released from the scope within its caps.
        Proof: docs/proofs/ledger.md.
    """
    scope = account.scope
    if release_id in account.releases:
        require_sealed(account, release_id, plan_hash)
        _refuse(f"release {release_id} went on meanwhile. Ask for it again")
    if not scope.protects(plan.unit):
        wanted = "single rows" if scope.unit is None else f"ids of '{scope.unit}'"
        _refuse(
            f"scope '{scope.name}' protects {wanted}, {scope.neighbours}; the plan "
            f"protects {plan.unit}, {plan.unit.neighbours}. Change the plan's "
            "unit, or name a scope that was opened for it: `dpratio ledger init` "
            "protects rows, and ids with --unit"
        )
    largest = scope.largest_delta
    if largest is not None and cost.delta > largest:
        _refuse(
            f"the plan's delta is {decimal_text(cost.delta)}; scope '{scope.name}' "
            f"allows {decimal_text(largest)} in one release. Lower the plan's delta"
        )
    approval = require_approved(account, plan_hash, written, time=time, asker=asker)
    charge = to_enter(charge_of(cost, scope.accounting), account.spent)
    if not charge.fits(account.left):
        left, costs = (
            _amount(each, scope.accounting) for each in (account.left, charge)
        )
        if left == costs:
            left = f"a little less than {left}"
        # With no loss left nothing fits, however little is asked for.
        advice = "Ask for less" if account.left.loss else "Nothing is left to ask for"
        _refuse(
            f"scope '{scope.name}' has {left} left; the release costs {costs}. "
            f"{advice}; what is spent on a dataset does not come back"
        )
    return charge, approval


def require_sealed(account: Account, release_id: str, plan_hash: str) -> None:
    """Refuse a release whose bytes cannot be published again.

    Raises:
        LedgerRefused: When the id belongs to another plan, or was not sealed.
    """
    held = account.releases[release_id]
    require_plan(held, release_id, plan_hash)
    if held.state in _UNFINISHED:
        costs = describe_new_draw(account, held.charge)
        _refuse(f"release {release_id} {_UNFINISHED[held.state]}. {costs}")


def require_plan(held: Held, release_id: str, plan_hash: str) -> None:
    """Refuse an id that was charged for another plan."""
    if held.plan != plan_hash:
        _refuse(
            f"release {release_id} belongs to another plan. Leave the id out for a "
            "new release, or bring back the plan it was charged for"
        )


def describe_new_draw(account: Account, charge: Charge) -> str:
    """Say what it costs to draw noise for the same again, and what that would leave."""
    accounting, name = account.scope.accounting, account.scope.name
    costs = f"A new draw costs {_amount(charge, accounting)}"
    if charge.fits(account.left):
        rest = _amount(account.left - charge, accounting)
        return f"{costs} and leaves {rest} in scope '{name}'"
    left = _amount(account.left, accounting)
    return f"{costs}, more than scope '{name}' has left: {left}"


def choose_scope(name: str | None, known: Iterable[str]) -> str:
    """Give the scope that was named, or the only one.

    Raises:
        LedgerRefused: When it is not registered, or several are and none was named.
    """
    names = list(known)
    listed = ", ".join(f"'{each}'" for each in names) or "none"
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        _refuse(f"name the scope of the data. Registered scopes: {listed}")
    if name not in names:
        _refuse(
            f"there is no scope '{name}' in this ledger. Registered scopes: {listed}. "
            "The curator opens one per dataset with `dpratio ledger init`"
        )
    return name


def _amount(charge: Charge, accounting: str) -> str:
    loss, delta = show_exact(charge.loss), show_exact(charge.delta)
    return f"{LOSS_NAMES[accounting]} {loss} and delta {delta}"


def show_charge(charge: Charge, accounting: str) -> str:
    """Write a loss by its name, and a delta."""
    loss, delta = show_exact(charge.loss), show_exact(charge.delta)
    return f"{LOSS_NAMES[accounting]} {loss}, delta {delta}"


def show_exact(exact: Fraction) -> str:
    """Write an exact number; long fractions rounded to six digits."""
    # Python writes out no number of thousands of digits.
    text = decimal_text(exact) if exact.denominator <= _LONGEST_SHOWN else None
    if text is not None and len(text) <= 12:  # noqa: PLR2004
        return text
    return f"{float(exact):.6g}"


def _refuse(words: str) -> NoReturn:
    raise LedgerRefused(f"{words}.")
