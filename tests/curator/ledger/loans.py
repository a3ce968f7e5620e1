"""The scope of loans: plans to charge to it, their table, releases in every state."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

__all__ = [
    "BOUNDS",
    "CARDS",
    "ID",
    "NAME",
    "ONE",
    "OTHER",
    "PLAN",
    "SCOPE",
    "TABLE",
    "Untouchable",
    "bring",
    "plan_of",
    "rows",
    "spent",
    "state",
    "wrong_in",
]

ID, OTHER = "0" * 32, "1" * 32
NAME = "loans"  # what a table in memory is called where nobody names it
ONE = Fraction(1, 10)  # what the plan costs
SCOPE = Scope("loans", Budget(1, "1e-6"))
CARDS = Scope("cards", Budget(1))
TABLE: dict[str, list[object]] = {"s": [0.5, 0.2], "y": [1, 0]}
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}


def plan_of(epsilon: str = "0.1", delta: str = "0", **terms: Any) -> Plan:  # noqa: ANN401
    """A plan at a price, by default a tenth of what the scope has."""
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget(epsilon, delta)}
    return make_plan(Ratio("s", per="y"), **(given | terms))


PLAN = plan_of()


class Untouchable(dict[str, list[object]]):
    """A table that cannot be read, nor even looked at."""

    def touch(self, *_given: object) -> Any:  # noqa: ANN401
        message = "the table was touched"
        raise AssertionError(message)

    __iter__ = __getitem__ = __len__ = __contains__ = keys = items = touch


def spent(book: Ledger, scope: str = "loans") -> Fraction:
    """What was charged to a scope."""
    return book.account(scope).spent.loss


def rows(path: Path, text: str = "s,y\n0.5,1\n0.2,0\n") -> Path:
    """Write a table for the plan."""
    path.write_text(text, "utf-8")
    return path


def bring(ledger: Ledger, state: str, release_id: str = ID) -> None:
    """Bring a release to a state."""
    ledger.charge(release_id, PLAN, scope="loans", by="me")
    if state == "void":
        ledger.void(release_id)
    if state in {"opened", "sealed", "published"}:
        ledger.open(release_id)
    if state in {"sealed", "published"}:
        ledger.seal(release_id, b"bytes")
    if state == "published":
        ledger.publish(release_id)


def wrong_in(ledger: Ledger) -> tuple[str, ...]:
    """What verify finds, but for bytes that stand in for releases in these tests."""
    found = verify_ledger(ledger).wrong
    return tuple(
        each for each in found if "is no release, or one of another" not in each
    )


def state(ledger: Ledger, release_id: str = ID) -> str:
    """How far a release has come."""
    return ledger.account("loans").releases[release_id].state
