"""What watching keeps, whatever the sums are."""

from dataclasses import replace

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dpratio as dpr
from analyst.simulated import Setting
from analyst.watch.looks_for_tests import looks_of, statistic_at
from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic
from dpratio.analyst.sums.variance import SamplingVariance
from dpratio.analyst.watch.boundary import Boundary
from dpratio.analyst.watch.running import Running
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question
from dpratio.terms.groups import Groups

LOOKS, GROUPS = 4, 6
SETTING = Setting(600, 0.5, weighted=True)


def reordered(release: Release, order: list[int]) -> Release:
    """The same release with its groups in another order."""
    (question,) = release.questions
    assert isinstance(release.plan, Plan)
    groups = Groups("repetition", order)
    plan = release.plan.over(groups)
    values = question.values[order]
    return replace(
        release,
        plan=plan,
        questions=(fresh_question(plan.law, plan.measurements[0], groups, values),),
    )


@settings(deadline=None, max_examples=15)
@given(order=st.permutations(range(GROUPS)), seed=st.integers(0, 3))
@example(order=list(range(GROUPS))[::-1], seed=0)
def test_the_order_of_groups_does_not_matter(order: list[int], seed: int) -> None:
    releases = looks_of(SETTING, LOOKS, GROUPS, seed=seed)
    options = {"people_are_new": True, "within": (1.0, 1.02)}
    first = dpr.watch(releases, **options)  # type: ignore[arg-type]
    other = dpr.watch([reordered(each, order) for each in releases], **options)  # type: ignore[arg-type]
    for name in ("ci_upper", "cs_lower", "cs_upper", "alarm"):
        np.testing.assert_array_equal(
            getattr(first, name)[:, order], getattr(other, name)
        )
    np.testing.assert_array_equal(first.change_seen[order], other.change_seen)


@settings(deadline=None, max_examples=25)
@given(
    epsilon=st.sampled_from([0.1, 0.5, 4]),
    mechanism=st.sampled_from(["laplace", "analytic_gaussian"]),
    looks=st.integers(1, 400),
    is_last=st.booleans(),
    seed=st.integers(0, 99),
)
@example(epsilon=0.1, mechanism="laplace", looks=1, is_last=True, seed=0)
def test_one_look_is_never_narrower_than_an_interval_for_one_look(
    *, epsilon: float, mechanism: str, looks: int, is_last: bool, seed: int
) -> None:
    (release,) = looks_of(Setting(600, epsilon, mechanism), 1, 20, seed=seed)
    options = {"last_look" if is_last else "looks": looks}
    found = dpr.watch(release, people_are_new=True, adjust="none", **options)  # type: ignore[arg-type]
    bounded = np.isfinite(found.cs_upper)
    assert (found.cs_upper >= found.ci_upper - 1e-9)[bounded].all()
    assert (found.cs_lower <= found.ci_lower + 1e-9)[bounded].all()


def scaled(statistic: Statistic, times: float) -> Statistic:
    """Sums in another unit: both grow alike."""
    return Statistic(
        times * statistic.numerator,
        times * statistic.denominator,
        SamplingVariance(
            times**2 * statistic.sampling.values, times**4 * statistic.sampling.noise
        ),
        tuple(
            NoiseTerm(
                times**2 * each.variance,
                times * each.laplace,
                each.in_numerator,
                each.in_denominator,
            )
            for each in statistic.noise
        ),
        statistic.lowest,
    )


@settings(deadline=None, max_examples=25)
@given(times=st.floats(1e-3, 1e3), is_last=st.booleans(), seed=st.integers(0, 9))
def test_the_unit_of_weights_does_not_matter(
    *, times: float, is_last: bool, seed: int
) -> None:
    boundary = Boundary(0.05, 10, is_last=is_last)
    ends = []
    for factor in (1.0, times):
        first, second = (
            scaled(statistic_at(each), factor)
            for each in looks_of(SETTING, 2, 5, seed=seed)
        )
        found = Running.of(first).plus(second).sequence(boundary)
        ends.append([found.ratio, found.lower, found.upper])
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-7)


@settings(deadline=None, max_examples=25)
@given(
    alpha=st.floats(1e-9, 0.2),
    looks=st.integers(1, 1000),
    is_last=st.booleans(),
    time=st.floats(1e-3, 1e6),
)
def test_a_smaller_error_needs_a_wider_boundary(
    *, alpha: float, looks: int, is_last: bool, time: float
) -> None:
    one = np.ones(1)
    wide, narrow = (
        Boundary(each, looks, is_last=is_last).quantile(time * one, one)[0]
        for each in (alpha, 1.01 * alpha)
    )
    assert wide > narrow - 1e-9
