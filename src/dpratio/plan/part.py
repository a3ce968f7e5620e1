"""One part of a plan: a ratio over a partition, with its share and its sums."""

from dataclasses import dataclass
from fractions import Fraction

from dpratio.plan.measured import MeasuredSum
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio

__all__ = ["Part", "Partition"]

# Declared cells, keys to be found privately, or the whole table as one cell.
Partition = Groups | PrivateKeys | None


@dataclass(frozen=True, slots=True)
class Part:
    """A ratio, the place of its partition in the plan, and what is measured for it.

    ``weight`` is the part's share of what the plan spends on sums.
    """

    ratio: Ratio
    partition: int
    weight: Fraction
    sums: tuple[MeasuredSum, ...]

    @property
    def scales(self) -> list[float]:
        """The noise scales of the sums, in lattice cells."""
        return [each.scale for each in self.sums]
