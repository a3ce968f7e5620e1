"""A plan over score, label, weight and region, and its exact integers by any engine."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from dpratio.curator.choose_engine import open_reading, open_table
from dpratio.curator.reading.statement import CellSum, Reading, Statement
from dpratio.curator.statements import partitions_of, places_of, readings_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Key, Keys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from soak import IS_SOAK

__all__ = [
    "ENGINES",
    "GUESSES",
    "ROW",
    "asked",
    "exact",
    "exact_together",
    "fixed",
    "plan_of",
    "reading_of",
    "require_silence",
    "said_by",
    "shape_of",
    "statement_with",
]

ENGINES = ("python", "duckdb")
GUESSES = (1.0, 0.0, -2.0, 1 / 3)
ROW = 2**24  # One row's cell in a count, and in any sum at its bound of 1.


def fixed(examples: int) -> settings:
    """The same examples at every run, however slow the machine; more in a soak."""
    return settings(
        max_examples=examples * (20 if IS_SOAK else 1),
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


def plan_of(
    score: Bounds | None = None,
    label: Bounds | None = None,
    weight: Bounds | None = None,
    *,
    keys: Sequence[Key] | None = None,
    names: Sequence[str] = ("score", "label", "weight", "region"),
    **terms: Any,  # noqa: ANN401
) -> Plan:
    """A plan over score and label, perhaps weight and region: the paper's sums.

    Terms are those of `make_plan`; ``guess``, ``residual_bound`` and ``minus`` are the
    ratio's, and ``bounds`` come on top of those of its columns. ``own`` are terms that
    the question has in place of the unit.
    """
    numerator, per, weighted, region = names
    bounds = {numerator: score or Bounds(0, 1), per: label or Bounds.binary()}
    if weight is not None:
        bounds[weighted] = weight
    wanted: dict[str, Any] = {"strategy": "even", "mechanism": "laplace"}
    wanted |= {"clipping": "unmeasured", "stage": 0} | terms
    letters = ("guess", "residual_bound", "minus")
    of_ratio = {name: wanted.pop(name, None) for name in letters}
    bounds |= wanted.pop("bounds", {})
    wanted.setdefault("groups", None if keys is None else Groups(region, keys))
    ratio = Ratio(
        numerator, per=per, weight=None if weight is None else weighted, **of_ratio
    )
    own = wanted.pop("own", None)
    if own is not None:
        groups = wanted.pop("groups")
        return make_plan(
            Question(ratio, groups=groups, **own),
            bounds=bounds,
            budget=Budget(1, "1e-6"),
            **wanted,
        )
    return make_plan(
        ratio,
        bounds=bounds,
        budget=Budget(1, "1e-6"),
        **wanted,
    )


def asked(plan: AnyPlan, question: int = 0) -> Statement:
    """What a part of a plan asks of a table."""
    groups = [
        each if isinstance(each, Groups) else None for each in partitions_of(plan)
    ]
    readings, places = readings_of(plan, groups), places_of(plan)
    before = places[:question].count(places[question])
    return readings[places[question]].statements[before]


def reading_of(plan: AnyPlan, *questions: int) -> Reading:
    """What questions of a plan about the same groups ask, by default the first."""
    return Reading(tuple(asked(plan, each) for each in questions or (0,)))


def exact_together(table: object, plan: AnyPlan, engine: str) -> list[list[list[int]]]:
    """The integers of all questions of a plan about the same groups, read at once."""
    reading = reading_of(plan, *range(len(plan.measurements)))
    found = open_reading(table, reading, engine)()
    return [
        each.plus(np.zeros((asks.cells, len(asks.sums)), dtype=np.int64)).tolist()
        for each, asks in zip(found, reading.statements, strict=True)
    ]


def exact(
    table: object, plan: AnyPlan, engine: str, *, question: int = 0
) -> list[list[int]]:
    """The integers before noise, keys × sums: what only a test may see."""
    statement = asked(plan, question)
    nothing = np.zeros((statement.cells, len(statement.sums)), dtype=np.int64)
    ask = open_table(table, statement, engine)
    return [[int(cell) for cell in row] for row in ask().plus(nothing)]


def shape_of(release: Release) -> tuple[int, ...]:
    """How many keys and sums were released."""
    return release.questions[0].values.shape


def said_by(error: BaseException) -> str:
    """Everything an error could tell a reader, with whatever is chained to it."""
    said, seen, left = "", set[int](), [error]
    while left:
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        said += f"{each}\n{each!r}\n{each.args}\n{vars(each)}\n"
        said += f"{getattr(each, 'object', '')}\n{getattr(each, '__notes__', '')}\n"
        left += [other for other in (each.__context__, each.__cause__) if other]
    return said


def require_silence(
    capfd: pytest.CaptureFixture[str], log: pytest.LogCaptureFixture
) -> None:
    """Nothing was printed and nothing was logged."""
    printed = capfd.readouterr()
    assert (printed.out, printed.err, log.text) == ("", "", "")


def statement_with(step: float, largest: int) -> Statement:
    """One sum of a column x between ±1, counted on a lattice of one's choice."""
    return Statement(
        factor_columns={"s": "x"},
        factor_bounds={"s": Bounds(-1, 1)},
        dimensions=(Keys("g", ["a", "b", "c"]),),
        listed=None,
        unit=None,
        sums=(CellSum(("s",), step, largest),),
    )
