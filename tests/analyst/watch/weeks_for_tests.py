"""Weeks of a score per label in two regions, released for tests."""

import datetime as dt
from typing import Any

import numpy as np

import dpratio as dpr

__all__ = ["WEEKS", "plan_of_weeks", "release_of", "table_of", "weekly_plan"]

WEEKS = 8
FIRST = dt.date(2026, 1, 5)
REGIONS = ("north", "south")
BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}


def table_of(
    ratios: tuple[float, ...] = (1.0,), people: int = 400, seed: int = 1
) -> dict[str, list[object]]:
    """Rows of each week and region; from the last ratio given on it stays."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[object]] = {
        name: [] for name in ("score", "label", "day", "region", "person")
    }
    for week in range(WEEKS):
        for at, region in enumerate(REGIONS):
            score = rng.beta(2, 2, people)
            shift = ratios[min(week, len(ratios) - 1)] if at else 1.0
            likely = np.minimum(score / shift, 1.0)
            columns["score"] += score.tolist()
            columns["label"] += (rng.random(people) < likely).astype(int).tolist()
            columns["day"] += [FIRST + dt.timedelta(7 * week)] * people
            columns["region"] += [region] * people
            first = (2 * week + at) * people
            columns["person"] += list(range(first, first + people))
    return columns


def weekly_plan(**terms: Any) -> dpr.Plan:  # noqa: ANN401
    """The plan of one week's release, by region; terms may be others."""
    given: dict[str, Any] = {
        "bounds": BOUNDS,
        "groups": dpr.Groups("region", REGIONS),
        "budget": dpr.Budget(2),
    }
    ratio = terms.pop("ratio", dpr.Ratio("score", per="label"))
    return dpr.make_plan(ratio, **(given | terms))


def plan_of_weeks(
    first: str = "2026-01-05",
    last: str = "2026-02-23",
    **terms: Any,  # noqa: ANN401
) -> dpr.Plan:
    """The plan of one release over all weeks."""
    weeks = dpr.Periods("day", "week", first, last)
    keys = dpr.Keys("region", REGIONS)
    return weekly_plan(groups=dpr.Groups.cross(keys, weeks), **terms)


def release_of(
    plan: dpr.Plan, week: int | None = None, **people: object
) -> dpr.Release:
    """Release all rows, or those of one week."""
    table = table_of(**people)  # type: ignore[arg-type]
    if week is not None:
        day = FIRST + dt.timedelta(7 * week)
        kept = [at for at, each in enumerate(table["day"]) if each == day]
        table = {name: [cells[at] for at in kept] for name, cells in table.items()}
    return dpr.release_sums(table, plan, ledger=None, simulated=True)
