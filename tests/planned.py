"""What many tests start from: scores per label, without weights or guess."""

from typing import Any

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

__all__ = ["plan_scores", "question_text"]


def question_text(numerator: str = "score", per: str = "label") -> str:
    """Write ratio and bounds as a study file has them."""
    return f"""
[ratio]
numerator = "{numerator}"
per = "{per}"

[bounds]
{numerator} = [0, 1]
{per} = "binary"
"""


def plan_scores(budget: Budget, **terms: Any) -> Plan:  # noqa: ANN401
    """Plan the sums of a score between 0 and 1 per binary label."""
    bounds = {"score": Bounds(0, 1), "label": Bounds.binary()}
    terms = {"clipping": "unmeasured"} | terms
    return make_plan(Ratio("score", per="label"), bounds=bounds, budget=budget, **terms)
