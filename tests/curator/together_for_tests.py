"""Several ratios of one table, whose rows count in some of them and not in others."""

import itertools
import math
from typing import Any

import pyarrow as pa

from curator.tables_for_tests import exact, exact_together
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["PLANS", "TABLE", "require_same_together"]

_NUMBERS = ("a", "b", "c", "d", "weight")
_BOUNDS = {
    "a": Bounds(-1, 1),
    "b": Bounds.binary(),
    "c": Bounds(0, 2),
    "d": Bounds(0.25, 3),
    "weight": Bounds(0, 2),
}


def _table() -> Any:  # noqa: ANN401 (Arrow is not typed)
    """Every number missing, NaN or infinite beside whole ones, in any company."""
    wrong = (None, math.nan, math.inf, -math.inf, 1e300, -7.0)
    rows: list[dict[str, Any]] = []
    for at, (which, cell) in enumerate(
        itertools.product([(), *itertools.combinations(_NUMBERS, 2)], wrong)
    ):
        row: dict[str, Any] = {
            name: (3 * at + 7 * nth) % 11 / 5 for nth, name in enumerate(_NUMBERS)
        }
        row |= dict.fromkeys(which, cell)
        # Nobody of "one" has a d, and so no group there for a ratio of d.
        person = ("one", "two", "three", None)[at % 4]
        row |= {"d": None} if person == "one" else {}
        region = ("north", "south", "west", "elsewhere", None)[at // 2 % 5]
        rows.append({**row, "region": region, "id": person})
    kinds = dict.fromkeys(_NUMBERS, pa.float64()) | {"region": pa.string()}
    kinds["id"] = pa.string()
    return pa.Table.from_pylist(rows, pa.schema(list(kinds.items())))


def _plan(
    groups: Groups | None,
    strategy: str,
    most_groups: int | None,
    *,
    own: bool = False,
) -> Plan:
    guess = 0.5 if strategy == "focused" else None
    ratios = [
        Ratio("a", per="b", guess=guess),
        Ratio("c", per="b", weight="weight", guess=guess),
        Ratio("a", per="d", guess=guess, minus="c"),
        Ratio("b", per="a", guess=guess),
    ]
    terms: dict[str, Any] = {}
    if most_groups is not None:
        totals = {name: Bounds(-2, 2) for name in ("a", "b", "c", "d", "a - c")}
        used = {name for each in ratios for name in each.totals}
        totals = {name: each for name, each in totals.items() if name in used}
        terms["unit"] = PrivacyUnit("id", totals=totals, most_groups=most_groups)
    # Each question clips the totals of one person to bounds of its own.
    asked = [
        Question(
            each,
            groups=groups,
            totals={name: Bounds(-at, at / 2) for name in each.totals},
        )
        for at, each in enumerate(ratios, 1)
    ]
    return make_plan(
        asked if own else ratios,
        bounds=_BOUNDS,
        groups=None if own else groups,
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        clipping="unmeasured" if groups is None and most_groups is None else "measured",
        **terms,
    )


TABLE = _table()
_REGIONS = Groups("region", ["south", "north", "west"])
_BINS = Groups.cross(Keys("region", ["north", None]), ScoreBins("c", 2))
PLANS = {
    "rows": _plan(None, "even", None),
    "groups": _plan(_REGIONS, "focused", None),
    "bins": _plan(_BINS, "joint", None),
    "people": _plan(None, "focused", 1),
    "one group each": _plan(_REGIONS, "even", 1),
    "two groups each": _plan(_REGIONS, "focused", 2),
    "own totals": _plan(_REGIONS, "joint", 2, own=True),
}


def require_same_together(source: object, plan: Plan, engine: str) -> None:
    """Questions that are read together have the integers of each by itself."""
    given = TABLE.to_pydict()
    expected = [
        exact(given, plan, "python", question=at)
        for at in range(len(plan.measurements))
    ]
    assert exact_together(source, plan, engine) == expected
    assert any(cell for question in expected for row in question for cell in row)
