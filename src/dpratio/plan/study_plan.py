"""The plan of a study: one way from the text that was approved to what is measured."""

from typing import Any

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.study_file import Study

__all__ = ["plan_of_study"]


def plan_of_study(study: Study) -> Plan:
    """Make the plan of a study; what the study leaves open has its default.

    Raises:
        InvalidInput: When a term breaks a rule.
    """
    chosen = {
        "strategy": study.strategy,
        "mechanism": study.mechanism,
        "n": study.people,
    }
    options: dict[str, Any] = {
        name: given for name, given in chosen.items() if given is not None
    }
    return make_plan(
        list(study.ratios),
        bounds=study.bounds,
        budget=study.budget,
        groups=list(study.partitions),
        unit=study.unit,
        weights=study.weights,
        answers=study.answers,
        guess=study.population,
        **options,
    )
