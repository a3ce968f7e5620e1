"""A study: one TOML text that a privacy officer reads before anything runs.

::

    title = "Is the score calibrated?"  # of its reports; public

    [data]
    path = "loans.parquet"  # or url = "postgres://host/database" and table = "loans";
    # "weeks/{period}.csv" is filled in by ``--period``

    [ratio]
    numerator = "score"
    per = "label"
    weight = "weight"
    guess = 1.0  # and guess_is, residual_bound, answers, name where they are wanted

    [bounds]
    score = { natural = [0, 1] }  # a probability; without natural, cuts are counted
    label = "binary"
    weight = [0.25, 3]

    [bounds_from]  # for whoever approves it
    weight = "the survey's design: weights are trimmed at 3"

    [groups]  # study_groups has all kinds of them
    column = "region"
    keys = ["north", "south"]

    [privacy]
    epsilon = 1.0
    delta = 1e-6
    scope = "loans"  # the dataset's name in the ledger, where there are several
    stage = 0.05  # the share of epsilon that a first stage spends on finding the guess;
    # 0 for none, and where nothing is said the planner decides
    clipping = "measured"  # count how many units the bounds cut

    [population]  # a public guess, for plans, forecasts and simulations
    n = 5000
    numerator = { mean = 0.5, sd = 0.22 }
    per = { mean = 0.45 }
    weight = { mean = 1.0, sd = 0.6 }
    correlation = 0.4  # and weight_with_numerator, weight_with_per

``[unit]`` says whose rows belong together: ``column``, ``totals`` by column,
``most_groups``, ``neighbours``. The population is then about one unit's totals.
``totals`` may also stand with groups, for these groups alone.
Numbers are read as the decimals that were written.
"""

import re
import tomllib
from dataclasses import replace
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

from dpratio.checks import require
from dpratio.errors import DocumentRefused, FileRefused
from dpratio.strict import Node
from dpratio.terms.database import DatabaseTable
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile, ParquetFiles, checked_path
from dpratio.terms.study import Study, read_title
from dpratio.terms.study_groups import (
    read_all_bounds,
    read_budget,
    read_own,
    read_partitions,
)
from dpratio.terms.unit import PrivacyUnit

__all__ = ["parse_study", "read_study"]

# Names joined by dots: the time that they take to read grows with their square.
_CHOSEN = ("strategy", "mechanism", "clipping")
_TOGETHER = ("correlation", "weight_with_numerator", "weight_with_per")
_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
# How dpratio begins what it writes as JSON.
_OTHER = re.compile(r'\s*\{\s*"format": "dpratio-(release|plan)"')
_FILE_NAME = re.compile(r"[^\n=\[]+\.toml")
_LONG_NAME = re.compile(
    rf"(?:^|[\[{{,])[ \t]*+{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{50}}", re.MULTILINE
)


