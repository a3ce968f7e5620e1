"""Plans of histograms, and tables whose numbers lie where engines might differ."""

import decimal
import math
from typing import Any

import pyarrow as pa

from dpratio.plan.histograms import HistogramPlan, plan_bounds
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "CORNERS",
    "PEOPLE",
    "corner_tables",
    "groups_plan",
    "people_plan",
    "rows_plan",
    "study_of",
]

_POWERS = [2.0**at for at in (-20, -19, -1, 0, 1, 9, 39, 40)]
_EDGES = [power * part for power in _POWERS for part in (1, 1.25, 1.5, 1.75)]
CORNERS: list[float | None] = [
    sign * number
    for sign in (1.0, -1.0)
    for edge in _EDGES
    for number in (edge, math.nextafter(edge, 0), math.nextafter(edge, math.inf))
]
CORNERS += [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1e308, -1e308]
CORNERS += [math.nan, math.inf, -math.inf, None]

# Ids with rows that add up to an edge, nearly, beyond, or to nothing.
_ROWS: list[tuple[str, float | None, str]] = [
    ("ann", 0.5, "north"),
    ("ann", 0.5, "north"),
    ("ann", 3.0, "south"),
    ("bob", 1.0, "north"),
    ("bob", -1.0, "north"),
    ("cid", 2.0**40, "north"),
    ("cid", 2.0**40, "south"),
    ("dot", -(2.0**39), "south"),
    ("dot", -(2.0**39), "south"),
    ("eve", 2.0 - 2.0**-11, "north"),
    ("eve", 2.0**-13, "north"),
    ("fay", math.nan, "north"),
    ("fay", 4.0, "north"),
    ("gil", math.inf, "south"),
    ("hal", 1e300, "elsewhere"),
    ("ida", 1e300, "south"),
    ("ida", -1e300, "south"),
    ("jon", 2.5, "north"),
    ("jon", 2.5, "north"),
    ("kim", 2.5 - 2.0**-11, "south"),
    ("kim", 2.5, "south"),
]
PEOPLE = pa.table(
    {
        "user": [who for who, _, _ in _ROWS],
        "spent": pa.array([much for _, much, _ in _ROWS], pa.float64()),
        "orders": pa.array(range(len(_ROWS)), pa.int64()),
        "weight": pa.array([0.5 + (at % 2) for at in range(len(_ROWS))]),
        "region": [where for _, _, where in _ROWS],
    }
)


def study_of(**terms: Any) -> Study:  # noqa: ANN401
    """A study of spending per order that gives no bounds."""
    letters = ("weight", "minus")
    of_ratio = {name: terms.pop(name, None) for name in letters}
    ratio = Ratio("spent", per="orders", **of_ratio)
    return Study(ratio, **{"bounds": {}, "budget": Budget(1), **terms})


def rows_plan(**terms: Any) -> HistogramPlan:  # noqa: ANN401
    """Histograms of both columns of a table of rows."""
    return plan_bounds(study_of(**terms), budget=Budget(1))


def people_plan(*, most_groups: int = 1, **terms: Any) -> HistogramPlan:  # noqa: ANN401
    """Histograms of both totals of people in two regions, from 1 to 2^40."""
    unit = PrivacyUnit("user", most_groups=most_groups)
    groups = Groups("region", ["north", "south"])
    given = {"unit": unit, "groups": groups, "bounds": {}, **terms}
    if "weight" in terms:
        row = Bounds(-(2.0**38), 2.0**38)
        given["bounds"] = {"weight": Bounds(0, 4), "spent": row, "orders": row}
    limits = (1.0, 2.0**40)
    return plan_bounds(study_of(**given), budget=Budget(1), limits=limits)


def groups_plan(unit: PrivacyUnit | None = None, **terms: Any) -> HistogramPlan:  # noqa: ANN401
    """People by how many of three regions they are in, beside their spending."""
    protected = PrivacyUnit("user", most_groups=2) if unit is None else unit
    groups = Groups("region", ["north", "south", "elsewhere"])
    return plan_bounds(
        study_of(**{"unit": protected, "groups": groups, **terms}),
        budget=Budget(1),
        columns=["spent"],
        limits=(1.0, 2.0**40),
        most_groups=True,
    )


def corner_tables() -> dict[str, Any]:
    """Tables of numbers at the corners: doubles, floats, whole numbers, decimals."""
    count = len(CORNERS)
    ones = pa.array([1] * count, pa.int64())
    floats = pa.array(CORNERS, pa.float64())
    whole = [0, 1, -1, 2, 3, 2**40, -(2**40), 2**40 - 1, 2**62, -(2**62), None]
    exact = [None if each is None else decimal.Decimal(each) for each in whole]
    return {
        "doubles": pa.table({"spent": floats, "orders": ones}),
        "floats": pa.table(
            {
                "spent": pa.array(
                    [1.0, 2.0, 0.1, -0.5, 2.0**-126, math.nan, 3e38, None], pa.float32()
                ),
                "orders": pa.array([1] * 8, pa.int64()),
            }
        ),
        "integers": pa.table(
            {"spent": pa.array(whole, pa.int64()), "orders": pa.array(whole)}
        ),
        "decimals": pa.table(
            {
                "spent": pa.array(exact, pa.decimal128(25, 2)),
                "orders": pa.array(whole),
            }
        ),
    }
