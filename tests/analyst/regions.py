"""Small releases of regions, to compare: with little noise, or with much."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyst.given import given_release
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

Floats = NDArray[np.float64]
Rows = tuple[Floats, Floats]

BOUNDS = {"score": Bounds(0, 1), "label": Bounds.binary()}
REGIONS = ("north", "south", "east", "west")


def people(count: int, ratio: float, seed: int) -> Rows:
    """Scores and labels whose true ratio is given."""
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 2, count)
    label = (rng.random(count) < score / max(ratio, 1.0)).astype(float)
    return score * min(ratio, 1.0), label


# The people of the four regions, and what ratios are compared by.
ROWS = [people(4000, ratio, seed) for seed, ratio in enumerate((1.3, 1.1, 1.0, 0.9))]
LINKS = ["difference", "lift", "log_ratio"]


def plan_of(groups: Any, epsilon: float = 1e6, **terms: Any) -> Plan:  # noqa: ANN401
    asked = terms.pop("ratio", Ratio("score", per="label", guess=1.0))
    bounds = terms.pop("bounds", BOUNDS)
    return make_plan(
        asked,
        bounds=bounds,
        groups=groups,
        budget=Budget(epsilon),
        mechanism="laplace",
        clipping="unmeasured",
        **terms,
    )


def cells_for(plan: Plan, rows: Sequence[Rows], question: int = 0) -> NDArray[np.int64]:
    """Exact sums of a focused plan around 1, in whole cells."""
    sums = []
    for score, label in rows:
        z, h = score - label, score + label
        sums.append([z.sum(), h.sum(), (z * z).sum(), (z * h).sum(), (h * h).sum()])
    steps = [each.step for each in plan.measurements[question].sums]
    whole: NDArray[np.int64] = np.rint(np.array(sums) / np.array(steps)).astype(
        np.int64
    )
    return whole


def regions_release(rows: Sequence[Rows], epsilon: float = 1e6) -> Release:
    """Release regions with people as given, and the noise only declared."""
    plan = plan_of(Groups("region", REGIONS[: len(rows)]), epsilon)
    return given_release(plan, cells_for(plan, rows))
