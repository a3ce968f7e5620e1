"""Whatever integers a release holds, there is an answer and its status is true."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analyst.given import given_plan, given_release
from analyst.ten_rows_released import one, plan_of, release_of
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.ratio.wald import LINKS, WALD_METHODS
from dpratio.analyst.sums.moments import moments_of
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups

LARGEST = 2**63 - 1


@cache
def any_plan(which: int) -> Plan:
    """Plans of every kind: few and many sums, small and large units, each law."""
    tiny, huge = Bounds(0, 2.0**-100), Bounds(0, 2.0**100)
    unit = {"s": Bounds(0, 1), "y": Bounds.binary()}
    weighted = {"s": Bounds(-5, 1), "y": Bounds(-1, 7), "w": Bounds(0, 3)}
    even = {"strategy": "even"}
    plans: list[tuple[dict[str, Bounds], str, dict[str, Any]]] = [
        (unit, "laplace", even),
        ({"s": Bounds(0, 1), "y": Bounds(0, 1)}, "analytic_gaussian", even),
        (unit | {"w": Bounds(0, 3)}, "laplace", even),
        (weighted, "laplace", even),
        ({"s": Bounds(-5, 1), "y": Bounds.binary()}, "laplace", even),
        ({"s": tiny, "y": tiny, "w": tiny}, "laplace", even),
        ({"s": huge, "y": huge, "w": huge}, "analytic_gaussian", even),
        ({"s": tiny, "y": huge, "w": huge}, "laplace", even),
        ({"s": huge, "y": tiny, "w": tiny}, "laplace", even),
        (unit, "laplace", {"guess": 1.0}),
        (unit | {"w": Bounds(1 / 3, 3)}, "analytic_gaussian", {"guess": 1.0}),
        (weighted, "laplace", {"guess": 0.0}),
        (weighted, "laplace", {"guess": -0.5}),
    ]
    bounds, mechanism, terms = plans[which]
    terms = {"groups": Groups("g", [1, 2, 3]), "mechanism": mechanism, **terms}
    return given_plan(bounds, Budget(1, "1e-6"), **terms)


cells = st.one_of(
    st.sampled_from([0, 1, -1, 2**24, 2**36, 2**40, 2**53 + 1, 2**62, LARGEST]).flatmap(
        lambda size: st.sampled_from([size, -size])
    ),
    st.integers(-LARGEST, LARGEST),
    st.integers(0, 2**40),
)


@settings(deadline=None, max_examples=200)
@given(
    which=st.integers(0, 12),
    numbers=st.lists(cells, min_size=21, max_size=21),
    method=st.sampled_from(WALD_METHODS),
    link=st.sampled_from(LINKS),
    level=st.sampled_from([1e-300, 0.5, 0.95, 0.99, 1 - 2.0**-53]),
)
@example(which=0, numbers=[0] * 21, method="analytical", link="log", level=0.95)
@example(which=3, numbers=[LARGEST] * 21, method="monte_carlo", link="ratio", level=0.5)
@example(
    which=5, numbers=[-LARGEST] * 21, method="analytical", link="ratio", level=0.95
)
@example(which=8, numbers=[1] * 21, method="no_correction", link="log", level=0.95)
@example(which=9, numbers=[0] * 21, method="analytical", link="log", level=0.95)
def test_every_release_has_an_answer(
    which: int, numbers: list[int], method: str, link: str, level: float
) -> None:
    """Never an error, never a warning, and always a status that is true."""
    plan = any_plan(which)
    count = len(plan.measurements[0].sums)
    values = np.array(numbers[: 3 * count], dtype=np.int64).reshape(3, count)
    release = given_release(plan, values)
    bounds = plan.box(plan.measurements[0])
    positive = bounds["s"].lower >= 0 and bounds["y"].lower >= 0
    if not positive:
        link = "ratio"
    found = estimate_ratios(
        release, method=method, link=link, level=level, draws=20, rng=1
    )
    assert found.labels["g"] == (1, 2, 3)
    assert set(found.status) <= set(STATUSES)
    for row, wy in zip(
        found.to_dicts(), moments_of(release, release.questions[0])["wy"], strict=True
    ):
        check_row(row, float(wy), positive=positive)


def check_row(row: dict[str, Any], wy: float, *, positive: bool) -> None:
    ratio, lower, upper = row["ratio"], row["ci_lower"], row["ci_upper"]
    assert lower <= upper
    withheld = row["status"] in {"unbounded", "disconnected"}
    assert math.isnan(ratio) or not (positive and wy <= 0)
    assert withheld or not math.isnan(ratio)
    assert not withheld or not math.isfinite(ratio)
    if positive:
        assert lower >= 0
        assert upper >= 0
        assert math.isnan(ratio) or ratio >= 0
    if row["status"] == "unbounded":
        assert lower in {0.0, -math.inf}
        assert (upper, row["se"]) == (math.inf, math.inf)
        assert math.isnan(row["se_sampling"])
        assert math.isnan(row["se_privacy"])
        return
    assert lower <= ratio <= upper or ratio == pytest.approx(lower)
    assert all(map(math.isfinite, (ratio, lower, upper, row["se"])))
    assert row["se_sampling"] >= 0
    assert row["se_privacy"] >= 0
    questions = math.hypot(row["se_sampling"], row["se_privacy"])
    assert row["se"] == pytest.approx(questions, rel=1e-9)


@settings(deadline=None, max_examples=200)
@given(
    st.fixed_dictionaries(
        {name: st.floats(-1e4, 1e4) for name in ("ws", "wy", "wss", "wys", "wyy")}
    ),
    st.sampled_from(WALD_METHODS),
)
@example(
    {"ws": -900.0, "wy": 2000.0, "wss": 1.0, "wys": 1.0, "wyy": 1.0}, WALD_METHODS[0]
)
@example(
    {"ws": -1e-9, "wy": 14.0, "wss": 16.0, "wys": 16.0, "wyy": 20.0}, WALD_METHODS[0]
)
def test_with_bounds_from_zero_nothing_is_ever_negative(
    group: dict[str, float], method: str
) -> None:
    row = one(group, method=method, rng=1)
    assert row["ci_upper"] >= row["ci_lower"] >= 0
    (cell,) = moments_of(release_of(plan_of(), group))["wy"]
    assert math.isnan(row["ratio"]) == (cell <= 0 or row["status"] == "unbounded")
    if not math.isnan(row["ratio"]):
        exact = group["ws"] / group["wy"] if group["wy"] else 0.0
        assert row["ratio"] == pytest.approx(max(exact, 0.0), rel=1e-3, abs=1e-3) or (
            abs(group["wy"]) < 1e-3
        )