def read_study(path: str | PathLike[str]) -> Study:
    """Read a study file.

    Args:
        path: A TOML file. Paths in it are kept as they are written, and begin at its
            folder.

    Returns:
        The study; `make_plan` makes its plan, and `release_sums` releases it.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it is not TOML, or a field breaks a rule.

    Example:
        >>> import dpratio as dpr, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "study.toml")
        ...     _ = path.write_text('''
        ... ratio = { numerator = "score", per = "label" }
        ... bounds = { score = [0, 1], label = "binary" }
        ... privacy = { epsilon = 1 }
        ... ''')
        ...     dpr.read_study(path).budget
        Budget(epsilon=1, delta=0)
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise FileRefused(f"'{file}' cannot be read: {error.strerror}.") from None
    except ValueError:
        raise FileRefused(f"'{file}' cannot be read: it is not UTF-8.") from None
    try:
        return replace(parse_study(text), folder=str(file.parent))
    except DocumentRefused as error:
        raise DocumentRefused(f"{file}: {error}") from None


def parse_study(text: str) -> Study:
    """Read a study from the text of a TOML file.

    Args:
        text: The whole text of the file.

    Returns:
        The study; what the file leaves open has its default.

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
        >>> study.questions[0].name, study.budget
        ('score per label', Budget(epsilon=1, delta=0))
    """
    hint = "Read a file with read_study('study.toml')."
    is_text = isinstance(text, str) and not _FILE_NAME.fullmatch(text)
    require(is_text, "a study is parsed from its text", text, hint)
    if _LONG_NAME.search(text):
        raise DocumentRefused(
            "$: a field of the study has more than 50 names in a row."
        )
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        found = _OTHER.match(text)
        if found:
            raise DocumentRefused(
                f"$: this is a {found[1]} (JSON), and a study is wanted: the TOML file "
                f"that the {found[1]} was made from."
            ) from None
        raise DocumentRefused(f"$: the study is not valid TOML: {error}.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise DocumentRefused(
            "$: the study is not valid TOML: a number is too long or a list too deep."
        ) from None
    top = Node(document).fields(
        *("ratio", "bounds", "privacy"),
        optional=("title", "data", "groups", "unit", "population", "bounds_from"),
    )
    ratios = (
        top["ratio"].items() if isinstance(top["ratio"].value, list) else [top["ratio"]]
    )
    partitions: tuple[Partition, ...] = (None,)
    weights = None
    own: list[dict[str, Any]] = [{}]
    if "groups" in top:
        partitions, weights = read_partitions(top["groups"])
        added = {name for each in ratios for name in _read_ratio(each).totals}
        own = read_own(top["groups"], added, _read_guess)
    privacy = top["privacy"].fields(
        "epsilon",
        optional=("delta", *_CHOSEN, "scope", "stage"),
    )
    chosen: dict[str, Any] = {
        name: privacy[name].text() for name in _CHOSEN if name in privacy
    }
    people = top.get("population")
    given: dict[str, Any] = {
        "bounds": read_all_bounds(top["bounds"]),
        "budget": read_budget(top["privacy"], privacy),
        "bounds_from": top["bounds_from"].value if "bounds_from" in top else None,
        "unit": _read_unit(top["unit"]) if "unit" in top else None,
        "n": None if people is None else _read_people(people),
        "guess": None if people is None else _read_guess(people),
        "data": _read_data(top["data"]) if "data" in top else None,
        "scope": privacy["scope"].text() if "scope" in privacy else None,
        "stage": privacy["stage"].number() if "stage" in privacy else None,
        "title": read_title(top.get("title")),
    }
    shares = [1.0] * len(partitions) if weights is None else weights
    questions = [
        _read_question(each, groups, share, counted, single=len(partitions) == 1)
        for groups, share, counted in zip(partitions, shares, own, strict=True)
        for each in ratios
    ]
    return top["ratio"].make(lambda: Study(questions, **given | chosen))


def _read_question(
    node: Node, groups: Partition, share: float, own: dict[str, Any], *, single: bool
) -> Question:
    """Read what one ratio asks of one partition."""
    ratio, answers = _read_ratio(node), _read_answers(node)
    fields = node.entries()
    name = fields["name"].text() if "name" in fields else ""
    if name and not single:
        columns = getattr(groups, "columns", ())
        name += f" by {' and '.join(columns)}" if columns else ""
    given: dict[str, Any] = {"answers": answers, "share": share, "name": name, **own}
    # Groups have the totals of every ratio that is asked of them.
    totals = own.get("totals", {}).items()
    given["totals"] = {each: held for each, held in totals if each in ratio.totals}
    return node.make(lambda: Question(ratio, groups=groups, **given))


def _read_data(node: Node) -> str | CsvFile | ParquetFiles | DatabaseTable:
    if isinstance(node.value, dict) and "url" in node.value:
        return _read_database(node)
    if isinstance(node.value, dict) and "partitions" in node.value:
        fields = node.fields("path", "partitions", optional=("where",))
        path, named = fields["path"].text(), _read_partitions(fields["partitions"])
        where = fields["where"].text() if "where" in fields else None
        return node.make(lambda: ParquetFiles(path, partitions=named, where=where))
    dialect = ("columns", "delimiter", "quote", "decimal", "dates", "where")
    fields = node.fields("path", optional=dialect)
    path = fields["path"].text()
    given = {name: fields[name] for name in dialect if name in fields}
    if not given:
        return node.make(lambda: checked_path(path))
    if set(given) == {"where"} and not path.endswith((".csv", ".csv.gz")):
        where = given["where"].text()
        return node.make(lambda: ParquetFiles(path, where=where))
    options: dict[str, object] = {
        name: [item.text() for item in at.items()] if name == "columns" else at.text()
        for name, at in given.items()
    }
    return node.make(lambda: CsvFile(path, **options))  # type: ignore[arg-type]


def _read_partitions(node: Node) -> dict[str, str] | list[str]:
    if isinstance(node.value, list):
        return [each.text() for each in node.items()]
    return {name: each.text() for name, each in node.entries().items()}


def _read_database(node: Node) -> DatabaseTable:
    optional = ("table", "path", "partitions", "where")
    fields = node.fields("url", optional=optional)
    url = fields.pop("url").text()
    told = fields.pop("partitions", None)
    named = None if told is None else _read_partitions(told)
    options: dict[str, object] = {
        name: [item.text() for item in at.items()]
        if isinstance(at.value, list)
        else at.text()
        for name, at in fields.items()
    }
    return node.make(lambda: DatabaseTable(url, partitions=named, **options))  # type: ignore[arg-type]


def _read_ratio(node: Node) -> Ratio:
    numbers, words = ("guess", "residual_bound"), ("weight", "minus", "guess_is")
    optional = (*numbers, *words, "answers", "name")
    fields = node.fields("numerator", "per", optional=optional)
    numerator, per = fields["numerator"].text(), fields["per"].text()
    given: dict[str, Any] = {
        name: fields[name].number() for name in numbers if name in fields
    }
    given |= {name: fields[name].text() for name in words if name in fields}
    return node.make(lambda: Ratio(numerator, per=per, **given))


def _read_answers(node: Node) -> tuple[str, ...]:
    answers = node.entries().get("answers")
    return ("ratio",) if answers is None else tuple(a.text() for a in answers.items())


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
        given["totals"] = read_all_bounds(fields["totals"])
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
    fields = node.fields("numerator", "per", optional=("n", "weight", *_TOGETHER))
    numerator, per = _read_column(fields["numerator"]), _read_column(fields["per"])
    weight = _read_column(fields["weight"]) if "weight" in fields else None
    together = {name: fields[name].number() for name in _TOGETHER if name in fields}
    return node.make(lambda: Guess(numerator, per, weight, **together))


def _read_column(node: Node) -> ColumnGuess:
    fields = node.fields("mean", optional=("sd",))
    sd = fields["sd"].number() if "sd" in fields else None
    return ColumnGuess(fields["mean"].number(), sd)
