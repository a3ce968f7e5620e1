"""A scope: one dataset, whom it is about, and what may be spent on it.

It is named by the curator and belongs to the data, wherever they lie and whatever the
file is called.
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpratio.checks import require, require_one_of, to_exact
from dpratio.curator.ledger.account.accounting import ACCOUNTINGS, Charge, loss_within
from dpratio.release.files import checksum
from dpratio.strict import Node
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import require_column_name
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

_NAME = re.compile(r"\w([\w .:/-]{0,98}\w)?")
_LONGEST_DENOMINATOR = 10**102
_LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True)
class Scope:
    """One dataset and its caps.

    Args:
        name: How studies and commands call it: letters, digits and ``. : / -``.
        budget: The caps: epsilon and delta of everything that is ever released.
        accounting: ``"basic"`` adds epsilon and delta, best for a few releases;
            ``"zcdp"`` adds rho and ``"gdp"`` squared mu, best for many: the first
            with Laplace noise, the second with Gaussian noise.
        unit: The column of ids of those who are protected; None for single rows.
        neighbours: The neighbour relation of every plan.
        dataset: What the data are, in words.
        largest_delta: No single release may have a larger delta; None for no limit
            but the cap.
        conversion_delta: The part of delta that turning rho or mu into epsilon takes:
            by default half of it with ``"zcdp"``, all of it with ``"gdp"``. Finding
            keys privately takes from the rest.
        needs_approval: Whether only studies that were approved with their data may run.
        approvals_by_others: Whether nobody may release what they approved themselves.
        is_anchored: Whether the head of the ledger is also kept in an outside file.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> Scope("loans", Budget(3, 1e-5), unit="customer")
        Scope('loans', epsilon 3, delta 0.00001, basic, unit 'customer')
    """

    name: str
    budget: Budget
    accounting: str = "basic"
    unit: str | None = None
    neighbours: str = "add-or-remove-one"
    dataset: str = ""
    largest_delta: Fraction | None = None
    conversion_delta: Fraction | None = None
    needs_approval: bool = False
    is_anchored: bool = False
    approvals_by_others: bool = False
    cap: Charge = field(init=False)

    def __post_init__(self) -> None:
        hint = "Use up to 100 letters, digits, and within them spaces and . : / -"
        named = isinstance(self.name, str) and _NAME.fullmatch(self.name)
        require(named, "a scope needs a plain name", self.name, hint)
        hint = "Write Budget(epsilon=3, delta=1e-5)."
        require(isinstance(self.budget, Budget), "caps are a Budget", self.budget, hint)
        require_one_of(self.accounting, ACCOUNTINGS, "accounting")
        require_one_of(self.neighbours, NEIGHBOURS, "neighbour relation")
        if self.unit is not None:
            require_column_name(self.unit)
        require_words(self.dataset, "dataset")
        for name in ("needs_approval", "is_anchored", "approvals_by_others"):
            given = getattr(self, name)
            require(isinstance(given, bool), f"{name} must be true or false", given)
        rule = "approvals by others need a scope that demands approval"
        demanded = self.needs_approval or not self.approvals_by_others
        require(demanded, rule, self.needs_approval, "Set needs_approval as well.")
        self._settle("largest_delta")
        self._settle("conversion_delta")
        object.__setattr__(self, "cap", self._cap())

    def _settle(self, name: str) -> None:
        """Read a delta as the decimal that was written."""
        given = getattr(self, name)
        if given is None:
            return
        exact = to_exact(given, name)
        rule = f"{name} must be above 0 and at most the cap of delta"
        require(0 < exact <= self.budget.delta, rule, given)
        short = exact.denominator <= _LONGEST_DENOMINATOR
        require(short, f"{name} has too many digits", given, "Round it.")
        object.__setattr__(self, name, exact)

    def _cap(self) -> Charge:
        """Give what may be spent, in the losses that the accounting adds up."""
        if self.accounting == "basic":
            rule = "accounting 'basic' converts nothing; leave conversion_delta out"
            require(self.conversion_delta is None, rule, self.conversion_delta)
            return Charge(self.budget.epsilon, self.budget.delta)
        hint = "Give a cap such as 1e-6, or use accounting 'basic'."
        rule = f"accounting '{self.accounting}' needs a cap of delta above 0"
        epsilon, delta = self.budget.epsilon, self.budget.delta
        require(delta > 0, rule, delta, hint)
        if self.conversion_delta is None:
            taken = delta if self.accounting == "gdp" else delta / 2
            object.__setattr__(self, "conversion_delta", taken)
        taken = self.converted
        return Charge(loss_within(self.accounting, epsilon, taken), delta - taken)

    @property
    def converted(self) -> Fraction:
        """The delta that is set aside for turning rho or mu into epsilon."""
        return self.conversion_delta or Fraction(0)

    @property
    def hash(self) -> str:
        """The hash of all terms: where the chain of entries begins."""
        return checksum(self.to_document())

    def protects(self, unit: PrivacyUnit) -> bool:
        """Tell whether a plan protects those whom this scope is about."""
        return (self.unit, self.neighbours) == (unit.column, unit.neighbours)

    def to_document(self) -> dict[str, Any]:
        """Write the terms as tables, text and numbers."""
        # Scopes of before did not have this term, and their hashes stay as they are.
        more = {"approvals_by_others": True} if self.approvals_by_others else {}
        return {
            "name": self.name,
            "epsilon": str(self.budget.epsilon),
            "delta": str(self.budget.delta),
            "accounting": self.accounting,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "dataset": self.dataset,
            "largest_delta": _text(self.largest_delta),
            "conversion_delta": _text(self.conversion_delta),
            "needs_approval": self.needs_approval,
            "is_anchored": self.is_anchored,
            **more,
        }

    def __repr__(self) -> str:
        caps = str(self.budget)[len("Budget(") : -1].replace("=", " ")
        unit = "rows" if self.unit is None else f"unit {self.unit!r}"
        return f"Scope({self.name!r}, {caps}, {self.accounting}, {unit})"


def scope_from_document(node: Node) -> Scope:
    """Read a scope.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    words = ("name", "accounting", "neighbours", "dataset")
    flags = ("needs_approval", "is_anchored")
    deltas = ("largest_delta", "conversion_delta")
    later = ("approvals_by_others",)
    terms = ("epsilon", "delta", "unit", *words, *flags, *deltas)
    fields = node.fields(*terms, optional=later)
    given: dict[str, Any] = {name: fields[name].text() for name in words}
    given |= {name: fields[name].flag() for name in (*flags, *later) if name in fields}
    given |= {
        name: None if fields[name].value is None else fields[name].fraction()
        for name in deltas
    }
    epsilon, delta = fields["epsilon"].fraction(), fields["delta"].fraction()
    unit = None if fields["unit"].value is None else fields["unit"].text()
    return node.make(lambda: Scope(budget=Budget(epsilon, delta), unit=unit, **given))


def require_words(words: object, what: str) -> None:
    """Refuse what is not a line of plain words."""
    plain = isinstance(words, str) and len(words) <= _LONGEST_WORDS
    rule = f"{what} must be one line of up to {_LONGEST_WORDS} letters"
    require(plain and (not words or str(words).isprintable()), rule, words)


def _text(exact: Fraction | None) -> str | None:
    return None if exact is None else str(exact)
