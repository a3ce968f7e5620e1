"""An answer says to what values and totals were clipped."""

import numpy as np

import dpratio as dpr
from analyst.given import given_release
from dpratio.terms.bounds import Bounds


def within(unit: dpr.PrivacyUnit) -> list[str]:
    plan = dpr.make_plan(
        dpr.Ratio("spent", per="visits"),
        bounds={"spent": Bounds(0, 150), "visits": Bounds(0, 6)},
        budget=dpr.Budget(1),
        unit=unit,
        stage=0,
    )
    values = np.full((1, len(plan.measurements[0].sums)), 10**9, dtype=np.int64)
    return dpr.estimate_ratios(given_release(plan, values)).notes()


def test_the_bounds_of_values_are_named() -> None:
    wanted = (
        "Counted within: spent 0 to 150, visits 0 to 6; values outside are clipped."
    )
    said = within(dpr.PrivacyUnit())
    assert wanted in said
    assert not any("Totals" in line for line in said)


def test_the_bounds_of_totals_are_named() -> None:
    totals = {"spent": Bounds(0, 900), "visits": Bounds(0, 30)}
    said = within(dpr.PrivacyUnit("customer", totals=totals))
    wanted = "Totals of one customer, within: spent 0 to 900, visits 0 to 30; "
    assert f"{wanted}totals are clipped." in said


def test_nothing_is_said_of_bounds_that_were_kept_elsewhere() -> None:
    sums = {"ws": [51.5], "wy": [48.0], "w": [100.0], "wss": [31.25], "wys": [30.0]}
    release = dpr.wrap_sums(
        sums,
        dpr.Ratio("s", per="y"),
        noise_sd=dict.fromkeys(sums, 2.0),
        law="laplace",
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        origin="elsewhere",
        claimed=dpr.Budget(1),
    )
    assert not any("clipped" in line for line in dpr.estimate_ratios(release).notes())
