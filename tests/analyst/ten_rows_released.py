"""The ten rows as a release, changed where a test says so, and its answers."""

from functools import cache
from typing import Any

import numpy as np

from analyst.given import given_plan, given_release
from analyst.ten_rows import ROWS
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.estimates import Estimates
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups

__all__ = ["NORMAL", "ROWS", "SUMS", "answer", "one", "plan_of", "release_of"]

SUMS = {
    "w": float(sum(w for w, _, _ in ROWS)),
    "wy": float(sum(w * y for w, y, _ in ROWS)),
    "ws": float(sum(w * s for w, _, s in ROWS)),
    "ww": float(sum(w * w for w, _, _ in ROWS)),
    "wyy": float(sum(w * y * y for w, y, _ in ROWS)),
    "wss": float(sum(w * s * s for w, _, s in ROWS)),
    "wys": float(sum(w * y * s for w, y, s in ROWS)),
}
NORMAL = 1.959963984540054


@cache
def plan_of(
    epsilon: int = 70,
    *,
    s: tuple[float, float] = (0, 2),
    y: tuple[float, float] = (0, 2),
    mechanism: str = "laplace",
    keys: tuple[str, ...] = ("all",),
) -> Plan:
    """At epsilon 70 each of the 7 sums has noise of a tenth of its reach."""
    return given_plan(
        {"s": Bounds(*s), "y": Bounds(*y), "w": Bounds(0.5, 3)},
        Budget(epsilon, "7e-6"),
        groups=Groups("g", keys),
        strategy="even",
        mechanism=mechanism,
    )


def release_of(plan: Plan, *groups: dict[str, float]) -> Release:
    """Release sums as given: the ten rows', changed where a group says so."""
    cells = [
        [
            round((SUMS | group)[each.summand.name] / each.step)
            for each in plan.measurements[0].sums
        ]
        for group in groups or ({},)
    ]
    return given_release(plan, np.array(cells, dtype=np.int64))


def answer(plan: Plan | None = None, **options: Any) -> Estimates:  # noqa: ANN401
    """Answer as the paper does, unless another method is asked for."""
    given = {"method": "analytical", **options}
    return estimate_ratios(release_of(plan or plan_of()), **given)


def one(group: dict[str, float], **options: Any) -> dict[str, Any]:  # noqa: ANN401
    """Answer for one group: the row of the answer."""
    plan = options.pop("plan", plan_of())
    given = {"method": "analytical", **options}
    (row,) = estimate_ratios(release_of(plan, group), **given).to_dicts()
    return row
