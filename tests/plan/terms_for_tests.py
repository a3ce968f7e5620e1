"""Terms that fit each other, changed as a test says, and the refusal."""

from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.measurement import Measurement
from dpratio.plan.require_terms import require_terms
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["RATIO", "TERMS", "UNIT", "WEIGHTED", "WITH_WEIGHT", "plan_of", "refusal"]

RATIO = Ratio("s", per="y")
WEIGHTED = Ratio("s", per="y", weight="w")
UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WITH_WEIGHT = {**UNIT, "w": Bounds(0.5, 3)}
TERMS: dict[str, Any] = {
    "bounds": UNIT,
    "unit": PrivacyUnit(),
    "partitions": (None,),
    "budget": Budget(1, "1e-6"),
    "strategy": "focused",
    "mechanism": "laplace",
}


def plan_of(**changes: Any) -> PlanTerms:  # noqa: ANN401
    """Terms without noise; ``ratio`` and ``groups`` are those of the only question."""
    ratio, groups = changes.pop("ratio", RATIO), changes.pop("groups", None)
    answers = changes.pop("answers", ("ratio",))
    questions = (Measurement(ratio, 0, Fraction(1), (), answers),)
    return PlanTerms(
        **TERMS | {"questions": questions, "partitions": (groups,)} | changes
    )


def refusal(**changes: Any) -> str:  # noqa: ANN401
    """Look at the changed terms, which must be refused: the message."""
    with pytest.raises(InvalidInput) as caught:
        require_terms(plan_of(**changes))
    return str(caught.value)
