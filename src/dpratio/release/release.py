"""A release: noisy integers, the plan they were made by, and where they come from.

Floor: release. Imports: checks, plan.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require
from dpratio.plan.plan import NOT_COVERED, Plan
from dpratio.terms.budget import decimal_text

__all__ = ["Release"]


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Noisy sums in whole lattice cells, keys × sums, with their plan.

    Args:
        id: 32 hexadecimal digits that name this release.
        plan: What was measured and with how much noise.
        values: Noisy integers; kept read-only.
        made_by: The program and version that made it.
        is_simulated: Whether the people in it are invented.
    """

    id: str
    plan: Plan
    values: NDArray[np.int64]
    made_by: str
    is_simulated: bool = False

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.int64)
        shape = (len(self.plan.keys), len(self.plan.sums))
        require(values.shape == shape, f"values must be of shape {shape}", values.shape)
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Release)
            and (self.id, self.plan, self.made_by, self.is_simulated)
            == (other.id, other.plan, other.made_by, other.is_simulated)
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        plan = self.plan
        simulated = (
            "SIMULATED: the people in it are invented. " if self.is_simulated else ""
        )
        count = len(plan.keys)
        return (
            f"{simulated}Release {self.id}: {plan.ratio}, "
            f"{count} {'answer' if count == 1 else 'answers'}, "
            f"{len(plan.sums)} noisy sums each; epsilon {decimal_text(plan.epsilon)}, "
            f"delta {decimal_text(plan.delta)}. Not covered: {NOT_COVERED[0]}"
        )
