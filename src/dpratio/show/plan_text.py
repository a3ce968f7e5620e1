"""A plan as a document: what whoever approves it must read, around its table."""

import json
from collections.abc import Sequence

from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.plan.words import NOT_COVERED
from dpratio.release.files import plan_hash
from dpratio.show.text import render
from dpratio.tabular import printable
from dpratio.terms.budget import decimal_text


def plan_to_markdown(plan: AnyPlan, notes: Sequence[str]) -> str:
    """Write a plan as Markdown: sentences, the table of sums, what is not covered."""
    missing = [f"Not covered: {each}" for each in NOT_COVERED]
    above = [f"- {printable(line)}" for line in plan.summary()]
    ends = (*notes, *missing, f"Plan {plan_hash(plan)}.")
    below = [f"- {printable(line)}" for line in ends]
    return "\n".join([*above, "", render(plan, "markdown"), "", *below])


def plan_to_json(plan: AnyPlan, notes: Sequence[str]) -> str:
    """Write a plan as one object: its terms in words, and a list of its sums.

    It is for reading; `write_plan` writes what can be run.
    """
    said = {
        "asked": plan.planned(),
        "bounds": {name: str(each) for name, each in plan.bounds.items()},
        "protected": plan.protected(),
        "strategy": plan.study.strategy if isinstance(plan, Plan) else "histogram",
        "mechanism": plan.law.name,
        "cost": {
            "epsilon": decimal_text(plan.epsilon),
            "delta": decimal_text(plan.delta),
        },
        "summary": plan.summary(),
        "notes": list(notes),
        "not_covered": list(NOT_COVERED),
        "plan_hash": plan_hash(plan),
        "sums": json.loads(render(plan, "json")),
    }
    return json.dumps(said, indent=1, ensure_ascii=False, allow_nan=False)
