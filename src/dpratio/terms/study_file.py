"""A study: one TOML text that a privacy officer reads before anything runs.

::

    [data]
    path = "loans.parquet"

    [ratio]
    numerator = "score"
    per = "label"
    weight = "weight"
    guess = 1.0  # and guess_is, residual_bound, answers where they are wanted

    [bounds]
    score = [0, 1]
    label = "binary"
    weight = [0.25, 3]

    [groups]
    column = "region"
    keys = ["north", "south"]

    [privacy]
    epsilon = 1.0
    delta = 1e-6

    [population]  # a public guess, for plans, forecasts and simulations
    n = 5000
    numerator = { mean = 0.5, sd = 0.22 }
    per = { mean = 0.45 }
    weight = { mean = 1.0, sd = 0.6 }
    correlation = 0.4

Numbers are read as the decimals that were written.
Floor: terms. Imports: errors, checks, strict.
"""

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpratio.checks import require
from dpratio.errors import DocumentRefused
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Groups, Key, Ratio
from dpratio.terms.source import CsvFile

__all__ = ["Study", "parse_study"]


@dataclass(frozen=True, slots=True)
class Study:
    """Everything a study file says."""

    data: str | CsvFile | None
    ratio: Ratio
    bounds: dict[str, Bounds]
    groups: Groups | None
    budget: Budget
    strategy: str | None
    mechanism: str | None
    answers: tuple[str, ...] = ("ratio",)
    people: int | None = None
    population: Guess | None = None


def parse_study(text: str) -> Study:
    """Read a study from the text of a TOML file.

    Args:
        text: The whole text of the file.

    Returns:
        The study; strategy and mechanism are None where the file leaves them open.

    Raises:
        DocumentRefused: When the text is not TOML, or a field breaks a rule; the
            message holds the field's path.
    """
    hint = "Read the file first: parse_study(Path('study.toml').read_text())."
    require(isinstance(text, str), "a study is parsed from its text", text, hint)
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise DocumentRefused(f"$: the study is not valid TOML: {error}.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise DocumentRefused(
            "$: the study is not valid TOML: a number is too long or a list too deep."
        ) from None
    top = Node(document).fields(
        "ratio", "bounds", "privacy", optional=("data", "groups", "population")
    )
    privacy = top["privacy"].fields(
        "epsilon", optional=("delta", "strategy", "mechanism")
    )
    return Study(
        data=_read_data(top["data"]) if "data" in top else None,
        ratio=_read_ratio(top["ratio"]),
        bounds={name: _read_bounds(at) for name, at in top["bounds"].entries().items()},
        groups=_read_groups(top["groups"]) if "groups" in top else None,
        budget=_read_budget(top["privacy"], privacy),
        strategy=privacy["strategy"].text() if "strategy" in privacy else None,
        mechanism=privacy["mechanism"].text() if "mechanism" in privacy else None,
        answers=_read_answers(top["ratio"]),
        people=_read_people(top["population"]) if "population" in top else None,
        population=_read_guess(top["population"]) if "population" in top else None,
    )


def _read_data(node: Node) -> str | CsvFile:
    dialect = ("columns", "delimiter", "quote")
    fields = node.fields("path", optional=dialect)
    path = fields["path"].text()
    given = {name: fields[name] for name in dialect if name in fields}
    if not given:
        return path
    options: dict[str, object] = {
        name: [item.text() for item in at.items()] if name == "columns" else at.text()
        for name, at in given.items()
    }
    return node.make(lambda: CsvFile(path, **options))  # type: ignore[arg-type]


def _read_ratio(node: Node) -> Ratio:
    numbers, words = ("guess", "residual_bound"), ("weight", "guess_is")
    fields = node.fields("numerator", "per", optional=(*numbers, *words, "answers"))
    numerator, per = fields["numerator"].text(), fields["per"].text()
    given: dict[str, Any] = {
        name: fields[name].number() for name in numbers if name in fields
    }
    given |= {name: fields[name].text() for name in words if name in fields}
    return node.make(lambda: Ratio(numerator, per=per, **given))


def _read_answers(node: Node) -> tuple[str, ...]:
    answers = node.entries().get("answers")
    return ("ratio",) if answers is None else tuple(a.text() for a in answers.items())


def _read_bounds(node: Node) -> Bounds:
    if node.value == "binary":
        return Bounds.binary()
    pair = node.items() if isinstance(node.value, list) else []
    if len(pair) != 2:  # noqa: PLR2004
        node.refuse("must be [lower, upper] or 'binary'")
    lower, upper = (end.number() for end in pair)
    return node.make(lambda: Bounds(lower, upper))


def _read_groups(node: Node) -> Groups:
    fields = node.fields("column", "keys")
    column = fields["column"].text()
    keys = [_read_key(item) for item in fields["keys"].items()]
    return node.make(lambda: Groups(column, keys))


def _read_people(node: Node) -> int | None:
    fields = node.entries()
    return fields["n"].integer() if "n" in fields else None


def _read_guess(node: Node) -> Guess | None:
    """Read a guessed population; a number of people may stand alone."""
    if isinstance(node.value, dict) and set(node.value) == {"n"}:
        return None
    optional = ("n", "weight", "correlation")
    fields = node.fields("numerator", "per", optional=optional)
    numerator, per = _read_column(fields["numerator"]), _read_column(fields["per"])
    weight = _read_column(fields["weight"]) if "weight" in fields else None
    given = fields["correlation"].number() if "correlation" in fields else 0.0
    return node.make(lambda: Guess(numerator, per, weight, given))


def _read_column(node: Node) -> ColumnGuess:
    fields = node.fields("mean", optional=("sd",))
    sd = fields["sd"].number() if "sd" in fields else None
    return ColumnGuess(fields["mean"].number(), sd)


def _read_key(node: Node) -> Key:
    if isinstance(node.value, bool):
        return node.flag()
    return node.integer() if isinstance(node.value, int) else node.text()


def _read_budget(node: Node, fields: dict[str, Node]) -> Budget:
    epsilon = _exact(fields["epsilon"])
    delta = _exact(fields["delta"]) if "delta" in fields else Fraction(0)
    return node.make(lambda: Budget(epsilon, delta))


def _exact(node: Node) -> Decimal | Fraction:
    if isinstance(node.value, str):
        return node.fraction()
    node.number()
    return Decimal(str(node.value))
