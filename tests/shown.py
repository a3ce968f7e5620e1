"""Releases to look at, made of invented sums, for tests of pictures and reports."""

import datetime as dt
from collections.abc import Sequence
from functools import cache

import numpy as np

import dpratio as dpr
from planned import plan_scores

BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>document.title='owned'</script>",
    "emoji 🎉 & quotes ' \"",
    "עברית \u202eright to left",
    "x" * 10_000,
    "=1+1",
)


@cache
def released(
    keys: Sequence[str], people: int = 400, epsilon: float = 1.0, seed: int = 1
) -> dpr.Release:
    """Release ratios of invented people, one per key; the last keys have few people."""
    rng = np.random.default_rng(seed)
    sizes = np.maximum((people / np.sqrt(1 + np.arange(len(keys)))).astype(int), 3)
    cells = np.repeat(np.arange(len(keys)), sizes)
    label = (rng.random(len(cells)) < 0.4).astype(int)
    lift = rng.uniform(0.6, 1.4, len(keys))[cells]
    score = np.clip(0.4 * lift + 0.3 * (label - 0.4), 0, 1)
    plan = plan_scores(dpr.Budget(epsilon), groups=dpr.Groups("group", list(keys)))
    table = {
        "score": score,
        "label": label,
        "group": np.array(keys, dtype=object)[cells],
    }
    return dpr.release_sums(table, plan, ledger=None, simulated=True)


@cache
def curved(people: int = 20_000, *, ratios: bool = False) -> dpr.Release:
    """Release score bins of two regions, with means; perhaps after their ratios."""
    rng = np.random.default_rng(2)
    score = rng.beta(2, 2, people)
    label = (rng.random(people) < score**1.3).astype(int)
    region = rng.choice(["north", "south"], people)
    regions = dpr.Keys("region", ["north", "south"])
    binned = dpr.Groups.cross(regions, dpr.ScoreBins("score", 5))
    plan = plan_scores(
        dpr.Budget(4 if ratios else 2),
        groups=[regions, binned] if ratios else binned,
        answers=("ratio", "means"),
    )
    table = {"score": score, "label": label, "region": region}
    return dpr.release_sums(table, plan, ledger=None)


@cache
def spent(people: int = 2_000) -> dpr.Release:
    """Release spending per visit in two arms: a guess to plan with, no reference.

    Ten more arms are empty: noise can make one of them seem known, hardly all.
    """
    rng = np.random.default_rng(3)
    visits = rng.integers(1, 8, 2 * people).astype(float)
    arm = np.repeat(["a", "b"], people)
    money = np.clip(visits * np.where(arm == "a", 4.0, 2.0), 0, 100)
    plan = dpr.make_plan(
        dpr.Ratio("money", per="visits", guess=3, guess_is="unknown"),
        bounds={"money": dpr.Bounds(0, 100), "visits": dpr.Bounds(0, 10)},
        groups=dpr.Groups("arm", ["a", "b", *(f"empty {at}" for at in range(10))]),
        budget=dpr.Budget(2),
    )
    table = {"money": money, "visits": visits, "arm": arm}
    return dpr.release_sums(table, plan, ledger=None)


@cache
def monthly(people: int = 6_000) -> dpr.Release:
    """Release revenue per visit by month, in two shops."""
    rng = np.random.default_rng(5)
    month = rng.integers(1, 7, people)
    visits = rng.integers(1, 8, people).astype(float)
    groups = dpr.Groups.cross(
        dpr.Keys("arm", ["web", "shop"]),
        dpr.Periods("day", "month", "2026-01-01", "2026-06-30"),
    )
    plan = dpr.make_plan(
        dpr.Ratio("revenue", per="visit", guess=4, guess_is="unknown"),
        bounds={"revenue": dpr.Bounds(0, 100), "visit": dpr.Bounds(0, 10)},
        groups=groups,
        budget=dpr.Budget(2),
    )
    table = {
        "revenue": visits * (3 + 0.2 * month),
        "visit": visits,
        "arm": rng.choice(["web", "shop"], people),
        "day": [dt.date(2026, each, 9) for each in month.tolist()],
    }
    return dpr.release_sums(table, plan, ledger=None)


def from_elsewhere() -> dpr.Release:
    """Sums that another system measured."""
    sums = {"ws": [510.0], "wy": [480.0], "wss": [310.0], "wys": [300.0]}
    return dpr.wrap_sums(
        sums,
        dpr.Ratio("score", per="label"),
        noise_sd=dict.fromkeys(sums, 1.4),
        law="laplace",
        bounds=BOUNDS,
        origin="another system",
        claimed=dpr.Budget(4),
    )
