"""Labels of 0 and 1 are their own squares: what noise put between is taken off."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from analyst.given import given_plan, given_release
from dpratio.analyst.sums.moments import exact_moments, moments_of
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget


def unit_sums(plan: Plan) -> dict[str, Fraction]:
    """Every sum of a focused plan and what comes back from it, for four people."""
    contrast = plan.layout(plan.measurements[0]).contrast
    assert contrast is not None
    total: dict[str, Fraction] = {}
    for y, s in ((Fraction(y), Fraction(s)) for y, s in LABELLED):
        z, h = contrast.of(s, y)
        factors = {"a": s, "b": y, "z": z, "h": h}
        firsts = {"ws": s, "wy": y, "z": z, "h": h}
        for name in ("aa", "ab", "bb", "zz", "zh", "hh"):
            firsts[name] = factors[name[0]] * factors[name[1]]
        for name, value in firsts.items():
            total[name] = total.get(name, Fraction(0)) + value
    return total


def labelled_plan(
    *, binary: bool = True, weighted: bool = False, limit: float | None = None
) -> Plan:
    weights = {"w": Bounds(0.5, 3)} if weighted else {}
    label = Bounds.binary() if binary else Bounds(0, 1)
    bounds = {"s": Bounds(0, 1), "y": label, **weights}
    return given_plan(bounds, Budget(2), guess=1.0, residual_bound=limit)


LABELLED = [("1", "0.75"), ("0", "0.5"), ("1", "0.25"), ("0", "0")]


def focused_release(plan: Plan, moved: int = 0) -> Release:
    """Release four people, with what noise put on Σh² given."""
    wanted = unit_sums(plan)
    cells = [
        int(wanted[each.summand.name] / Fraction(each.step))
        for each in plan.measurements[0].sums
    ]
    cells[4] += moved
    return given_release(plan, np.array([cells], dtype=np.int64))


def test_labels_that_are_their_own_squares_correct_the_squares() -> None:
    plan = labelled_plan()
    exact, wanted = moments_of(focused_release(plan)), unit_sums(plan)
    for name in exact.names:
        assert exact[name] == pytest.approx([float(wanted[name])])
    release = focused_release(plan, moved=2**30)
    known, steps = (
        moments_of(release),
        [each.step for each in plan.measurements[0].sums],
    )
    sums = release.questions[0].values * np.array(steps)
    plain = exact_moments(sums, plan.measurements[0])
    unknown = replace(plain, noise=known.noise)
    # The test of a ratio is made of the same noise, independent of what is corrected.
    for name in ("ws", "wy"):
        assert known.loading(name).tolist() == unknown.loading(name).tolist()
        assert known[name] == pytest.approx(unknown[name])
    for name in ("aa", "ab", "bb"):
        before, after = (
            each.noise_covariance(name, name)[0] for each in (unknown, known)
        )
        assert after < before
        off, left = (abs(each[name] - float(wanted[name])) for each in (unknown, known))
        assert left < 0.7 * off
    assert known.noise_covariance("bb", "bb") < 0.1 * unknown.noise_covariance(
        "bb", "bb"
    )
    # Least squares: nothing of what is known to be zero is left in the squares.
    gap = known.loading("bb") - known.loading("wy")
    for name in ("aa", "ab", "bb"):
        both = known.noise.variance[0] * gap @ known.loading(name)
        assert both == pytest.approx(0, abs=1e-6 * known.noise.variance[0, 4])


@pytest.mark.parametrize(
    "plan",
    [
        labelled_plan(binary=False),
        labelled_plan(weighted=True),
        labelled_plan(limit=0.5),
    ],
    ids=["not-binary", "weighted", "cut-off"],
)
def test_squares_are_left_alone_where_labels_are_not_their_own(plan: Plan) -> None:
    release = focused_release(plan)
    names, found = moments_of(release).names, moments_of(release)
    exact = exact_moments(np.zeros((1, 5)), plan.measurements[0])
    assert (names, found.matrix.tolist()) == (exact.names, exact.matrix.tolist())
