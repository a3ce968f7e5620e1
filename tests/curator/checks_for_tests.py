"""Studies of visits that are checked, their rows, and releases without noise."""

from typing import Any

import numpy as np

from curator.tables_for_tests import asked, exact
from dpratio.plan.check.plan_check import plan_check
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Dimension, Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

__all__ = ["REGIONS", "SMALL", "check_plan", "checked_exactly", "person", "study_of"]

SMALL = Budget("0.05")
REGIONS = Keys("region", ["north", "south"])
EACH: tuple[Dimension, ...] = (
    REGIONS,
    Periods("seen", "month", "2026-01-01", "2026-02-28"),
    ScoreBins("age", 2),
)


def study_of(**terms: Any) -> Study:  # noqa: ANN401
    """A study of spending per visit, by region, month and age."""
    ratio = terms.pop("ratio", Ratio("spent", per="visit"))
    given: dict[str, Any] = {
        "bounds": {
            "spent": Bounds(0, 20),
            "visit": Bounds.binary(),
            "back": Bounds(0, 5),
            "w": Bounds(0, 3),
            "age": Bounds(0, 80),
        },
        "budget": Budget(1),
        "groups": Groups.cross(*EACH),
        **terms,
    }
    return Study(ratio, **given)


def person(**terms: Any) -> PrivacyUnit:  # noqa: ANN401
    """All rows of one user."""
    totals = {
        "spent": Bounds(0, 60),
        "visit": Bounds(0, 9),
        "spent - back": Bounds(0, 60),
    }
    return PrivacyUnit("user", totals=totals, **terms)


def check_plan(**terms: Any) -> Plan:  # noqa: ANN401
    """The plan of a check of such a study."""
    return plan_check(study_of(**terms), budget=SMALL)


def checked_exactly(table: object, study: Study) -> Release:
    """What a check of a few rows, at a high price, would release without its noise."""
    plan = plan_check(study, budget=Budget(5))
    questions = []
    for at, question in enumerate(plan.questions):
        groups = plan.partitions[question.partition]
        assert isinstance(groups, Groups)
        assert asked(plan, at).cells == groups.count
        counts = np.array(exact(table, plan, "python", question=at))
        questions.append(fresh_question(plan, question, groups, counts))
    return Release("0" * 32, plan, tuple(questions), "a test", is_simulated=True)
