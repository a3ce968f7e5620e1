"""Releases of known counts, as if noise had been nothing."""

from typing import Any

import numpy as np

from curator.histograms_for_tests import study_of
from dpratio.plan.histograms import plan_bins, plan_bounds
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

__all__ = ["ONE", "grid_release", "released"]

ONE = Budget(1)
_SCORES = Study(
    Ratio("score", per="label"),
    bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
    budget=Budget(1),
)


def released(counts: list[dict[str, int]], **terms: Any) -> Release:  # noqa: ANN401
    """A release of known counts of spent and orders, as if noise had been nothing."""
    plan = plan_bounds(study_of(**terms), budget=ONE, limits=(0.25, 4096))
    questions = []
    for histogram, given in zip(plan.measurements, counts, strict=True):
        groups = histogram.groups
        values = np.array([[given.get(str(key), 0)] for key in groups.keys])
        questions.append(fresh_question(plan.law, histogram, groups, values))
    return Release("0" * 32, plan, tuple(questions), "a test", is_simulated=True)


def grid_release(counts: list[int], name: str = "0", epsilon: Any = 1) -> Release:  # noqa: ANN401
    """A release of known counts on 16 cells, as if noise had been nothing."""
    plan = plan_bins(_SCORES, "score", budget=Budget(epsilon), cells=16)
    (histogram,) = plan.measurements
    values = np.array([[each] for each in counts])
    asked = fresh_question(plan.law, histogram, histogram.groups, values)
    return Release(name * 32, plan, (asked,), "a test", is_simulated=True)
