"""A plan: every measured sum, its sensitivity, its noise and its price.

It is complete without data, so a privacy officer can read and approve it.
Floor: plan. Imports: terms, tabular, calibrate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpratio.plan.calibrate import noise_sd
from dpratio.plan.sums import Summand
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.question import Groups, Key, Ratio

__all__ = ["NOT_COVERED", "MeasuredSum", "Plan"]

_MAKING = (
    "how scores and weights were made: a model fitted on these rows, or weights "
    "raked or normalised over them, carry one row's values into other rows. "
    "Fit models and weights on a disjoint split."
)
_TERMS = (
    "the terms themselves: bounds, keys and budget are public, and must not be "
    "read off these rows."
)
NOT_COVERED = (_MAKING, _TERMS)
_KEYS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class MeasuredSum:
    """One sum that will be released, and what it costs.

    ``sensitivity`` and ``scale`` count lattice cells of width ``step``.
    """

    summand: Summand
    step: float
    sensitivity: int
    scale: float
    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Plan(Tabular):
    """What will be measured, how it is protected, and at what price.

    Made by `make_plan`; the curator's door prices it again before it is used.
    """

    ratio: Ratio
    bounds: Mapping[str, Bounds]
    groups: Groups | None
    budget: Budget
    strategy: str
    mechanism: str
    sums: tuple[MeasuredSum, ...]

    @property
    def keys(self) -> tuple[Key | None, ...]:
        """The declared keys in their order; one None without groups."""
        return (None,) if self.groups is None else self.groups.keys

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that all sums cost together."""
        return sum((each.epsilon for each in self.sums), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """The delta that all sums cost together."""
        return sum((each.delta for each in self.sums), Fraction(0))

    @property
    def factor_bounds(self) -> dict[str, Bounds]:
        """The bounds of s, y and w, by those letters."""
        return {
            letter: self.bounds[column]
            for letter, column in zip("syw", self.ratio.columns, strict=False)
        }

    def columns(self) -> dict[str, list[Any]]:
        """One row per sum, in the units of the data."""
        return {
            "sum": [each.summand.label for each in self.sums],
            "sensitivity": [each.sensitivity * each.step for each in self.sums],
            "noise_sd": [
                noise_sd(self.mechanism, each.scale) * each.step for each in self.sums
            ],
            "epsilon": [decimal_text(each.epsilon) for each in self.sums],
            "delta": [decimal_text(each.delta) for each in self.sums],
        }

    def summary(self) -> list[str]:
        """Say in sentences what is asked, who is protected and at what price."""
        letters = dict(zip("syw", self.ratio.columns, strict=False))
        meaning = ", ".join(f"{letter} = {name}" for letter, name in letters.items())
        groups = "one answer for the whole table"
        if self.groups is not None:
            keys = [str(key) for key in self.groups.keys[:_KEYS_SHOWN]]
            more = ["…"] if len(self.groups.keys) > _KEYS_SHOWN else []
            groups = (
                f"one answer for each of {len(self.groups.keys)} declared keys of "
                f"{self.groups.column} ({', '.join(keys + more)})"
            )
        bounds = ", ".join(f"{name} {each}" for name, each in self.bounds.items())
        cost = f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        if self.delta != self.budget.delta:
            allowed = decimal_text(self.budget.delta)
            cost += f" (delta {allowed} is allowed; this noise needs none)"
        return [
            f"Asked: {self.ratio}, {groups} ({meaning}).",
            f"Counted within: {bounds}; values outside are clipped.",
            "Protected: one row, added or removed; the number of rows too.",
            f"Strategy {self.strategy}, mechanism {self.mechanism}. Cost: {cost}.",
        ]

    def __str__(self) -> str:
        lines = [*self.summary(), "", self.to_text(), ""]
        lines += [f"Not covered: {sentence}" for sentence in NOT_COVERED]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html

        said = "".join(f"<p>{html.escape(line)}</p>" for line in self.summary())
        missing = "".join(
            f"<li>Not covered: {html.escape(sentence)}</li>" for sentence in NOT_COVERED
        )
        return f"{said}{self.to_html()}<ul>{missing}</ul>"
