"""A study: one TOML text that a privacy officer reads before anything runs.

::

    [data]
    path = "loans.parquet"  # or url = "postgres://host/database" and table = "loans"

    [ratio]
    numerator = "score"
    per = "label"
    weight = "weight"
    guess = 1.0  # and guess_is, residual_bound, answers where they are wanted

    [bounds]
    score = [0, 1]
    label = "binary"
    weight = [0.25, 3]

    [groups]  # study_groups has all kinds of them
    column = "region"
    keys = ["north", "south"]

    [privacy]
    epsilon = 1.0
    delta = 1e-6
    scope = "loans"  # the dataset's name in the ledger, where there are several

    [population]  # a public guess, for plans, forecasts and simulations
    n = 5000
    numerator = { mean = 0.5, sd = 0.22 }
    per = { mean = 0.45 }
    weight = { mean = 1.0, sd = 0.6 }
    correlation = 0.4

``[unit]`` says whose rows belong together: ``column``, ``totals`` by column,
``most_groups``, ``neighbours``. The population is then about one unit's totals.
Numbers are read as the decimals that were written.
"""

import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dpratio.checks import require
from dpratio.errors import DocumentRefused
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.database import DatabaseTable
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Ratio
from dpratio.terms.source import CsvFile
from dpratio.terms.study_groups import read_budget, read_partitions
from dpratio.terms.unit import PrivacyUnit

__all__ = ["Study", "parse_study"]

# Names joined by dots: the time that they take to read grows with their square.
_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_NAME = re.compile(
    rf"(?:^|[\[{{,])[ \t]*+{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{50}}", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Study:
    """Everything a study file says; `parse_study` makes it.

    What the file leaves open is None.

    Example:
        >>> import dpratio as dpr
        >>> study = dpr.parse_study('''
        ... ratio = { numerator = "score", per = "label" }
        ... bounds = { score = [0, 1], label = "binary" }
        ... privacy = { epsilon = 1 }
        ... ''')
        >>> study.data, study.unit.column
        (None, None)
    """

    data: str | CsvFile | DatabaseTable | None
    ratios: tuple[Ratio, ...]
    bounds: dict[str, Bounds]
    partitions: tuple[Groups | PrivateKeys | None, ...]
    weights: tuple[float, ...] | None
    unit: PrivacyUnit
    budget: Budget
    strategy: str | None
    mechanism: str | None
    answers: tuple[str, ...] = ("ratio",)
    people: int | None = None
    population: Guess | None = None
    scope: str | None = None


def parse_study(text: str) -> Study:
    """Read a study from the text of a TOML file.

    Args:
        text: The whole text of the file.

    Returns:
        The study; strategy and mechanism are None where the file leaves them open.

    Raises:
        DocumentRefused: When the text is not TOML, or a field breaks a rule; the
            message holds the field's path.

    Example:
        >>> import dpratio as dpr
        >>> study = dpr.parse_study('''
        ... ratio = { numerator = "score", per = "label" }
        ... bounds = { score = [0, 1], label = "binary" }
        ... privacy = { epsilon = 1 }
        ... ''')
        >>> study.ratios[0].per, study.budget
        ('label', Budget(epsilon=1, delta=0))
    """
    hint = "Read the file first: parse_study(Path('study.toml').read_text())."
    require(isinstance(text, str), "a study is parsed from its text", text, hint)
    if _LONG_NAME.search(text):
        raise DocumentRefused(
            "$: a field of the study has more than 50 names in a row."
        )
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise DocumentRefused(f"$: the study is not valid TOML: {error}.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise DocumentRefused(
            "$: the study is not valid TOML: a number is too long or a list too deep."
        ) from None
    top = Node(document).fields(
        "ratio", "bounds", "privacy", optional=("data", "groups", "unit", "population")
    )
    ratios = (
        top["ratio"].items() if isinstance(top["ratio"].value, list) else [top["ratio"]]
    )
    partitions: tuple[Groups | PrivateKeys | None, ...] = (None,)
    weights = None
    if "groups" in top:
        partitions, weights = read_partitions(top["groups"])
    privacy = top["privacy"].fields(
        "epsilon", optional=("delta", "strategy", "mechanism", "scope")
    )
    return Study(
        data=_read_data(top["data"]) if "data" in top else None,
        ratios=tuple(_read_ratio(each) for each in ratios),
        bounds={name: _read_bounds(at) for name, at in top["bounds"].entries().items()},
        partitions=partitions,
        weights=weights,
        unit=_read_unit(top["unit"]) if "unit" in top else PrivacyUnit(),
        budget=read_budget(top["privacy"], privacy),
        strategy=privacy["strategy"].text() if "strategy" in privacy else None,
        mechanism=privacy["mechanism"].text() if "mechanism" in privacy else None,
        answers=_read_all_answers(ratios),
        people=_read_people(top["population"]) if "population" in top else None,
        population=_read_guess(top["population"]) if "population" in top else None,
        scope=privacy["scope"].text() if "scope" in privacy else None,
    )


def _read_data(node: Node) -> str | CsvFile | DatabaseTable:
    if isinstance(node.value, dict) and "url" in node.value:
        return _read_database(node)
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


def _read_database(node: Node) -> DatabaseTable:
    fields = node.fields("url", optional=("table", "view", "path"))
    url = fields.pop("url").text()
    options: dict[str, object] = {
        name: [item.text() for item in at.items()]
        if isinstance(at.value, list)
        else at.text()
        for name, at in fields.items()
    }
    return node.make(lambda: DatabaseTable(url, **options))  # type: ignore[arg-type]


def _read_ratio(node: Node) -> Ratio:
    numbers, words = ("guess", "residual_bound"), ("weight", "minus", "guess_is")
    fields = node.fields("numerator", "per", optional=(*numbers, *words, "answers"))
    numerator, per = fields["numerator"].text(), fields["per"].text()
    given: dict[str, Any] = {
        name: fields[name].number() for name in numbers if name in fields
    }
    given |= {name: fields[name].text() for name in words if name in fields}
    return node.make(lambda: Ratio(numerator, per=per, **given))


def _read_all_answers(ratios: list[Node]) -> tuple[str, ...]:
    """Read the answers that are wanted of every ratio: the same of each."""
    given = [_read_answers(each) for each in ratios] or [("ratio",)]
    for node, answers in zip(ratios, given, strict=False):
        if "answers" in node.entries() and answers != given[0]:
            node.refuse("must ask for the same answers as the first ratio")
    return given[0]


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


def _read_unit(node: Node) -> PrivacyUnit:
    """Read who is protected."""
    names = ("column", "totals", "most_groups", "neighbours", "key")
    fields = node.fields(optional=names)
    given: dict[str, Any] = {
        name: fields[name].text()
        for name in ("column", "neighbours", "key")
        if name in fields
    }
    if "totals" in fields:
        totals = fields["totals"].entries()
        given["totals"] = {name: _read_bounds(each) for name, each in totals.items()}
    if "most_groups" in fields:
        given["most_groups"] = fields["most_groups"].integer()
    return node.make(lambda: PrivacyUnit(**given))


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
