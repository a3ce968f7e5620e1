"""Months that share people: plans with declared pairs, and their exact integers."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from dpratio.curator import measure
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.cross_products import pairs_ratio
from dpratio.plan.sensitivity.neighbours import unit_ratio
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["MONTHS", "TOTALS", "exact_of", "moved", "paid", "pairs_plan", "table_of"]

MONTHS = ("jan", "feb", "mar", "apr")
TOTALS = {"spent": Bounds(-4, 10), "visits": Bounds(0, 5)}

# Of each sum, and of each product, the integers of every group or pair.
Exact = tuple[list[list[int]], list[list[int]]]


def pairs_plan(
    pairs: Any = (("jan", "feb"), ("feb", "mar")),  # noqa: ANN401
    *,
    most_groups: int = 3,
    neighbours: str = "add-or-remove-one",
    **terms: Any,  # noqa: ANN401
) -> Plan:
    """Plan spending per visit in four months, for people who may be in several."""
    usual = {"strategy": "focused", "mechanism": "laplace", "clipping": "unmeasured"}
    wanted: dict[str, Any] = {**usual, **terms}
    ratio = wanted.pop("ratio", Ratio("spent", per="visits", guess=1.5))
    wanted.setdefault("groups", Groups("month", MONTHS))
    return make_plan(
        ratio,
        bounds={"spent": Bounds(-4, 10), "visits": Bounds(0, 5)},
        budget=Budget(1, "1e-6"),
        unit=PrivacyUnit(
            "id", totals=TOTALS, most_groups=most_groups, neighbours=neighbours
        ),
        pairs=pairs,
        **wanted,
    )


def table_of(rows: list[tuple[str, str, float, float]]) -> pa.Table:
    """A table of an id, a month, what was spent and the number of visits."""
    names = ("id", "month", "spent", "visits")
    types = (pa.string(), pa.string(), pa.float64(), pa.float64())
    return pa.table(
        {
            name: pa.array([row[at] for row in rows], type=type_)
            for at, (name, type_) in enumerate(zip(names, types, strict=True))
        }
    )


def exact_of(table: object, plan: Plan, engine: str) -> Exact:
    """The integers before noise, by the readings that a release makes of a plan."""
    asks = {
        at: measure._open(table, each, engine)
        for at, each in measure._readings(plan, plan.partitions).items()  # type: ignore[arg-type]
    }
    (sums,) = measure._exact(plan, plan.partitions, asks)  # type: ignore[arg-type]
    (question,) = plan.questions
    assert question.pairs is not None
    (across,) = (at for at in asks if at.pairs_of is not None)
    (products,) = asks[across]()
    shape = (len(question.pairs.places), len(question.pairs.sums))
    none = np.zeros((len(MONTHS), len(question.sums)), np.int64)
    return (
        sums.plus(none).tolist(),
        products.plus(np.zeros(shape, np.int64)).tolist(),
    )


def moved(plan: Plan, first: Exact, second: Exact) -> Fraction:
    """How far two tables lie apart in units of noise; squared for Gaussian noise."""
    power = 1 if plan.mechanism == "laplace" else 2
    (question,) = plan.questions
    assert question.pairs is not None
    total = Fraction(0)
    for one, other, sums in zip(
        first, second, (question.sums, question.pairs.sums), strict=True
    ):
        for row, beside in zip(one, other, strict=True):
            for a, b, each in zip(row, beside, sums, strict=True):
                total += (Fraction(abs(a - b)) / Fraction(each.scale)) ** power
    return total


def paid(plan: Plan, *, pairs_moved: int) -> Fraction:
    """What the price allows one person to move, who moves so many pairs at most.

    Squared for Gaussian noise.
    """
    (question,) = plan.questions
    pairs, unit = question.pairs, plan.unit_of(question)
    assert pairs is not None
    own = unit_ratio(
        plan.mechanism, plan.grid(question), question.scales, unit, len(MONTHS)
    )
    one = pairs_ratio(
        plan.mechanism,
        plan.crossed_grid(question),
        pairs.scales,
        PrivacyUnit("id", totals=TOTALS, most_groups=2, neighbours=unit.neighbours),
        2,
        pairs.places[:1],
    )
    power = 1 if plan.mechanism == "laplace" else 2
    return own**power + pairs_moved * one**power
