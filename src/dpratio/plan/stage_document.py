"""A first stage as a plain document, and back, and the sums that plans hold."""

from collections.abc import Sequence
from typing import Any

from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.sums import Summand
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.strict import Node
from dpratio.terms.guess import ColumnGuess, Guess

__all__ = [
    "read_sums",
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
            "sensitivity": str(each.sensitivity),
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
        "people": None if stage.people is None else str(stage.people),
        "guess": None if stage.guess is None else _guess_to_document(stage.guess),
        "totals": [sums_to_document(first) for first in stage.firsts],
    }


def stage_from_document(node: Node) -> Stage:
    """Read a first stage.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    fields = node.fields("epsilon", "people", "guess", "totals")
    people, guess = fields["people"], fields["guess"]
    return Stage(
        epsilon=fields["epsilon"].fraction(),
        people=None if people.value is None else people.whole(),
        guess=None if guess.value is None else _read_guess(guess),
        firsts=tuple(read_sums(each) for each in fields["totals"].items()),
    )


def _read_sum(node: Node) -> MeasuredSum:
    fields = node.fields("name", "factors", "step", "sensitivity", "scale")
    factors = tuple(each.choice(FACTORS) for each in fields["factors"].items())
    return MeasuredSum(
        summand=Summand(fields["name"].text(), factors),
        step=fields["step"].number(),
        sensitivity=fields["sensitivity"].whole(),
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
