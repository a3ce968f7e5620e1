"""A program that uses dpratio, for mypy --strict to check against the installed one."""

from typing import assert_type

import dpratio as dpr

plan = dpr.make_plan(
    dpr.Ratio("score", per="label"),
    bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
    groups=dpr.Groups("region", ["north", "south"]),
    budget=dpr.Budget(epsilon=1),
)
assert_type(plan, dpr.Plan)
assert_type(dpr.forecast(plan, n=[1_000]), dpr.results.Forecast)
release = dpr.release_sums({"score": [0.5], "label": [1]}, plan, ledger=None)
assert_type(release, dpr.Release)
assert_type(dpr.estimate_ratios(release, level=0.9), dpr.results.Estimates)
assert_type(dpr.compare_ratios(release, "north", "south"), dpr.results.Comparison)
assert_type(dpr.roll_up(release), dpr.Release)
assert_type(dpr.Ledger("budget.db").scopes(), list[str])
assert_type(dpr.__version__, str)
dpr.make_plan("score")  # type: ignore[arg-type]  # Wrong use is found.
