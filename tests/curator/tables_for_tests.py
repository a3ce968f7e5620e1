"""Hostile tables, and every way to hand one to the curator.

A hostile table is an Arrow table of typed columns that hold whatever those types can
hold. `SOURCES` turns one into each kind of table that engines read.
"""

import gzip
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import HealthCheck, Phase, assume, settings
from hypothesis import strategies as st

from dpratio.curator.choose_engine import open_table
from dpratio.curator.engine import Statement, statement_of
from dpratio.errors import InvalidInput
from dpratio.plan.contrast import Contrast
from dpratio.plan.corners import corners_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Key
from dpratio.terms.groups import Groups
from dpratio.terms.question import Ratio
from dpratio.terms.source import CsvFile

__all__ = [
    "CSV_DIALECTS",
    "ENGINES",
    "HOSTILE_NUMBERS",
    "NAMES",
    "READABLE",
    "ROW",
    "SOURCES",
    "TEXT_KEYS",
    "Case",
    "asked",
    "cases",
    "connection_of",
    "exact",
    "fixed",
    "mapping_of",
    "plan_of",
    "said_by",
    "shape_of",
    "write_csv",
]

ENGINES = ("python", "duckdb")
GUESSES = (1.0, 0.0, -2.0, 1 / 3)
ROW = 2**24  # One row's cell in a count, and in any sum at its bound of 1.

HOSTILE_NUMBERS = [
    math.nan,
    math.inf,
    -math.inf,
    -0.0,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1e-45,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    3.4028234663852886e38,
    2.0**53 + 2,
    0.1,
    0.5,
    math.nextafter(0.5, 0),
    math.nextafter(1, 2),
    2.0**-25,  # A tie: half a cell.
    -(2.0**-25),
    3 * 2.0**-25,
]

# Names that mean something to SQL, to a CSV reader or inside our own query. No two
# are the same but for case: that has a test of its own.
NAMES = [
    "score",
    "Label",
    "s",
    "y",
    "w",
    'a"b',
    "a'b",
    '"; DROP TABLE given; --',
    "select",
    "given",
    "given_key",
    "declared",
    "code",
    "rows",
    "cell0",
    "dpratio_rows",
    "größe",
    "数",
    "😀",
    " blank ",
    "a,b;c|d",
    "a.b",
    "$1 ? %s {x}",
    "\\",
    "0",
]

TEXT_KEYS = [
    "north",
    "North",
    "a'b",
    'a"b',
    "'; DROP TABLE given; --",
    "NULL",
    "%",
    "_",
    "\\",
    " ",
    "é",
    "e\u0301",
    "😀",
    "a,b;c|d",
    "true",
    "1",
]
WHOLE_KEYS = [0, 1, -1, 7, 2**31, 2**63 - 1, -(2**63) + 1]


