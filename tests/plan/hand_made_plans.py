"""Plans written by hand, and one with several parts."""

from fractions import Fraction
from typing import Any

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["LABEL", "SCORE", "WEIGHT", "focused_plan", "hand_made", "wide_plan"]

SCORE, LABEL, WEIGHT = Bounds(0, 1), Bounds.binary(), Bounds(0.5, 3)


def hand_made(mechanism: str = "laplace", groups: Groups | None = None) -> Plan:
    """A plan written by hand, to see what a plan does with what it is given."""
    return Plan(
        bounds={"score": SCORE, "label": LABEL, "weight": WEIGHT},
        unit=PrivacyUnit(),
        partitions=(groups,),
        budget=Budget(3, "0.25"),
        strategy="even",
        mechanism=mechanism,
        questions=(
            PlannedQuestion(
                Ratio("score", per="label", weight="weight"),
                partition=0,
                weight=Fraction(1),
                sums=(
                    MeasuredSum(Summand("w", ("w",)), 0.5, 6, 8.0),
                    MeasuredSum(Summand("wy", ("w", "y")), 2.0, 3, 4.0),
                ),
            ),
        ),
    )


def focused_plan(
    *,
    answers: tuple[str, ...] = ("ratio",),
    weighted: bool = True,
    **asked: Any,  # noqa: ANN401
) -> Plan:
    """A focused plan of score per label."""
    weight = "weight" if weighted else None
    weights = {"weight": WEIGHT} if weighted else {}
    return make_plan(
        Ratio("score", per="label", weight=weight, **asked),
        bounds={"score": SCORE, "label": LABEL, **weights},
        budget=Budget(1),
        answers=answers,
        clipping="unmeasured",
    )


def wide_plan(**changes: Any) -> Plan:  # noqa: ANN401
    """A plan of several parts that finds keys."""
    terms: dict[str, Any] = {
        "bounds": {"score": SCORE, "label": LABEL, "old": SCORE},
        "budget": Budget(1, "1e-6"),
        "mechanism": "laplace",
        "clipping": "unmeasured",
    } | changes
    ratios = [Ratio("score", per="label"), Ratio("score", per="label", minus="old")]
    keys = PrivateKeys("shop", Budget("0.2", "1e-7"))
    asked = [
        Question(ratio, groups=groups, share=share)
        for groups, share in ((None, 1), (keys, 3))
        for ratio in ratios
    ]
    return make_plan(ratios if "groups" in changes else asked, **terms)
