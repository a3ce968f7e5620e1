"""How many noisy units a key needs before it may be named."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dpratio.plan.certified import log_bounds
from dpratio.plan.laws import LAPLACE
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.unit import PrivacyUnit

__all__ = ["Threshold", "threshold_of"]


@dataclass(frozen=True, slots=True)
class Threshold:
    """The Laplace scale on counts, and the least noisy count that is named."""

    scale: float
    least: int

    def size_found(self, chance: float) -> int:
        """Give the number of units from which a key is found with this chance."""
        tail = min(chance, 1 - 2.0**-53)
        below = self.scale * math.log(1 / (2 * (1 - tail))) if tail > 0.5 else 0.0  # noqa: PLR2004
        return math.ceil(self.least - 0.5 + below)


def threshold_of(keys: PrivateKeys, unit: PrivacyUnit) -> Threshold:
    """Set the noise and the threshold of a private key selection.

    A unit counts in at most g keys. With Laplace noise of scale b = g/ε, rounded to
    whole numbers, a key that one unit alone holds reaches τ = 1 + ⌈b ln(g/2δ) + ½⌉ with
    probability at most δ/g.

    Guarantee:
        Naming the keys whose noisy count reaches the threshold is (ε, δ)-private under
        adding or removing one unit. Proof: docs/proofs/key_selection.md.
    """
    groups = unit.most_groups
    scale = LAPLACE.calibrate(
        sensitivity=groups,
        epsilon=keys.budget.epsilon,
        delta=Fraction(0),
    )
    log = log_bounds(Fraction(groups) / (2 * keys.budget.delta))[1]
    least = 1 + math.ceil(max(Fraction(scale) * log, Fraction(0)) + Fraction(1, 2))
    return Threshold(scale, least)
