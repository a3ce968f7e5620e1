"""A plan as a plain document, and back; every refusal names its path."""

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from dpratio.plan.calibration.calibrate import MECHANISMS
from dpratio.plan.groups_document import groups_from_document, groups_to_document
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import PlannedQuestion, in_order
from dpratio.plan.sensitivity.contrast import BASES
from dpratio.plan.stage_document import (
    read_sums,
    stage_from_document,
    stage_to_document,
    sums_to_document,
)
from dpratio.plan.strategy.layout import ANSWERS, EXTERNAL, HISTOGRAM, STRATEGIES
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.question import default_name
from dpratio.terms.ratio import GUESSES, Ratio
from dpratio.terms.study import MEASURED, UNMEASURED, as_title
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

__all__ = ["plan_from_document", "plan_to_document"]


def plan_to_document(plan: PlanTerms) -> dict[str, Any]:
    """Write a plan as tables, lists, text and numbers."""
    # What a plan does not have is not written: its hash is what it always was.
    staged = {} if plan.stage is None else {"stage": stage_to_document(plan.stage)}
    counted = {} if plan.clipping == UNMEASURED else {"clipping": plan.clipping}
    titled = {} if plan.title is None else {"title": plan.title}
    return {
        "bounds": _bounds_to_document(plan.bounds),
        "unit": {
            "column": plan.unit.column,
            "totals": _bounds_to_document(plan.unit.totals),
            "most_groups": plan.unit.most_groups,
            "neighbours": plan.unit.neighbours,
            "key": plan.unit.key,
        },
        "privacy": {
            "epsilon": str(plan.budget.epsilon),
            "delta": str(plan.budget.delta),
            "strategy": plan.strategy,
            "mechanism": plan.mechanism,
        },
        "answers": list(plan.questions[0].answers),
        "partitions": [groups_to_document(each) for each in plan.partitions],
        "found": [groups_to_document(each) for each in plan.found],
        "parts": [_question_to_document(plan, each) for each in plan.questions],
        **staged,
        **counted,
        **titled,
    }


