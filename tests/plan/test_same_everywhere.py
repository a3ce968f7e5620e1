"""A plan is the same on every processor, though their last bits differ."""

from dataclasses import replace

import numpy as np
import pytest

import dpratio as dpr
from dpratio.plan import make_plan as planning
from dpratio.plan.plan import Plan
from dpratio.plan.strategy import shares
from dpratio.plan.strategy.shares import Shared
from dpratio.release.files import plan_hash

RATIO = dpr.Ratio("revenue", per="visits")
BOUNDS = {"revenue": dpr.Bounds(0, 300), "visits": dpr.Bounds(0, 7)}
WEIGHTED = dpr.Ratio("score", per="label", weight="w")
SCORES = {
    "score": dpr.Bounds(0, 1),
    "label": dpr.Bounds.binary(),
    "w": dpr.Bounds(0, 9),
}


def plans() -> list[Plan]:
    tight, loose = dpr.Budget("0.3"), dpr.Budget(1, "1e-6")
    groups = [dpr.Groups("g", ["a", "b", "c"]), None]
    bins = dpr.ScoreBins("score", 5)
    return [
        dpr.make_plan(RATIO, bounds=BOUNDS, budget=tight),
        dpr.make_plan(RATIO, bounds=BOUNDS, budget=loose, groups=groups),
        dpr.make_plan(WEIGHTED, bounds=SCORES, budget=loose),
        dpr.make_plan(
            WEIGHTED, bounds=SCORES, budget=tight, answers=("ratio", "means")
        ),
        dpr.make_plan(
            WEIGHTED,
            bounds=SCORES,
            budget=tight,
            groups=bins,
            answers=("ratio", "calibration"),
        ),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_last_bits_of_shares_do_not_change_a_plan(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [plan_hash(each) for each in plans()]
    noise = np.random.default_rng(seed)

    def nearly(*given: object) -> Shared:
        exact = share_budget(*given)
        off = 1 + 2.0**-48 * noise.uniform(-1, 1, exact.scales.shape)
        width = exact.log_width + 2.0**-48 * noise.uniform(-1, 1)
        return replace(exact, scales=exact.scales * off, log_width=width)

    share_budget = shares.share_budget
    monkeypatch.setattr(shares, "share_budget", nearly)
    root = {name: part * (1 + 2.0**-50) for name, part in planning._SHARES.items()}
    monkeypatch.setattr(planning, "_SHARES", root)
    assert [plan_hash(each) for each in plans()] == expected
