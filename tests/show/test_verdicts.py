import math
from dataclasses import replace

import numpy as np
import pytest

import dpratio as dpr
from dpratio.show.verdicts import View, in_view, names_of, verdicts_of
from shown import released

KEYS = tuple(f"group {at}" for at in range(40))


@pytest.fixture(scope="module")
def estimates() -> dpr.results.Estimates:
    return dpr.estimate_ratios(released(KEYS))


def test_a_verdict_says_where_the_interval_lies() -> None:
    """Of 400 groups the largest are told from 1, and the smallest have no interval."""
    keys = tuple(f"group {at}" for at in range(400))
    estimates = dpr.estimate_ratios(released(keys, people=2000, epsilon=0.1))
    rows = zip(
        verdicts_of(estimates, 1.0),
        estimates.ci_lower.tolist(),
        estimates.ci_upper.tolist(),
        strict=True,
    )
    seen = set()
    for verdict, lower, upper in rows:
        seen.add(verdict)
        if verdict == "above":
            assert lower > 1
        elif verdict == "below":
            assert upper < 1
        elif verdict == "not told apart":
            assert lower <= 1 <= upper
            assert math.isfinite(upper)
        else:
            assert math.isinf(upper)
    assert seen == {"above", "below", "not told apart", "no finite interval"}


def test_without_a_reference_there_is_no_verdict(
    estimates: dpr.results.Estimates,
) -> None:
    finite = np.isfinite(estimates.ci_upper).tolist()
    for verdict, is_finite in zip(verdicts_of(estimates, None), finite, strict=True):
        assert verdict == ("finite interval" if is_finite else "no finite interval")
    view = in_view(estimates, None)
    assert view.lower < view.upper
    one = {name: np.ones(40) for name in ("ratio", "ci_lower", "ci_upper")}
    assert in_view(replace(estimates, **one), None) == View(0.0, 2.0)  # type: ignore[arg-type]


def test_verdicts_are_about_the_reference(estimates: dpr.results.Estimates) -> None:
    assert "above" not in verdicts_of(estimates, 100.0)
    assert "below" not in verdicts_of(estimates, 0.001)


def test_rows_of_the_same_name_are_told_apart() -> None:
    bounds = {"s": dpr.Bounds(0, 1), "y": dpr.Bounds.binary()}
    plan = dpr.make_plan(
        dpr.Ratio("s", per="y"),
        bounds=bounds,
        groups=[None, dpr.Groups("g", ["(all)"])],
        budget=dpr.Budget(1),
    )
    table = {"s": [1.0], "y": [1], "g": ["(all)"]}
    estimates = dpr.estimate_ratios(dpr.release_sums(table, plan, ledger=None))
    assert names_of(estimates) == ["(all)", "(all) (2)"]


def test_a_view_shows_the_reference_and_most_of_the_rest(
    estimates: dpr.results.Estimates,
) -> None:
    for reference in (0.2, 1.0, 3.0):
        view = in_view(estimates, reference)
        assert view.lower <= reference <= view.upper
        ratios = estimates.ratio[np.isfinite(estimates.ci_upper)]
        inside = (view.lower <= ratios) & (ratios <= view.upper)
        assert inside.mean() > 0.9


def test_what_lies_outside_is_cut_off_at_the_edge() -> None:
    view = View(0.5, 1.5)
    assert [view.cut(each) for each in (-math.inf, 1.0, math.inf)] == [0.5, 1.0, 1.5]
    assert [view.place(each) for each in (0.0, 1.0, 9.0)] == [0.0, 500.0, 1000.0]
    assert view.place(math.nan) is None


def test_without_any_bounded_interval_there_is_still_a_view() -> None:
    estimates = replace(
        dpr.estimate_ratios(released(("a", "b"), people=3)),
        ci_upper=np.array([np.inf, np.inf]),
    )
    assert in_view(estimates, 1.0) == in_view(estimates, None) == View(0.0, 2.0)
