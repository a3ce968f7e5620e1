"""What bounds cut is said where the answer is: summary, report, chart."""

import numpy as np
import pytest

import dpratio as dpr
from dpratio.show.blocks import title_of
from dpratio.show.sections.page import render_report

pytestmark = pytest.mark.usefixtures("fixed_noise")


def released(upper: float, groups: list[str]) -> dpr.Release:
    """Shoppers of whom every fourth spends 100, and the others 10."""
    many = 4_000 * len(groups)
    spent = np.where(np.arange(many) % 4 == 0, 100.0, 10.0)
    table = {"spent": spent.tolist(), "orders": [1] * many, "region": groups * 4_000}
    plan = dpr.make_plan(
        dpr.Ratio("spent", per="orders"),
        bounds={"spent": dpr.Bounds(0, upper), "orders": dpr.Bounds.binary()},
        groups=dpr.Groups("region", groups),
        budget=dpr.Budget(5),
        clipping="measured",
    )
    return dpr.release_sums(table, plan, ledger=None)


@pytest.mark.parametrize("groups", [["all"], ["a", "b", "c"]])
def test_a_report_and_a_chart_say_that_bounds_cut(groups: list[str]) -> None:
    release = released(50, groups)
    estimates = dpr.estimate_ratios(release)
    report = render_report(release)
    cut = "ounds cut about" if len(groups) == 1 else "ounds cut people in 3 of them"
    assert cut in estimates.summary()
    assert cut in title_of(estimates)
    assert cut in report
    assert "Clipping: bounds cut" in report
    assert "Clipping is measured: c is 1 for whoever is cut" in report


def test_a_report_says_how_many_may_have_been_cut_unseen() -> None:
    """In 1 of 40 draws noise alone looks like a cut; not in this one."""
    release = released(5_000, ["all"])
    report = render_report(release)
    assert "Clipping: no cut was seen; at most" in report
    assert "bounds cut" not in title_of(dpr.estimate_ratios(release))
