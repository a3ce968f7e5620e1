"""Releases of known counts, as if noise had been nothing."""

from typing import Any

import numpy as np

from curator.histograms_for_tests import study_of
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.release.release import Release, fresh_question
from dpratio.terms.budget import Budget

__all__ = ["ONE", "released"]

ONE = Budget(1)


def released(counts: list[dict[str, int]], **terms: Any) -> Release:  # noqa: ANN401
    """A release of known counts of spent and orders, as if noise had been nothing."""
    plan = plan_bounds(study_of(**terms), budget=ONE, limits=(0.25, 4096))
    questions = []
    for question, given in zip(plan.questions, counts, strict=True):
        groups = plan.partitions[question.partition]
        keys = groups.keys  # type: ignore[union-attr]
        values = np.array([[given.get(str(key), 0)] for key in keys])
        questions.append(fresh_question(plan, question, groups, values))  # type: ignore[arg-type]
    return Release("0" * 32, plan, tuple(questions), "a test", is_simulated=True)
