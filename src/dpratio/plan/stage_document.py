"""A first stage as a plain document, and back, and the sums that plans hold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.contrast import BASES
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.sums import Summand
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.strict import Node
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.ratio import GUESSES

__all__ = [
    "people_to_document",
    "read_people",
    "read_realised",
    "read_sums",
    "realised_to_document",
    "stage_from_document",
    "stage_to_document",
    "sums_to_document",
]

FACTORS = ("s", "y", "w", "z", "h", "c")
_COLUMNS = ("numerator", "per", "weight")
_WEIGHTS_FOLLOW = ("weight_with_numerator", "weight_with_per")


def sums_to_document(sums: Sequence[MeasuredSum]) -> list[dict[str, Any]]:
    """Write sums, each with its lattice and its noise."""
    return [
        {
            "name": each.summand.name,
            "factors": list(each.summand.factors),
            "step": each.step,
            "sensitivity": each.sensitivity,
            "scale": each.scale,
        }
        for each in sums
    ]


def read_sums(node: Node) -> tuple[MeasuredSum, ...]:
    """Read sums.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    return tuple(_read_sum(each) for each in node.items())


def stage_to_document(stage: Stage) -> dict[str, Any]:
    """Write what the first stage spends, expects and measures."""
    return {
        "epsilon": str(stage.epsilon),
        **people_to_document(stage.people, stage.guess),
        "totals": [sums_to_document(first) for first in stage.firsts],
    }


def stage_from_document(node: Node) -> Stage:
    """Read a first stage.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    fields = node.fields("epsilon", "people", "guess", "totals")
    people, guess = read_people(fields)
    return Stage(
        epsilon=fields["epsilon"].fraction(),
        people=people,
        guess=guess,
        firsts=tuple(read_sums(each) for each in fields["totals"].items()),
    )


def people_to_document(people: int | None, guess: Guess | None) -> dict[str, Any]:
    """Write what is expected of people."""
    said = None if guess is None else _guess_to_document(guess)
    return {"people": people, "guess": said}


def read_people(fields: Mapping[str, Node]) -> tuple[int | None, Guess | None]:
    """Read what is expected of people."""
    people, guess = fields["people"], fields["guess"]
    return (
        None if people.value is None else people.integer(),
        None if guess.value is None else _read_guess(guess),
    )


def realised_to_document(question: PlannedQuestion) -> dict[str, Any]:
    """Write what of a question was decided after bounds were looked for."""
    ratio = question.ratio
    return {
        "guess": ratio.guess,
        "guess_is": ratio.guess_is,
        "basis": question.basis,
        "sums": sums_to_document(question.sums),
    }


def read_realised(node: Node, planned: PlannedQuestion) -> PlannedQuestion:
    """Read what of a question was decided after bounds were looked for."""
    fields = node.fields("guess", "guess_is", "basis", "sums")
    guess = fields["guess"].number_or_none()
    guess_is = fields["guess_is"].choice(tuple(GUESSES))
    return replace(
        planned,
        ratio=node.make(lambda: replace(planned.ratio, guess=guess, guess_is=guess_is)),
        basis=fields["basis"].choice(BASES),
        sums=read_sums(fields["sums"]),
    )


def _read_sum(node: Node) -> MeasuredSum:
    fields = node.fields("name", "factors", "step", "sensitivity", "scale")
    factors = tuple(each.choice(FACTORS) for each in fields["factors"].items())
    return MeasuredSum(
        summand=Summand(fields["name"].text(), factors),
        step=fields["step"].number(),
        sensitivity=fields["sensitivity"].integer(),
        scale=fields["scale"].number(),
    )


def _guess_to_document(guess: Guess) -> dict[str, Any]:
    # The same numbers are written the same, however they were given: 10 or 10.0.
    columns = {name: getattr(guess, name) for name in _COLUMNS}
    document: dict[str, Any] = {
        name: None if each is None else [_number(each.mean), _number(each.sd)]
        for name, each in columns.items()
    }
    document["correlation"] = float(guess.correlation)
    # Plans of weights that follow nothing keep the bytes that they had before.
    follow = {name: float(getattr(guess, name)) for name in _WEIGHTS_FOLLOW}
    return document | {name: each for name, each in follow.items() if each}


def _number(given: float | None) -> float | None:
    return None if given is None else float(given)


def _read_guess(node: Node) -> Guess:
    fields = node.fields(*_COLUMNS, "correlation", optional=_WEIGHTS_FOLLOW)
    numerator, per, weight = (_read_column(fields[name]) for name in _COLUMNS)
    correlation = fields["correlation"].number()
    follow = {name: fields[name].number() for name in _WEIGHTS_FOLLOW if name in fields}
    if numerator is None or per is None:
        node.refuse("must guess both columns of the ratio")
    return node.make(lambda: Guess(numerator, per, weight, correlation, **follow))


def _read_column(node: Node) -> ColumnGuess | None:
    if node.value is None:
        return None
    pair = node.items()
    if len(pair) != 2:  # noqa: PLR2004
        node.refuse("must be [mean, sd]")
    return ColumnGuess(pair[0].number(), pair[1].number_or_none())
