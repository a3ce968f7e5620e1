"""What bounds cut is said where the answer is: summary, report, chart."""

from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from dpratio.show.blocks import title_of
from dpratio.show.sections.page import render_report

pytestmark = pytest.mark.usefixtures("fixed_noise")


def released(
    upper: float, groups: list[str], unit: dpr.PrivacyUnit | None = None
) -> dpr.Release:
    """Shoppers of whom every fourth spends 100, and the others 10."""
    many = 4_000 * len(groups)
    spent = np.where(np.arange(many) % 4 == 0, 100.0, 10.0)
    table: dict[str, list[Any]] = {
        "spent": spent.tolist(),
        "orders": [1] * many,
        "region": groups * 4_000,
    }
    table["tail"] = list(range(many))
    plan = dpr.make_plan(
        dpr.Ratio("spent", per="orders"),
        bounds={"spent": dpr.Bounds(0, upper), "orders": dpr.Bounds.binary()},
        groups=dpr.Groups("region", groups),
        budget=dpr.Budget(5),
        unit=unit,
        clipping="measured",
    )
    return dpr.release_sums(table, plan, ledger=None)


@pytest.mark.parametrize("groups", [["all"], ["a", "b", "c"]])
def test_a_report_and_a_chart_say_that_bounds_cut(groups: list[str]) -> None:
    release = released(50, groups)
    estimates = dpr.estimate_ratios(release)
    report = render_report(release)
    cut = "ounds cut about" if len(groups) == 1 else "ounds cut rows in 3 of them"
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


def test_a_report_calls_those_who_are_protected_by_their_noun() -> None:
    totals = {"spent": dpr.Bounds(0, 50), "orders": dpr.Bounds(0, 1)}
    unit = dpr.PrivacyUnit("tail", totals=totals, noun="aircraft")
    report = render_report(released(50, ["all"], unit))
    words = report.partition("<body")[2].replace("clipped_people", "")
    assert "bounds cut about" in words
    assert "aircraft" in words
    assert "people" not in words
