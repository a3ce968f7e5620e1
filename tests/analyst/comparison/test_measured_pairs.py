"""Groups whose shared people were measured are compared with their covariance."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analyst.paired_months import PairedMonths, paired_coverage
from curator.pairs_for_tests import MONTHS, table_of
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.curator.release_sums import release_sums
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.merge import merge
from dpratio.release.release import Release
from dpratio.show.report import write_report
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from tiers import quick_first

pytestmark = pytest.mark.usefixtures("fixed_noise")

TOTALS = {"spent": Bounds(0, 10), "visits": Bounds(0, 5)}
RNG = np.random.default_rng(3)
MANY = 400
FIRST = np.stack([RNG.uniform(0, 6, MANY), RNG.integers(1, 4, MANY)])
SECOND = np.stack([0.8 * FIRST[0] + RNG.uniform(0, 1, MANY), FIRST[1] + 1.0])


def plan_of(strategy: str, pairs: Any, epsilon: float = 10_000) -> Plan:  # noqa: ANN401
    return make_plan(
        Ratio("spent", per="visits"),
        bounds=TOTALS,
        groups=Groups("month", MONTHS),
        budget=Budget(epsilon),
        unit=PrivacyUnit("id", totals=TOTALS, most_groups=3),
        strategy=strategy,
        mechanism="laplace",
        clipping="unmeasured",
        pairs=pairs,
    )


def released(strategy: str, pairs: Any, epsilon: float = 10_000) -> Release:  # noqa: ANN401
    rows = [
        (f"p{at}", month, float(both[0, at]), float(both[1, at]))
        for month, both in zip(MONTHS, (FIRST, SECOND), strict=False)
        for at in range(MANY)
    ]
    rows += [(f"p{at}", "mar", 1.0, 2.0) for at in range(50)]
    plan = plan_of(strategy, pairs, epsilon)
    return release_sums(table_of(rows), plan, ledger=None)


def error_by_hand(link: str) -> float:
    """The standard error of the difference, or of the lift, of both months."""
    ratios = [each[0].sum() / each[1].sum() for each in (FIRST, SECOND)]
    one, two = (
        (each[0] - ratio * each[1]) / each[1].sum()
        for each, ratio in zip((FIRST, SECOND), ratios, strict=True)
    )
    if link == "difference":
        return float(np.sqrt(((one - two) ** 2).sum()))
    relative = np.sqrt(((one / ratios[0] - two / ratios[1]) ** 2).sum())
    return float(relative * ratios[0] / ratios[1])


@pytest.mark.parametrize("link", ["difference", "lift"])
@pytest.mark.parametrize("strategy", ["focused", "joint"])
def test_the_standard_error_is_that_of_the_same_people(
    strategy: str, link: str
) -> None:
    """By hand: V₁ + V₂ − 2 Cov, whichever month is named first."""
    release = released(strategy, [("jan", "feb")])
    found = compare_ratios(release, "jan", "feb", link=link)
    assert found.people == ("shared, measured",)
    assert found.se[0] == pytest.approx(error_by_hand(link), rel=2e-2)
    width = found.ci_upper[0] - found.ci_lower[0]
    assert width == pytest.approx(2 * 1.96 * error_by_hand(link), rel=3e-2)
    bound = compare_ratios(released(strategy, ()), "jan", "feb", link=link)
    assert bound.people == ("may be shared",)
    assert bound.estimate[0] == pytest.approx(found.estimate[0], rel=1e-2)
    assert width < 0.7 * (bound.ci_upper[0] - bound.ci_lower[0])
    if link == "difference":
        turned = compare_ratios(release, "feb", "jan", link=link)
        assert turned.se[0] == pytest.approx(found.se[0], rel=1e-6)
        assert turned.ci_lower[0] == pytest.approx(-found.ci_upper[0], rel=1e-6)


def test_pairs_that_were_not_declared_have_the_bound() -> None:
    release = released("focused", [("jan", "feb")])
    found = compare_ratios(release, "jan", "feb", "mar")
    assert found.people == ("shared, measured", "may be shared", "may be shared")
    assert found.columns()["people"] == list(found.people)
    said = " ".join(found.notes())
    assert "Where 'shared, measured': How the same people did in both was" in said
    assert "nobody knows in which where 'may be shared': the variance is" in said
    alone = " ".join(compare_ratios(release, "jan", "feb").notes())
    assert "One person may be in 3 groups. How the same people did" in alone
    assert "bounded by" not in alone


def test_a_month_without_people_is_no_pair() -> None:
    """Where a denominator is weak the bound is taken, and no interval is promised."""
    release = released("focused", [("jan", "apr")], epsilon=1)
    (question,) = release.questions
    values = question.values.copy()
    values[3] = 0
    nobody = replace(release, questions=(replace(question, values=values),))
    found = compare_ratios(nobody, "jan", "apr", link="difference")
    assert found.people == ("may be shared",)
    assert found.status[0] in {"unbounded", "half_line", "weak", "disconnected"}


def test_several_links_say_it_of_every_row() -> None:
    release = released("focused", [("jan", "feb")])
    found = compare_ratios(release, "jan", "feb", link=["difference", "lift"])
    assert found.people == ("shared, measured",) * 2
    assert len(found.columns()["people"]) == 2


def test_what_was_merged_has_the_bound() -> None:
    both = merge(
        [released("focused", [("jan", "feb")]) for _ in range(2)],
        units_are_disjoint=True,
    )
    assert compare_ratios(both, "jan", "feb").people == ("may be shared",)


def test_the_report_says_it(tmp_path: Any) -> None:  # noqa: ANN401
    release = released("focused", [("jan", "feb")])
    found = compare_ratios(release, "jan", "feb")
    write_report(tmp_path / "report.html", release, answers=[found])
    told = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "How the same people did in both was measured" in told


CASES = [
    PairedMonths(500, 1, "similar"),
    PairedMonths(500, 1, "mirrored"),
    PairedMonths(500, 4, "alike", 2_000),
    PairedMonths(500, 4, "opposite"),
    PairedMonths(500, 4, "unrelated", strategy="joint"),
    PairedMonths(2_000, 0.5, "similar", delta=1e-6),
]


@pytest.mark.parametrize("months", quick_first(CASES))
def test_measured_pairs_cover_and_are_narrow_where_people_do_alike(
    months: PairedMonths,
) -> None:
    """A fixed seed; 0.944 is kept within three Monte Carlo errors."""
    runs = 1_000
    told = paired_coverage(months, runs, seed=11)
    assert told["measured"] >= 0.944 - 3 * np.sqrt(0.95 * 0.05 / runs)
    ratio = told["measured_width"] / told["bound_width"]
    assert ratio <= 1.12
    if months.kind in {"similar", "alike"}:
        assert ratio < 0.85
