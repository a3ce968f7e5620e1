"""The plan of a study: what it says, and defaults for what it leaves open."""

from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study_file import parse_study
from planned import question_text

TEXT = f"""{question_text()}[privacy]
epsilon = 1
delta = 1e-6
"""

CHOSEN = """
strategy = "joint"
mechanism = "analytic_gaussian"
[population]
n = 70
"""

RATIO = Ratio("score", per="label")
BOUNDS = {"score": Bounds(0, 1), "label": Bounds.binary()}


def test_what_a_study_leaves_open_has_the_defaults_of_make_plan() -> None:
    plain = make_plan(RATIO, bounds=BOUNDS, budget=Budget(1, "1e-6"))
    assert make_plan(parse_study(TEXT)) == plain


def test_what_a_study_chooses_is_planned() -> None:
    plan = make_plan(parse_study(TEXT + CHOSEN))
    assert (plan.strategy, plan.law.name) == ("joint", "analytic_gaussian")
