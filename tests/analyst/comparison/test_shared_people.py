"""Groups that may share people are compared by a bound on the variance."""

from dataclasses import replace

import numpy as np
import pytest

from analyst.given import given_release
from analyst.regions import LINKS, REGIONS, ROWS, cells_for, plan_of
from analyst.shared_months import KINDS, Months, coverage
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.comparison.comparison_target import bounded_between
from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.ratio.statistic import Statistic
from dpratio.analyst.sums.variance import SamplingVariance
from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit
from tiers import quick_first

TOTALS = {"score": Bounds(0, 1), "label": Bounds(0, 1)}


def release_of(most_groups: int) -> Release:
    unit = PrivacyUnit("user", totals=TOTALS, most_groups=most_groups)
    plan = plan_of(Groups("region", REGIONS), unit=unit)
    return given_release(plan, cells_for(plan, ROWS))


def test_the_standard_error_is_the_sum_of_both() -> None:
    """By hand: Var ≤ (√V₁ + √V₂)², so the errors of both sides add up."""
    alone, shared = (
        compare_ratios(release_of(most), "north", "south", link="difference")
        for most in (1, 2)
    )
    single = []
    for score, label in ROWS[:2]:
        ratio = score.sum() / label.sum()
        single.append(np.sqrt(((score - ratio * label) ** 2).sum()) / label.sum())
    assert alone.se[0] == pytest.approx(np.hypot(*single), rel=1e-3)
    assert shared.se[0] == pytest.approx(sum(single), rel=1e-3)
    assert shared.estimate[0] == alone.estimate[0]
    half = (shared.ci_upper - shared.ci_lower) / 2
    assert half[0] == pytest.approx(1.96 * sum(single), rel=5e-3)


@pytest.mark.parametrize("link", LINKS)
def test_the_bound_is_the_least_of_its_kind(link: str) -> None:
    """No other λ gives narrower intervals on the scale that is asked for."""
    rng = np.random.default_rng(5)
    spread = np.array([[4.0, 0.0, 0.0], [90.0, 0.0, 0.0]])
    first, second = (
        Statistic(
            numerator=np.full(1, top),
            denominator=np.full(1, 100.0),
            sampling=SamplingVariance(values[:, None], np.zeros((1, 3, 3))),
            noise=(),
            lowest=0.0,
        )
        for top, values in zip((120.0, 180.0), spread, strict=True)
    )
    here = np.zeros(1, dtype=np.int64)
    plain = Between(first, second, (here, here), link)
    least = bounded_between(plain).estimates()[1]
    for lean in np.exp(rng.normal(size=20)):
        other = replace(
            plain,
            first=replace(first, sampling=first.sampling.times(np.full(1, 1 + lean))),
            second=replace(
                second, sampling=second.sampling.times(np.full(1, 1 + 1 / lean))
            ),
        )
        assert other.estimates()[1] >= least * (1 - 1e-12)


def test_groups_that_say_nothing_stay_unbounded() -> None:
    nobody = np.zeros(1)
    unit = PrivacyUnit("user", totals=TOTALS, most_groups=2)
    plan = plan_of(Groups("region", REGIONS), epsilon=1, unit=unit)
    rows = [*ROWS[:3], (nobody, nobody)]
    answer = compare_ratios(given_release(plan, cells_for(plan, rows)))
    by_pair = dict(
        zip(
            zip(answer.first, answer.second or (), strict=True),
            answer.status,
            strict=True,
        )
    )
    assert by_pair["east", "west"] == "unbounded"


def test_the_answer_says_that_people_may_be_shared() -> None:
    shared = compare_ratios(release_of(3), "north", design="baseline")
    assert shared.columns()["people"] == ["may be shared"] * 3
    assert shared.shared_groups == 3
    said = " ".join(shared.notes())
    assert "One person may be in 3 groups" in said
    assert "bounded by (√V₁ + √V₂)²" in said
    alone = compare_ratios(release_of(1), "north", "south")
    assert "people" not in alone.columns()
    assert "bounded by" not in " ".join(alone.notes())
    against = compare_ratios(release_of(3), reference=1.0)
    assert "people" not in against.columns()


def test_all_others_together_are_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release_of(2), "north", design="rest")
    for words in (
        "groups that may share people cannot be taken together",
        "got 'most_groups=2'",
        "One user lies in up to 2 of them",
        "by pairs or with a baseline",
        "Ratio('a', minus='b', per=…)",
    ):
        assert words in str(refused.value)


@pytest.mark.parametrize("epsilon", [0.5, 4])
@pytest.mark.parametrize("kind", quick_first(KINDS))
def test_intervals_cover_whatever_is_shared(kind: str, epsilon: float) -> None:
    """Where one month mirrors the other the bound is met: coverage is the level."""
    runs = 1_500
    covered, plain, _ = coverage(Months(300, epsilon, kind), runs, seed=7)
    error = 3 * np.sqrt(0.95 * 0.05 / runs)
    assert covered >= 0.95 - error
    if kind == "mirrored" and epsilon == 4:
        assert plain < 0.88
        assert covered <= 0.975
