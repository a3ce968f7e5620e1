"""A release: noisy integers, the plan they were made by, and where they come from.

Floor: release. Imports: checks, plan.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require
from dpratio.plan.plan import NOT_COVERED, Plan
from dpratio.terms.budget import decimal_text
from dpratio.terms.question import is_unicode

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
        named = isinstance(self.id, str) and re.fullmatch("[0-9a-f]{32}", self.id)
        require(named, "a release id is 32 hexadecimal digits", self.id)
        made = isinstance(self.made_by, str) and is_unicode(self.made_by)
        require(made, "made_by must be text", self.made_by)
        flagged = isinstance(self.is_simulated, bool)
        require(flagged, "is_simulated must be true or false", self.is_simulated)
        values = _to_integers(self.values)
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


def _to_integers(values: object) -> NDArray[np.int64]:
    """Copy whole numbers of 64 bits; refuse everything else."""
    try:
        given = np.array(values)
    except (ValueError, OverflowError):
        given = np.array(None)
    rule = "values must be whole numbers of 64 bits"
    require(given.dtype.kind in "iu", rule, str(given.dtype))
    ends = [int(given.min()), int(given.max())] if given.size else [0]
    fits = all(abs(end) < 2**63 for end in ends)
    require(fits, rule, str(given.dtype))
    return given.astype(np.int64)
