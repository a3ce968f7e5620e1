"""The two forms of the variance, Kish's and the linearised, by what a release holds."""

import math
from typing import Any

import numpy as np
import pytest

from analyst.given import given_plan, given_release
from analyst.ten_rows_released import answer
from dpratio.analyst.ratio.estimate import METHODS, estimate_ratios
from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds


def focused_release(*, weighted: bool = True) -> Release:
    """A release of ten thousand people around the ratio 1.1."""
    weights = {"w": Bounds(0.5, 3)} if weighted else {}
    plan = given_plan({"s": Bounds(0, 2), "y": Bounds(0, 2), **weights}, guess=1.0)
    sums = {"z": 450.0, "h": 9450.0, "zz": 2500.0, "zh": 900.0, "hh": 13_000.0}
    cells = [
        round(sums[each.summand.name] / each.step) for each in plan.measurements[0].sums
    ]
    return given_release(plan, np.array([cells]))


@pytest.mark.parametrize("method", METHODS)
def test_a_focused_release_is_answered_in_the_linearised_form(method: str) -> None:
    """S = 4950 and Y = 4500; Σ(a − rb)² from z², zh and h²."""
    found = estimate_ratios(focused_release(), method=method, rng=1)
    assert found.variance == "linearised"
    assert found.ratio == pytest.approx([1.1], rel=1e-6)
    assert found.status == ("ok",)
    # a − 1.1b = 1.05 z − 0.05 h.
    square = 1.05**2 * 2500 - 2 * 1.05 * 0.05 * 900 + 0.05**2 * 13_000
    assert found.se_sampling[0] == pytest.approx(math.sqrt(square) / 4500, rel=1e-6)
    named = estimate_ratios(
        focused_release(), method=method, rng=1, variance="linearised"
    )
    assert named.ci_lower == found.ci_lower


def test_the_kish_form_of_a_focused_release_is_refused_with_the_plan_to_make() -> None:
    with pytest.raises(InvalidInput) as caught:
        estimate_ratios(focused_release(), variance="kish")
    assert str(caught.value) == (
        "this release does not hold the sums of variance 'kish', got ['linearised']. "
        "It answers with 'linearised'. Make a plan with strategy='joint' or 'even', "
        "which measure the sums it needs."
    )


def test_the_linearised_form_of_weighted_paper_sums_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        answer(variance="linearised")
    assert str(caught.value) == (
        "this release does not hold the sums of variance 'linearised', got ['kish']. "
        "It answers with 'kish'. Make a plan with strategy='focused', which measures "
        "the sums it needs."
    )


@pytest.mark.parametrize("variance", ["kisch", "linearized", True, 1])
def test_an_unknown_form_of_the_variance_is_refused(variance: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="unknown variance"):
        answer(variance=variance)


@pytest.mark.parametrize("method", METHODS)
def test_without_weights_the_paper_s_sums_answer_in_both_forms(method: str) -> None:
    """Around zero, where the pivot takes squares, they are even the same."""
    plan = given_plan(strategy="joint")
    values = np.array([[50000, 25000, 27500, 16000, 15000]]) << 24
    release = given_release(plan, values)
    kish, linearised = (
        estimate_ratios(release, method=method, variance=form, rng=1)
        for form in ("kish", "linearised")
    )
    assert (kish.variance, linearised.variance) == ("kish", "linearised")
    assert linearised.se == pytest.approx(kish.se, rel=1e-12)
    assert linearised.ci_upper == pytest.approx(kish.ci_upper, rel=1e-7)
    usual = estimate_ratios(release, method=method, rng=1)
    assert usual.variance == "kish"


def test_a_wald_interval_of_a_focused_release_has_its_floor_too() -> None:
    release = focused_release()
    values = release.questions[0].values.copy()
    values[0, 2] = -values[0, 2]
    noisy = given_release(release.measured, values)  # type: ignore[arg-type]
    (row,) = estimate_ratios(noisy, method="analytical").to_dicts()
    assert row["status"] == "variance_floored"
    noise = {
        each.summand.name: 2 * (each.scale * each.step) ** 2
        for each in release.plan.measurements[0].sums
    }
    squared = (
        1.05**4 * noise["zz"]
        + (2 * 1.05 * 0.05) ** 2 * noise["zh"]
        + 0.05**4 * noise["hh"]
    )
    wanted = squared**0.25 / 4500
    assert row["se_sampling"] == pytest.approx(wanted, rel=1e-6)
