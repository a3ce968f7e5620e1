"""A plan over score, label, weight and region, and its exact integers by any engine."""

import datetime as dt
import glob
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, settings

from curator import oracle
from dpratio.curator.choose_engine import open_reading, open_table
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import CellSum, Reading, Statement
from dpratio.curator.reading.variables import resolved
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
from dpratio.terms.source import CsvFile
from soak import IS_SOAK

__all__ = [
    "ENGINES",
    "GUESSES",
    "ROW",
    "as_lists",
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

ENGINES = ("duckdb",)
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


def asked(plan: AnyPlan, question: int = 0, key: str = "") -> Statement:
    """What a part of a plan asks of a table."""
    groups = [
        each if isinstance(each, Groups) else None for each in partitions_of(plan)
    ]
    readings, places = readings_of(plan, groups, key), places_of(plan)
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
        _plain(sums, statement)
        for sums, statement in zip(found, reading.statements, strict=True)
    ]


def exact(
    table: object, plan: AnyPlan, engine: str, *, question: int = 0, key: str = ""
) -> list[list[int]]:
    """The integers before noise, keys × sums: what only a test may see.

    Those of the specification are asked for by the name of "python".
    """
    statement = asked(plan, question, key)
    if engine == "python":
        (sums,) = oracle.add_up(as_lists(table), Reading((statement,)))
    else:
        sums = open_table(table, statement, engine)()
    return _plain(sums, statement)


def as_lists(table: Any) -> Mapping[str, Sequence[Any]] | CsvFile:  # noqa: ANN401
    """What the specification reads: a table as lists, or a file of lines."""
    if str(table).endswith(".parquet"):
        files = sorted(glob.glob(str(table)))  # noqa: PTH207
        table = pa.concat_tables(map(_read_parquet, files))
    if isinstance(table, pa.Table):
        return {name: _arrow_cells(table[name]) for name in table.column_names}
    table = resolved(CsvFile(table) if isinstance(table, str | Path) else table)
    if isinstance(table, Mapping | CsvFile):
        return table
    if hasattr(table, "lazy"):  # of Polars
        return dict(table.lazy().collect().to_dict(as_series=False))
    return {str(name): table[name].tolist() for name in table.columns}  # of pandas


def _read_parquet(file: str) -> Any:  # noqa: ANN401
    table = pq.ParquetFile(file, coerce_int96_timestamp_unit="us").read()
    for index, field in enumerate(table.schema):
        if pa.types.is_binary(field.type):  # PyArrow knows no ENUM.
            texts = [chunk.view(pa.string()) for chunk in table[index].chunks]
            column = pa.chunked_array(texts, pa.string())
            table = table.set_column(index, field.name, column)
    return table


def _arrow_cells(column: Any) -> list[Any]:  # noqa: ANN401
    """Cells as Python values, times as days: Python holds few of either."""
    kind = column.type
    if pa.types.is_decimal(kind):
        return [_within(cell, kind) for cell in column.to_pylist()]
    if not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return [_value(cell) for cell in column]
    is_days = pa.types.is_date32(kind)
    unit = "ms" if pa.types.is_date64(kind) else getattr(kind, "unit", "")
    per_day = 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}.get(unit, 1)
    ticks = column.cast(pa.int32() if is_days else pa.int64()).to_pylist()
    return [_day_at(tick, 1 if is_days else per_day) for tick in ticks]


def _within(cell: Decimal | None, kind: Any) -> Decimal | None:  # noqa: ANN401
    """A decimal of no more digits than its type has."""
    if cell is None or len(cell.as_tuple().digits) > kind.precision:
        return None
    return cell


def _day_at(tick: int | None, per_day: int) -> dt.date | None:
    if tick is None or abs(tick) >= 2**63 - 1:  # as databases keep infinities
        return None
    try:
        return dt.date.fromordinal(tick // per_day + dt.date(1970, 1, 1).toordinal())
    except (OverflowError, ValueError):
        return None


def _value(cell: Any) -> Any:  # noqa: ANN401
    try:
        return cell.as_py()
    except (OverflowError, ValueError):  # no text, or a time beyond Python's
        return None


def _plain(sums: ExactSums, statement: Statement) -> list[list[int]]:
    nothing = np.zeros((statement.cells, len(statement.sums)), dtype=np.int64)
    return [[int(cell) for cell in row] for row in sums.plus(nothing)]


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