def fixed(examples: int) -> settings:
    """The same examples at every run, however slow the machine."""
    return settings(
        max_examples=examples,
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
    ratio's, and ``bounds`` come on top of those of its columns.
    """
    numerator, per, weighted, region = names
    bounds = {numerator: score or Bounds(0, 1), per: label or Bounds.binary()}
    if weight is not None:
        bounds[weighted] = weight
    wanted = {"strategy": "even", "mechanism": "laplace", **terms}
    letters = ("guess", "residual_bound", "minus")
    of_ratio = {name: wanted.pop(name, None) for name in letters}
    bounds |= wanted.pop("bounds", {})
    wanted.setdefault("groups", None if keys is None else Groups(region, keys))
    return make_plan(
        Ratio(
            numerator, per=per, weight=None if weight is None else weighted, **of_ratio
        ),
        bounds=bounds,
        budget=Budget(1, "1e-6"),
        **wanted,
    )


def asked(plan: Plan, part: int = 0) -> Statement:
    """What a part of a plan asks of a table."""
    chosen = plan.parts[part]
    groups = plan.partitions[chosen.partition]
    assert groups is None or isinstance(groups, Groups)
    return statement_of(plan, chosen, groups)


def exact(table: object, plan: Plan, engine: str, *, part: int = 0) -> list[list[int]]:
    """The integers before noise, keys × sums: what only a test may see."""
    statement = asked(plan, part)
    nothing = np.zeros((statement.cells, len(statement.sums)), dtype=np.int64)
    ask = open_table(table, statement, engine)
    return [[int(cell) for cell in row] for row in ask().plus(nothing)]


def shape_of(release: Release) -> tuple[int, ...]:
    """How many keys and sums were released."""
    return release.values.shape  # noqa: PD011 (a release is no frame)


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


@dataclass(frozen=True)
class Case:
    """A plan, and a hostile table with the columns it needs."""

    plan: Plan
    table: Any

    def without(self, row: int) -> "Case":
        """The neighbour: the same table with one row less."""
        kept = [index for index in range(self.table.num_rows) if index != row]
        return Case(self.plan, self.table.take(pa.array(kept, pa.int64())))


def mapping_of(table: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    """The table as lists of Python values: what the specification reads."""
    return dict(table.to_pydict())


def _pandas(table: Any, _: Path) -> object:  # noqa: ANN401
    columns = {
        name: _pandas_column(table[name], at)
        for at, name in enumerate(table.column_names)
    }
    return pd.DataFrame(columns)


def _pandas_column(column: Any, at: int) -> Any:  # noqa: ANN401
    """Use every way pandas has to hold such a column, those with nulls included."""
    kind, values = column.type, column.to_pylist()
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return pd.Series(values, dtype="datetime64[us]")
    if pa.types.is_decimal(kind) or pa.types.is_floating(kind):
        numbers = [math.nan if cell is None else float(cell) for cell in values]
        single = kind == pa.float32()
        return np.array(numbers, dtype=np.float32 if single else np.float64)
    if pa.types.is_integer(kind) and None not in values:
        return np.array(values, dtype=kind.to_pandas_dtype())
    nullable: dict[Any, Any] = {pa.bool_(): "boolean", pa.uint64(): "UInt64"}
    dtype: Any = ("str", "object", "string")[at % 3]
    if pa.types.is_dictionary(kind):
        dtype = "category"
    elif kind in nullable or pa.types.is_integer(kind):
        dtype = nullable.get(kind, "Int64")
    return pd.Series(values, dtype=dtype)


def _polars(table: Any, _: Path) -> pl.DataFrame:  # noqa: ANN401
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def _polars_lazy(table: Any, folder: Path) -> object:  # noqa: ANN401
    return _polars(table, folder).lazy()


def _arrow(table: Any, _: Path) -> object:  # noqa: ANN401
    half = table.num_rows // 2
    return pa.concat_tables([table.slice(0, half), table.slice(half)])


def _parquet(table: Any, folder: Path) -> object:  # noqa: ANN401
    pq.write_table(table, folder / "[rows] it's.parquet", row_group_size=3)
    return str(folder / "[rows] it's.parquet")


def _parquet_glob(table: Any, folder: Path) -> object:  # noqa: ANN401
    half = table.num_rows // 2
    (folder / "parts").mkdir(exist_ok=True)
    pq.write_table(table.slice(0, half), folder / "parts" / "[1].parquet")
    pq.write_table(table.slice(half), folder / "parts" / "[2].parquet")
    return folder / "parts" / "*.parquet"


@cache
def connection_of(threads: int) -> Any:  # noqa: ANN401
    """Open one connection for each number of threads; conftest closes them."""
    import duckdb

    return duckdb.connect(config={"threads": threads})


def _relation(table: Any, _: Path) -> object:  # noqa: ANN401
    return connection_of(1 + table.num_rows % 8).from_arrow(table)


SOURCES: dict[str, Callable[[Any, Path], object]] = {
    "pandas": _pandas,
    "polars": _polars,
    "polars_lazy": _polars_lazy,
    "arrow": _arrow,
    "parquet": _parquet,
    "parquet_glob": _parquet_glob,
    "relation": _relation,
}

READABLE = [
    (source, engine)
    for source in SOURCES
    for engine in ENGINES
    if (source, engine) != ("relation", "python")
]

# File name, delimiter, quote, whether every cell is quoted, whether there is a header,
# how a line ends.
CSV_DIALECTS = {
    "plain": ("rows.csv", ",", '"', False, True, "\n"),
    "windows": ("rows [2].csv", ",", '"', True, True, "\r\n"),
    "old_mac": ("it's.csv", ";", "'", False, True, "\r"),
    "gzip": ("rows.csv.gz", "|", "^", True, True, "\n"),
    "no_header": ("rows.txt", "\t", "\\", False, False, "\n"),
    "no_quote": ("rows.csv", "\x1f", "", False, False, "\r\n"),
}


def write_csv(table: Any, folder: Path, dialect: str) -> CsvFile:  # noqa: ANN401
    """Write a table as text in one of `CSV_DIALECTS`; missing cells stay empty."""
    name, delimiter, quote, always, header, ending = CSV_DIALECTS[dialect]
    lines = [table.column_names] if header else []
    lines += [list(row) for row in zip(*table.to_pydict().values(), strict=True)]

    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        text = text.lower() if isinstance(value, bool) else text
        special = quote != "" and (always or delimiter in text or quote in text)
        return quote + text.replace(quote, quote * 2) + quote if special else text

    text = ending.join(delimiter.join(cell(value) for value in line) for line in lines)
    path = folder / name
    written = text.encode()
    path.write_bytes(gzip.compress(written) if name.endswith(".gz") else written)
    columns = None if header else table.column_names
    return CsvFile(path, columns=columns, delimiter=delimiter, quote=quote)


_CHOSEN_BOUNDS = [
    (0.0, 1.0),
    (-1.0, 1.0),
    (-3.5, -0.25),
    (0.1, 0.30000000000000004),
    (1 / 3, 3.0),
    (-(2.0**100), 2.0**100),
    (-(2.0**-100), 2.0**-101),
    (5e-324, 1e-3),
    (-1e6, 79.00000000000003),
]


@st.composite
def _bounds(draw: st.DrawFn, *, lowest: float = -1e9) -> Bounds:
    if draw(st.integers(0, 3)) == 0:
        return Bounds.binary()
    usable = [pair for pair in _CHOSEN_BOUNDS if pair[0] >= lowest]
    ends = st.floats(max(lowest, -1e9), 1e9, allow_subnormal=False)
    drawn = st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))
    wide = drawn.filter(lambda pair: pair[1] - pair[0] > 1e-9)
    lower, upper = draw(st.sampled_from(usable) | wide)
    return Bounds(lower, upper)


def _numbers(bounds: Bounds) -> st.SearchStrategy[float]:
    ends = [bounds.lower, bounds.upper, bounds.upper / 3]
    beside = [math.nextafter(end, way) for end in ends for way in (-1e300, 1e300)]
    return (
        st.floats(bounds.lower, bounds.upper)
        | st.floats()
        | st.sampled_from(HOSTILE_NUMBERS + ends + beside)
    )


@st.composite
def _number_column(draw: st.DrawFn, bounds: Bounds, rows: int) -> object:
    kind = draw(
        st.sampled_from(["double"] * 3 + ["float", "whole", "decimal", "boolean"])
    )
    arrow_type: Any = pa.float64()
    cells: st.SearchStrategy[Any] = _numbers(bounds)
    if kind == "float":
        arrow_type = pa.float32()
        cells = _numbers(bounds).map(_to_single)
    elif kind == "whole":
        arrow_type = draw(st.sampled_from([pa.int8(), pa.int64(), pa.uint64()]))
        bits, signed = arrow_type.bit_width, arrow_type != pa.uint64()
        low = -(2 ** (bits - 1)) if signed else 0
        high = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
        cells = st.integers(low, high) | st.integers(max(low, -3), 3)
    elif kind == "decimal":
        digits = draw(st.sampled_from([3, 18, 38]))
        places = draw(st.integers(0, digits))
        arrow_type = pa.decimal128(digits, places)
        whole = st.integers(-(10**digits) + 1, 10**digits - 1)
        cells = whole.map(lambda n: Decimal(f"{n}e-{places}"))
    elif kind == "boolean":
        arrow_type, cells = pa.bool_(), st.booleans()
    some = st.one_of(cells, cells, cells, st.none())
    values = draw(st.lists(some, min_size=rows, max_size=rows))
    return pa.array(values, arrow_type)


def _to_single(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))


@st.composite
def _keys(draw: st.DrawFn, rows: int) -> tuple[list[Key] | None, object]:
    """Declared keys, and a column of declared, undeclared and missing ones."""
    kind = draw(st.sampled_from(["none", "text", "text", "whole", "boolean"]))
    if kind == "none":
        return None, pa.nulls(rows)
    of_kind: dict[str, list[Any]] = {
        "text": TEXT_KEYS,
        "whole": WHOLE_KEYS,
        "boolean": [False, True],
    }
    known = of_kind[kind]
    declared = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    cells = st.sampled_from(declared) | st.sampled_from(known) | st.none()
    arrow_type: Any = {"whole": pa.int64(), "boolean": pa.bool_()}.get(kind)
    if kind == "text":
        texts = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
        arrow_type = draw(st.sampled_from(texts))
    values = draw(st.lists(cells, min_size=rows, max_size=rows))
    return declared, pa.array(values, arrow_type)


@st.composite
def _terms(draw: st.DrawFn, strategy: str, box: Mapping[str, Bounds]) -> dict[str, Any]:
    """The terms of a plan; for a focused one any guess, limit of z and answers."""
    if strategy == "even":
        return {}
    mechanism = draw(st.sampled_from(["laplace", "analytic_gaussian"]))
    terms: dict[str, Any] = {"strategy": strategy, "mechanism": mechanism}
    if strategy == "joint":
        return terms
    guess = draw(st.sampled_from(GUESSES))
    part = draw(st.none() | st.floats(1e-3, 1 - 1e-3))
    most = max(abs(point["z"]) for point in corners_of(box, Contrast(guess)))
    if part is not None and 2.0**-49 < float(most) * part < 2.0**49:
        terms["residual_bound"] = float(most) * part
    answers = draw(st.sampled_from([("ratio",), ("ratio", "means")]))
    return {**terms, "guess": guess, "answers": answers}


@st.composite
def cases(draw: st.DrawFn, strategy: str = "even", *, least_rows: int = 0) -> Case:
    """Any plan, with a table that holds whatever its column types can hold."""
    some = st.sampled_from(NAMES)
    names = draw(st.lists(some, min_size=4, max_size=4, unique=True))
    rows = draw(st.integers(least_rows, 12))
    keys, key_column = draw(_keys(rows))
    score, label = draw(_bounds()), draw(_bounds())
    weight = draw(st.none() | _bounds(lowest=0))
    given = zip("syw", (score, label, weight), strict=True)
    box = {letter: each for letter, each in given if each is not None}
    terms = draw(_terms(strategy, box))
    try:
        plan = plan_of(score, label, weight, keys=keys, names=names, **terms)
    except InvalidInput as error:
        # Columns of very different size: z and h need more noise than there is.
        assume("noise must stay below" not in str(error))
        raise
    columns = {
        names[0]: draw(_number_column(score, rows)),
        names[1]: draw(_number_column(label, rows)),
    }
    if weight is not None:
        columns[names[2]] = draw(_number_column(weight, rows))
    if keys is not None:
        columns[names[3]] = key_column
    order = draw(st.permutations(sorted(columns)))
    table = pa.table({name: columns[name] for name in order})
    return Case(plan, table)
