"""Sums that another system measured: what their release holds in place of a plan.

They have no price of ours. The curator's door takes plans alone, and dpratio makes no
privacy claim about them.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.laws import LARGEST_SCALE, SMALLEST_SCALE, NoiseLaw
from dpratio.plan.measurement import Measurement
from dpratio.plan.rules import require_terms
from dpratio.plan.sensitivity.sums import (
    MeasuredSum,
    Summand,
    row_box,
    step_for,
    summands_for,
)
from dpratio.plan.words import NOT_COVERED, describe_cells
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import UNMEASURED, Study
from dpratio.terms.unit import PrivacyUnit

_UNITS = ("aa", "ab", "bb")
_BY_UNITS = (*_UNITS, "wa", "wb")


@dataclass(frozen=True, slots=True)
class ExternalSums(Tabular):
    """Sums of a ratio that another system measured and protected.

    Made by `wrap_sums`.

    Args:
        origin: The name of that system.
        ratio: What the sums are about.
        bounds: The public ranges to which values were clipped there.
        law: The law of the noise.
        noise_sd: By the name of each sum, the standard deviation of its noise.
        claimed: What that system says it spent.
        groups: The declared cells; None for the whole table.
    """

    origin: str
    ratio: Ratio
    bounds: Mapping[str, Bounds]
    law: NoiseLaw
    noise_sd: Mapping[str, float]
    claimed: Budget
    groups: Groups | None = None

    def __post_init__(self) -> None:
        origin = self.origin
        if (
            not isinstance(origin, str)
            or not origin.strip()
            or not origin.isprintable()
        ):
            raise InvalidInput(
                f"origin must be plain text, got {show_given(origin)}.", field="origin"
            )
        if not isinstance(self.groups, Groups | None):
            raise InvalidInput(
                "sums from elsewhere have declared cells. Name the keys of the cells.",
                field="groups",
            )
        study = Study(
            Question(self.ratio, groups=self.groups),
            bounds=self.bounds,
            budget=self.claimed,
            strategy="even",
            mechanism=self.law.name,
            clipping=UNMEASURED,
        )
        require_terms(study)
        object.__setattr__(self, "bounds", study.bounds)
        # Nothing was measured around a guess.
        plain = replace(self.ratio, guess=None, guess_is="close")
        object.__setattr__(self, "ratio", plain)
        object.__setattr__(self, "groups", study.questions[0].groups)
        for measured in self.measurements[0].sums:
            if measured.scale > LARGEST_SCALE:
                raise InvalidInput(
                    f"the noise of {measured.summand.name} must stay below 2^50 cells, "
                    f"got {measured.scale}.",
                    field="noise_sd",
                )

    @property
    def measurements(self) -> tuple[Measurement]:
        """The only question, with the sums on the lattices that ours would have."""
        box, sums = row_box(self.ratio, self.bounds), []
        for summand in _summands(self.noise_sd, self.ratio, self.bounds):
            step = step_for(math.prod(box[factor].reach for factor in summand.factors))
            scale = _deviation(summand.name, self.noise_sd) / self.law.sd(1.0) / step
            sums.append(MeasuredSum(summand, step, 0, max(scale, SMALLEST_SCALE)))
        return (Measurement(Question(self.ratio, groups=self.groups), tuple(sums)),)

    @property
    def unit(self) -> PrivacyUnit:
        """Rows: who was protected there is not known."""
        return PrivacyUnit()

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that was claimed."""
        return self.claimed.epsilon

    @property
    def delta(self) -> Fraction:
        """The delta that was claimed, whatever the noise."""
        return self.claimed.delta

    def box(self, measured: Measurement) -> dict[str, Bounds]:
        """Return the bounds of what a row puts into the sums."""
        return row_box(measured.ratio, self.bounds)

    def columns(self) -> dict[str, list[Any]]:
        """One row per sum, in the units of the data."""
        sums = self.measurements[0].sums
        return {
            "sum": [measured.summand.label for measured in sums],
            "noise_sd": [self.law.sd(part.scale) * part.step for part in sums],
        }

    def summary(self) -> list[str]:
        """Describe in sentences what was measured, and what was claimed for it."""
        letters = [f"{letter} = {name}" for letter, name in self.ratio.letters.items()]
        cells = describe_cells(self.groups, self.unit)
        cost = f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        return [
            f"Asked: {self.ratio}, {cells} ({', '.join(letters)}).",
            f"Measured elsewhere. Claimed there, and not checked here: {cost}.",
        ]

    def said(self) -> list[str]:
        """The sentences that stand above the table of sums."""
        return [*self.summary(), *(f"Not covered: {line}" for line in NOT_COVERED)]


def _summands(
    names: Iterable[str], ratio: Ratio, bounds: Mapping[str, Bounds]
) -> list[Summand]:
    """Return the sums of these names in order; refuse unknown ones and too few."""
    is_weighted = ratio.weight is not None
    summands = summands_for(weighted=is_weighted, binary=False, spread=True)
    known = {summand.name: summand for summand in summands}
    if is_weighted:
        letters = {"a": ("w", "s"), "b": ("w", "y"), "w": ("w",)}
        for name in _BY_UNITS:
            known[name] = Summand(name, letters[name[0]] + letters[name[1]])
    names = set(names)
    if not names <= set(known):
        raise InvalidInput(
            "a sum is named by its factors, got "
            f"{show_given(sorted(names - set(known)))}. Sums are: {', '.join(known)}.",
            field="sums",
        )
    squares = {"wss", "wys"} | (set() if bounds[ratio.per].is_binary else {"wyy"})
    needed = {"ws", "wy", *squares, *(("w", "ww") if is_weighted else ())}
    # Squares of values and of units are not mixed: which they are must be clear.
    is_by_units = is_weighted and not squares & names
    if not needed <= names and not (is_by_units and {"ws", "wy", *_UNITS} <= names):
        advice = f"Add: {', '.join(sorted(needed - names))}"
        if is_weighted:
            advice += "; or in place of squares of values: aa, ab, bb"
        raise InvalidInput(
            f"an interval needs second-order sums. {advice}.", field="sums"
        )
    return [known[name] for name in known if name in names]


def _deviation(name: str, noise_sd: Mapping[str, object]) -> float:
    sd = noise_sd[name]
    if (
        isinstance(sd, bool)
        or not isinstance(sd, int | float)
        or not 0 <= sd < math.inf
    ):
        raise InvalidInput(
            f"the noise of the sum {name} must be known, got {show_given(sd)}. Give "
            "the standard deviation of the noise of every sum; 0 for none.",
            field="noise_sd",
        )
    return sd