def plan_from_document(node: Node) -> Plan:
    """Read a plan.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    names = ("bounds", "unit", "privacy", "answers", "partitions", "found", "parts")
    fields = node.fields(*names, optional=("stage", "clipping", "title"))
    privacy = fields["privacy"].fields("epsilon", "delta", "strategy", "mechanism")
    epsilon, delta = privacy["epsilon"].fraction(), privacy["delta"].fraction()
    questions = tuple(
        _read_question(each, _read_answers(fields["answers"]))
        for each in fields["parts"].items()
    )
    unit = _read_unit(fields["unit"])
    plan = Plan(
        # Names in JSON stand in no order.
        bounds=in_order(_read_all_bounds(fields["bounds"]), questions),
        unit=replace(unit, totals=in_order(unit.totals, questions)),
        partitions=tuple(
            groups_from_document(each) for each in fields["partitions"].items()
        ),
        budget=fields["privacy"].make(lambda: Budget(epsilon, delta)),
        strategy=privacy["strategy"].choice((*STRATEGIES, EXTERNAL, HISTOGRAM)),
        mechanism=privacy["mechanism"].choice(MECHANISMS),
        questions=questions,
        found=tuple(_read_found(each) for each in fields["found"].items()),
        stage=stage_from_document(fields["stage"]) if "stage" in fields else None,
        clipping=_read_clipping(fields.get("clipping")),
        title=_read_title(fields.get("title")),
    )
    for at, each in zip(fields["parts"].items(), plan.questions, strict=True):
        at.make(partial(plan.unit_of, each))
    return plan


def _bounds_to_document(bounds: Any) -> dict[str, Any]:  # noqa: ANN401 (any mapping)
    return {column: _one_to_document(each) for column, each in bounds.items()}


def _one_to_document(bounds: Bounds) -> Any:  # noqa: ANN401 (text, a list or a table)
    if bounds.is_one:
        return "ones"
    if bounds.is_binary:
        return "binary"
    ends = [bounds.lower, bounds.upper]
    return {"natural": ends} if bounds.natural else ends


def _read_title(node: Node | None) -> str | None:
    return None if node is None else node.make(lambda: as_title(node.text()))


def _read_clipping(node: Node | None) -> str:
    return UNMEASURED if node is None else node.choice((MEASURED,))


def _question_to_document(plan: PlanTerms, question: PlannedQuestion) -> dict[str, Any]:
    """Write a question; what need not be said only where it is its own."""
    own: dict[str, Any] = {}
    if question.answers != plan.questions[0].answers:
        own["answers"] = list(question.answers)
    if question.name != default_name(
        question.ratio, plan.partitions[question.partition]
    ):
        own["name"] = question.name
    if question.basis != BASES[0]:
        own["basis"] = question.basis
    if question.within is not None:
        own["within"] = question.within
    if question.totals:
        own["totals"] = _bounds_to_document(question.totals)
    return {
        "ratio": asdict(question.ratio),
        "partition": question.partition,
        "weight": str(question.weight),
        "sums": sums_to_document(question.sums),
        **own,
    }


def _read_found(node: Node) -> PrivateKeys:
    found = groups_from_document(node)
    if not isinstance(found, PrivateKeys):
        node.refuse("must be private keys that were found")
    return found


def _read_question(node: Node, answers: tuple[str, ...]) -> PlannedQuestion:
    own = ("answers", "name", "basis", "within", "totals")
    fields = node.fields("ratio", "partition", "weight", "sums", optional=own)
    return PlannedQuestion(
        ratio=_read_ratio(fields["ratio"]),
        partition=fields["partition"].integer(),
        weight=fields["weight"].fraction(),
        sums=read_sums(fields["sums"]),
        answers=_read_answers(fields["answers"]) if "answers" in fields else answers,
        name=fields["name"].text() if "name" in fields else "",
        basis=fields["basis"].choice(BASES) if "basis" in fields else BASES[0],
        within=fields["within"].integer() if "within" in fields else None,
        totals=_read_all_bounds(fields["totals"]) if "totals" in fields else {},
    )


def _read_answers(node: Node) -> tuple[str, ...]:
    return tuple(each.choice(ANSWERS) for each in node.items())


def _read_ratio(node: Node) -> Ratio:
    numbers, texts = ("guess", "residual_bound"), ("weight", "minus")
    fields = node.fields("numerator", "per", "guess_is", *numbers, *texts)
    numerator, per = fields["numerator"].text(), fields["per"].text()
    given: dict[str, Any] = {"guess_is": fields["guess_is"].choice(GUESSES)}
    given |= {name: fields[name].number_or_none() for name in numbers}
    given |= {name: fields[name].text_or_none() for name in texts}
    return node.make(lambda: Ratio(numerator, per=per, **given))


def _read_unit(node: Node) -> PrivacyUnit:
    fields = node.fields("column", "totals", "most_groups", "neighbours", "key")
    column, key = fields["column"].text_or_none(), fields["key"].text()
    totals = _read_all_bounds(fields["totals"])
    groups = fields["most_groups"].integer()
    neighbours = fields["neighbours"].choice(NEIGHBOURS)
    return node.make(
        lambda: PrivacyUnit(
            column, totals=totals, most_groups=groups, neighbours=neighbours, key=key
        )
    )


def _read_all_bounds(node: Node) -> dict[str, Bounds]:
    return {column: _read_bounds(each) for column, each in node.entries().items()}


def _read_bounds(node: Node) -> Bounds:
    if node.value == "binary":
        return Bounds.binary()
    if node.value == "ones":
        return Bounds.ones()
    natural = isinstance(node.value, dict)
    if natural:
        node = node.fields("natural")["natural"]
    pair = node.items()
    if len(pair) != 2:  # noqa: PLR2004
        node.refuse("must be [lower, upper] or 'binary'")
    lower, upper = pair[0].number(), pair[1].number()
    return node.make(lambda: Bounds(lower, upper, natural=natural))
