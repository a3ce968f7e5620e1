"""Hostile tables: Arrow tables of typed columns that hold whatever those types can."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from curator.tables_for_tests import GUESSES, plan_of
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import Contrast, corners_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Key

__all__ = ["HOSTILE_NUMBERS", "NAMES", "TEXT_KEYS", "WHOLE_KEYS", "Case", "cases"]

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


@dataclass(frozen=True)
class Case:
    """A plan, and a hostile table with the columns it needs."""

    plan: Plan
    table: Any

    def without(self, row: int) -> "Case":
        """The neighbour: the same table with one row less."""
        kept = [index for index in range(self.table.num_rows) if index != row]
        return Case(self.plan, self.table.take(pa.array(kept, pa.int64())))


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
    return Bounds(lower, upper, natural=draw(st.integers(0, 4)) == 0)


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
def cases(
    draw: st.DrawFn,
    strategy: str = "even",
    *,
    least_rows: int = 0,
) -> Case:
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
    terms["clipping"] = draw(st.sampled_from(["measured", "unmeasured"]))
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
