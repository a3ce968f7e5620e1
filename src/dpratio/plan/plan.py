"""A plan: every measured sum, its sensitivity, its noise and its price.

It is complete without data, so a privacy officer can read and approve it.
Floor: plan. Imports: terms, tabular, calibrate, contrast, strategy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpratio.plan.calibrate import noise_sd
from dpratio.plan.contrast import Contrast, contrast_of
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.strategy import sums_of
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.question import Groups, Key, Ratio

__all__ = ["NOT_COVERED", "Plan"]

_MAKING = (
    "how scores and weights were made: a model fitted on these rows, or weights "
    "raked or normalised over them, carry one row's values into other rows. "
    "Fit models and weights on a disjoint split."
)
_TERMS = (
    "the terms themselves: bounds, keys, guesses and budget are public, and must "
    "not be read off these rows."
)
NOT_COVERED = (_MAKING, _TERMS)
_KEYS_SHOWN = 12


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
    answers: tuple[str, ...]
    sums: tuple[MeasuredSum, ...]

    @property
    def keys(self) -> tuple[Key | None, ...]:
        """The declared keys in their order; one None without groups."""
        return (None,) if self.groups is None else self.groups.keys

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that all sums cost together: the whole budget."""
        return self.budget.epsilon

    @property
    def delta(self) -> Fraction:
        """The delta that all sums cost together: none for Laplace noise."""
        return Fraction(0) if self.mechanism == "laplace" else self.budget.delta

    @property
    def factor_bounds(self) -> dict[str, Bounds]:
        """The bounds of s, y and w, by those letters."""
        return {
            letter: self.bounds[column]
            for letter, column in zip("syw", self.ratio.columns, strict=False)
        }

    @property
    def contrast(self) -> Contrast | None:
        """The columns z and h of a focused plan."""
        return contrast_of(self.ratio) if self.strategy == "focused" else None

    @property
    def shares(self) -> list[float]:
        """The part of the price that each sum has in the row that costs most."""
        if self.strategy == "even":
            return [1 / len(self.sums)] * len(self.sums)
        contrast = contrast_of(self.ratio)
        grid = sums_of(self.strategy, self.factor_bounds, contrast, self.answers)
        power = 1 if self.mechanism == "laplace" else 2
        rows = [
            [
                (float(move) / each.scale) ** power
                for move, each in zip(row, self.sums, strict=True)
            ]
            for row in grid.moves
        ]
        dearest = max(rows, key=sum)
        return [each / sum(dearest) for each in dearest]

    def columns(self) -> dict[str, list[Any]]:
        """One row per sum, in the units of the data."""
        return {
            "sum": [each.summand.label for each in self.sums],
            "sensitivity": [each.sensitivity * each.step for each in self.sums],
            "noise_sd": [
                noise_sd(self.mechanism, each.scale) * each.step for each in self.sums
            ],
            "share": self.shares,
        }

    def summary(self) -> list[str]:
        """Say in sentences what is asked, who is protected and at what price."""
        letters = dict(zip("syw", self.ratio.columns, strict=False))
        meaning = ", ".join(f"{letter} = {name}" for letter, name in letters.items())
        bounds = ", ".join(f"{name} {each}" for name, each in self.bounds.items())
        cost = f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        if self.delta != self.budget.delta:
            allowed = decimal_text(self.budget.delta)
            cost += f" (delta {allowed} is allowed; this noise needs none)"
        return [
            f"Asked: {self.ratio}, {self._asked_of()} ({meaning}).",
            f"Counted within: {bounds}; values outside are clipped.",
            "Protected: one row, added or removed; the number of rows too.",
            f"Strategy {self.strategy}, mechanism {self.mechanism}. Cost: {cost}.",
            *self._about_contrast(),
            self._about_answers(),
        ]

    def _asked_of(self) -> str:
        if self.groups is None:
            return "one answer for the whole table"
        keys = [str(key) for key in self.groups.keys[:_KEYS_SHOWN]]
        more = ["…"] if len(self.groups.keys) > _KEYS_SHOWN else []
        return (
            f"one answer for each of {len(self.groups.keys)} declared keys of "
            f"{self.groups.column} ({', '.join(keys + more)})"
        )

    def _about_contrast(self) -> list[str]:
        if self.contrast is None:
            return []
        guess, limit = self.contrast.centre, self.contrast.limit
        times = "w·" if self.ratio.weight else ""
        z = f"{times}(s − {guess:g}·y)"
        h = f"{times}(s + {guess:g}·y)" if guess else f"{times}y"
        said = f"Measured around the guess {guess:g}: z = {z}, h = {h}."
        if limit is None:
            return [said]
        promise = f"Promised: |z| is at most {limit:g}; what lies beyond is clipped"
        return [said, f"{promise}, and the ratio moves by as much."]

    def _about_answers(self) -> str:
        if self.strategy != "focused":
            return "Answers: the ratio, with variance 'kish', and means."
        if "means" in self.answers:
            return "Answers: the ratio and both means, with variance 'linearised'."
        return (
            "Answers: the ratio, with variance 'linearised'. Means, bin mass and "
            "curves need a plan with answers=('ratio', 'means')."
        )

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
