"""A plan: every measured sum, its sensitivity, its noise and its price.

It is complete without data, so a privacy officer can read and approve it.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpratio.plan.calibration.calibrate import noise_sd
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.part import Part, Partition
from dpratio.plan.plan_words import (
    NOT_COVERED,
    describe_answers,
    describe_cells,
    describe_contrast,
    describe_delta,
    describe_unit,
)
from dpratio.plan.sensitivity.box import box_of
from dpratio.plan.sensitivity.contrast import Contrast, contrast_of
from dpratio.plan.sensitivity.joint import Grid
from dpratio.plan.strategy.strategy import EXTERNAL, sums_of
from dpratio.tabular import Tabular, printable
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True)
class Plan(Tabular):
    """What will be measured, how it is protected, and at what price.

    Made by `make_plan`; the curator's door prices it again before it is used.
    ``found`` are private keys that were paid for before cells were rolled up.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> plan.strategy, plan.mechanism, len(plan.sums)
        ('focused', 'laplace', 5)
    """

    bounds: Mapping[str, Bounds]
    unit: PrivacyUnit
    partitions: tuple[Partition, ...]
    budget: Budget
    strategy: str
    mechanism: str
    answers: tuple[str, ...]
    parts: tuple[Part, ...]
    found: tuple[PrivateKeys, ...] = ()

    @property
    def ratio(self) -> Ratio:
        """The ratio of the first part."""
        return self.parts[0].ratio

    @property
    def groups(self) -> Partition:
        """The partition of the first part."""
        return self.partitions[self.parts[0].partition]

    @property
    def sums(self) -> tuple[MeasuredSum, ...]:
        """The sums of the first part."""
        return self.parts[0].sums

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that everything costs together: the whole budget."""
        return self.budget.epsilon

    @property
    def delta(self) -> Fraction:
        """The delta that is spent: on finding keys, and on Gaussian noise.

        Of sums from elsewhere it is what was claimed, whatever their noise.
        """
        if self.mechanism != "laplace" or self.strategy == EXTERNAL:
            return self.budget.delta
        return sum((each.budget.delta for each in self.private_keys), Fraction(0))

    @property
    def private_keys(self) -> list[PrivateKeys]:
        """Keys that are found privately, or were before cells were rolled up."""
        asked = [each for each in self.partitions if isinstance(each, PrivateKeys)]
        return [*asked, *self.found]

    @property
    def for_sums(self) -> tuple[Fraction, Fraction]:
        """What of epsilon and delta is left for the sums."""
        epsilon = sum((each.budget.epsilon for each in self.private_keys), Fraction(0))
        delta = sum((each.budget.delta for each in self.private_keys), Fraction(0))
        spent = (
            Fraction(0) if self.mechanism == "laplace" else self.budget.delta - delta
        )
        return self.budget.epsilon - epsilon, spent

    def box(self, part: Part) -> dict[str, Bounds]:
        """The bounds of what one unit puts into a part."""
        return box_of(part.ratio, self.bounds, self.unit)

    def contrast(self, part: Part) -> Contrast | None:
        """The columns z and h of a part, in a focused plan."""
        return contrast_of(part.ratio) if self.strategy == "focused" else None

    def grid(self, part: Part) -> Grid:
        """The sums of a part on their lattices."""
        contrast = contrast_of(part.ratio)
        return sums_of(self.strategy, self.box(part), contrast, self.answers)

    def shares(self, part: Part) -> list[float]:
        """The part of the price that each sum has in the row that costs most."""
        if self.strategy == "even":
            return [float(part.weight) / len(part.sums)] * len(part.sums)
        power = 1 if self.mechanism == "laplace" else 2
        rows = [
            [
                (float(move) / each.scale) ** power
                for move, each in zip(row, part.sums, strict=True)
            ]
            for row in self.grid(part).moves
        ]
        dearest = max(rows, key=sum)
        return [float(part.weight) * each / sum(dearest) for each in dearest]

    def columns(self) -> dict[str, list[Any]]:
        """One row per sum of every part, in the units of the data."""
        table: dict[str, list[Any]] = {}
        if len(self.parts) > 1:
            table["part"] = [
                at + 1 for at, part in enumerate(self.parts) for _ in part.sums
            ]
        measured = [each for part in self.parts for each in part.sums]
        table["sum"] = [each.summand.label for each in measured]
        noise = [noise_sd(self.mechanism, each.scale) * each.step for each in measured]
        if self.strategy == EXTERNAL:
            return table | {"noise_sd": noise}
        return table | {
            "sensitivity": [each.sensitivity * each.step for each in measured],
            "noise_sd": noise,
            "share": [share for part in self.parts for share in self.shares(part)],
        }

    def summary(self) -> list[str]:
        """Say in sentences what is asked, who is protected and at what price."""
        bounds = ", ".join(f"{name} {each}" for name, each in self.bounds.items())
        cost = f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        if self.delta != self.budget.delta and not self.private_keys:
            allowed = decimal_text(self.budget.delta)
            cost += f" (delta {allowed} is allowed; this noise needs none)"
        if self.strategy == EXTERNAL:
            return [
                *self.asked(),
                f"Measured elsewhere. Claimed there, and not checked here: {cost}.",
            ]
        around = []
        if self.strategy == "focused":
            around = [describe_contrast(part.ratio, self.unit) for part in self.parts]
        return [
            *self.asked(),
            f"Counted within: {bounds}; values outside are clipped.",
            *describe_unit(self.unit),
            f"Strategy {self.strategy}, mechanism {self.mechanism}. Cost: {cost}.",
            *describe_delta(self.delta),
            *dict.fromkeys(around),
            describe_answers(self.strategy, self.answers),
        ]

    def asked(self) -> list[str]:
        """Say what each part asks; a single one without its number."""
        return [self._asked(at) for at in range(len(self.parts))]

    def _asked(self, at: int) -> str:
        part = self.parts[at]
        meaning = ", ".join(f"{a} = {name}" for a, name in part.ratio.letters.items())
        cells = describe_cells(self.partitions[part.partition])
        single = len(self.parts) == 1
        number = "" if single else f" {at + 1}"
        share = "" if single else f" Share: {float(part.weight):.3g}."
        return f"Asked{number}: {part.ratio}, {cells} ({meaning}).{share}"

    def __str__(self) -> str:
        lines = [*(printable(line) for line in self.summary()), "", self.to_text(), ""]
        lines += [f"Not covered: {sentence}" for sentence in NOT_COVERED]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        said = "".join(
            f"<p>{html.escape(printable(line))}</p>" for line in self.summary()
        )
        missing = "".join(
            f"<li>Not covered: {html.escape(sentence)}</li>" for sentence in NOT_COVERED
        )
        return f"{said}{self.to_html()}<ul>{missing}</ul>"
