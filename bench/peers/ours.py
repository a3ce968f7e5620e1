"""Release with dpratio: the default plan, charged to a ledger."""

import math
import tempfile
from pathlib import Path

import duckdb  # noqa: F401  # What dpratio imports when it is first used is no work.
from question import EPSILON, KEYS
from stopwatch import Released, timed

import dpratio as dpr
from dpratio import Budget, Groups, Ledger, Ratio, Scope, make_plan, release_sums


def release(table: str, _: None) -> Released:
    """Plan, charge and release."""
    plan = make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        groups=Groups("region", KEYS),
        budget=Budget(EPSILON),
        clipping="unmeasured",
    )
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.db")
        ledger.open_scope(Scope("people", Budget(EPSILON)))
        released = release_sums(table, plan, ledger=ledger)
    steps = [each.step for each in plan.questions[0].sums[:2]]
    z, h = (released.questions[0].values[:, at] * step for at, step in enumerate(steps))
    return Released(
        score=dict(zip(KEYS, ((h + z) / 2).tolist(), strict=True)),
        label=dict(zip(KEYS, ((h - z) / 2).tolist(), strict=True)),
        noise_sd=lambda: math.hypot(*(s["noise_sd"] for s in plan.to_dicts()[:2])) / 2,
    )


if __name__ == "__main__":
    timed(release, None)
