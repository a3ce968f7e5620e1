"""What the audit asks of its invented tables, and of whom.

Rows: a weighted ratio with a binary denominator, where all three strategies measure
different sums. People: several rows each, in two groups. Changed rows: moved from one
group to another, or to other values in the same one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import UNMEASURED
from dpratio.terms.unit import PrivacyUnit

COLUMNS = ("score", "label", "weight")
SAMPLE, PERSON = "sample", "person"
DELTA = "1e-6"

_ROW_BOUNDS = {
    "score": Bounds(0, 1),
    "label": Bounds.binary(),
    "weight": Bounds(0.25, 3),
}
_TOTAL = Bounds(0, 5)


@dataclass(frozen=True, slots=True)
class Question:
    """Who is protected, in a sample of so many groups that one unit can reach."""

    unit: PrivacyUnit
    cells: int
    bounds: Mapping[str, Bounds] = field(default_factory=lambda: _ROW_BOUNDS)

    @property
    def box(self) -> dict[str, Bounds]:
        """What one unit may hold: in a row, or in its totals."""
        held = self.unit.totals or self.bounds
        return {name: held[name] for name in COLUMNS if name in held}


QUESTIONS = {
    "row": Question(PrivacyUnit(), 1),
    "changed-row": Question(PrivacyUnit(neighbours="change-one"), 2),
    "person": Question(
        PrivacyUnit(PERSON, totals={"score": _TOTAL, "label": _TOTAL}, most_groups=2),
        2,
        _ROW_BOUNDS | {"label": Bounds(0, 1)},
    ),
}


def plan_for(
    question: Question,
    *,
    strategy: str,
    mechanism: str,
    epsilon: str,
    stage: Fraction | None = None,
    clipping: str = UNMEASURED,
) -> Plan:
    """Plan a release of one sample, with as many cells as a unit needs.

    Raises:
        InvalidInput: When the mechanism cannot be used at this epsilon.
    """
    return make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds=question.bounds,
        unit=question.unit,
        groups=Groups(SAMPLE, range(question.cells)),
        budget=Budget(epsilon, DELTA),
        strategy=strategy,
        mechanism=mechanism,
        stage=stage or 0,
        clipping=clipping,
    )


def plan_of_totals(plan: Plan) -> Plan:
    """Write the totals of a first stage as if they were sums around zero."""
    (measured,), stage = plan.measurements, plan.stage
    totals = () if stage is None else stage.firsts[0]
    alone = replace(plan, stage=None)
    return alone.measuring([measured.around(0.0, totals, measured.basis)])
