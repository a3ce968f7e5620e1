"""A status of a bin keeps its word: bounded by luck is not ok, and none is not zero."""

from functools import cache

import numpy as np

from analyst.given import given_release
from analyst.samples import binned_sums, curves_release, plan_for
from dpratio.analyst.curve.curve import calibration_curve
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.release.release import Release
from dpratio.tabular import UNKNOWN

RUNS, BINS, PEOPLE = 400, 5, 800


@cache
def few_people() -> Release:
    """Calibrated people, so few that many bins have no more labels than noise."""
    plan = plan_for("focused", "laplace", 0.5, PEOPLE, weighted=False, bins=BINS)
    sums = binned_sums(plan, PEOPLE, RUNS, 4, lambda score: 0 * score)
    return curves_release(plan, sums)


def test_a_bin_whose_ratio_is_weak_is_not_ok() -> None:
    """Called ok, as before, the bounded ones among them covered less."""
    status = np.array(calibration_curve(few_people()).status)
    weak = np.array(estimate_ratios(few_people()).status) == "weak"
    assert 0.05 < weak.mean() < 0.9
    assert set(status[weak]) <= {"weak", "lost"}
    assert (status == "ok").any()


def test_a_weak_bin_is_explained() -> None:
    said = calibration_curve(few_people()).notes()
    assert any(line.startswith("weak: the labels or the weight") for line in said)


def test_the_squared_error_is_unknown_where_no_bin_is_known() -> None:
    """It was between 0 and 0 where noise hid every bin, which no error is."""
    plan = plan_for("focused", "laplace", 0.5, PEOPLE, weighted=False, bins=BINS)
    names = [each.summand.factors for each in plan.measurements[0].sums]
    cells = np.zeros((BINS, len(names)), dtype=np.int64)
    weight = names.index(())
    cells[:, weight] = round(3 * plan.measurements[0].scales[weight])
    found = calibration_curve(given_release(plan, cells)).errors
    assert found.left_out.tolist() == [BINS]
    assert np.isnan(found.squared.estimate).all()
    assert found.squared.ci_lower.tolist() == [0]
    assert found.squared.ci_upper.tolist() == [np.inf]
    assert np.isfinite(found.expected.estimate).all()
    assert found.shown()["squared_error"] == [UNKNOWN]
