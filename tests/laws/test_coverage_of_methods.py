"""Do the intervals cover? The paper's population, simulated; the paper's figures.

One release with many groups stands for many repetitions: every group is a data set
of its own, 5,000 people drawn from the paper's population, with its own noise.
"""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from analyst.given import given_release
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.estimates import Estimates
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import MOMENTS
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

PEOPLE = 5000
REPEATS = 8000
TRUTH = 1.1

# Miao & Li (2022), tables 1 and 3 (ratio) and 2 and 4 (log): n = 5,000, epsilon 1,
# delta 1e-6. Mean widths, and the coverage without correction.
PAPER = {
    ("classical_gaussian", False, "ratio"): {
        "analytical": 0.094,
        "monte_carlo": 0.094,
        "no_correction": 0.061,
        "uncorrected_coverage": 0.782,
    },
    ("classical_gaussian", True, "ratio"): {
        "analytical": 0.272,
        "monte_carlo": 0.274,
        "no_correction": 0.077,
        "uncorrected_coverage": 0.398,
    },
    ("laplace", False, "ratio"): {
        "analytical": 0.064,
        "monte_carlo": 0.064,
        "no_correction": 0.061,
        "uncorrected_coverage": 0.936,
    },
    ("laplace", True, "ratio"): {
        "analytical": 0.102,
        "monte_carlo": 0.102,
        "no_correction": 0.078,
        "uncorrected_coverage": 0.853,
    },
    ("classical_gaussian", True, "log"): {
        "analytical": 0.247,
        "monte_carlo": 0.247,
        "no_correction": 0.070,
        "uncorrected_coverage": 0.395,
    },
    ("laplace", True, "log"): {
        "analytical": 0.092,
        "monte_carlo": 0.092,
        "no_correction": 0.071,
        "uncorrected_coverage": 0.854,
    },
}
CELLS = sorted(PAPER)


@cache
def exact_sums() -> dict[bool, NDArray[np.float64]]:
    """The seven sums of every data set, without and with weights."""
    rng = np.random.default_rng(20220901)
    parts: dict[bool, list[NDArray[np.float64]]] = {False: [], True: []}
    at_once = 200
    for _ in range(REPEATS // at_once):
        shape = (at_once, PEOPLE)
        s = rng.beta(2, 2, size=shape)
        y = (rng.random(shape) < s / TRUTH).astype(float)
        w = np.clip(rng.exponential(size=shape), 1 / 3, 3)
        ones, s_squared, product = np.ones(shape), s * s, y * s
        for weighted, each in ((False, ones), (True, w)):
            columns = (ones, y, s, each, y, s_squared, product)
            sums = [np.einsum("ij,ij->i", each, column) for column in columns]
            parts[weighted].append(np.stack(sums, axis=1))
    return {weighted: np.concatenate(blocks) for weighted, blocks in parts.items()}


def plan_of(mechanism: str, *, weighted: bool) -> Plan:
    weights = {"weight": Bounds(1 / 3, 3)} if weighted else {}
    return make_plan(
        Ratio("score", per="label", weight="weight" if weighted else None),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary(), **weights},
        budget=Budget(1, "1e-6"),
        groups=Groups("repeat", range(REPEATS)),
        strategy="even",
        mechanism=mechanism,
        clipping="unmeasured",
    )


@cache
def noisy_release(mechanism: str, *, weighted: bool) -> Release:
    """Add noise of the planned law and scale to exact sums, rounded to cells."""
    plan = plan_of(mechanism, weighted=weighted)
    rng = np.random.default_rng([2, mechanism == "laplace", weighted])
    columns = []
    for each in plan.measurements[0].sums:
        exact = exact_sums()[weighted][:, MOMENTS.index(each.summand.name)] / each.step
        draw = rng.laplace if mechanism == "laplace" else rng.normal
        noise = draw(scale=each.scale, size=REPEATS)
        columns.append(np.rint(exact + noise))
    values = np.stack(columns, axis=1).astype(np.int64)
    return given_release(plan, values, is_simulated=True)


@cache
def answers(mechanism: str, weighted: bool, link: str, method: str) -> Estimates:  # noqa: FBT001
    release = noisy_release(mechanism, weighted=weighted)
    return estimate_ratios(release, method=method, link=link, rng=9)


def coverage(found: Estimates) -> float:
    covered = (found.ci_lower <= TRUTH) & (found.ci_upper >= TRUTH)
    return float(covered.mean())


def mean_width(found: Estimates) -> float:
    ends = found.ci_upper, found.ci_lower
    if found.log_ci_lower is not None and found.log_ci_upper is not None:
        ends = found.log_ci_upper, found.log_ci_lower
    return float((ends[0] - ends[1]).mean())


def five_sigma(probability: float) -> float:
    return 5 * float(np.sqrt(probability * (1 - probability) / REPEATS))


@pytest.mark.parametrize(("mechanism", "weighted", "link"), CELLS)
@pytest.mark.parametrize("method", ["analytical", "monte_carlo"])
def test_corrected_intervals_cover_as_in_the_paper(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    link: str,
    method: str,
) -> None:
    found = coverage(answers(mechanism, weighted, link, method))
    assert 0.94 - five_sigma(0.94) < found < 0.955 + five_sigma(0.955)


@pytest.mark.parametrize(("mechanism", "weighted", "link"), CELLS)
def test_intervals_without_correction_cover_too_little(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    link: str,
) -> None:
    found = coverage(answers(mechanism, weighted, link, "no_correction"))
    printed = PAPER[mechanism, weighted, link]["uncorrected_coverage"]
    corrected = coverage(answers(mechanism, weighted, link, "analytical"))
    assert found < corrected - 0.005
    # The paper's own figure comes from 1,000 repetitions.
    paper_noise = 4 * float(np.sqrt(printed * (1 - printed) / 1000))
    assert abs(found - printed) < five_sigma(printed) + paper_noise


@pytest.mark.parametrize(("mechanism", "weighted", "link"), CELLS)
@pytest.mark.parametrize("method", ["analytical", "monte_carlo", "no_correction"])
def test_intervals_are_as_wide_as_in_the_paper(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    link: str,
    method: str,
) -> None:
    found = mean_width(answers(mechanism, weighted, link, method))
    assert found == pytest.approx(PAPER[mechanism, weighted, link][method], rel=0.03)


@pytest.mark.parametrize(("mechanism", "weighted", "link"), CELLS)
def test_every_data_set_of_the_paper_has_a_bounded_interval(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    link: str,
) -> None:
    statuses = answers(mechanism, weighted, link, "analytical").status
    assert "unbounded" not in statuses


@pytest.mark.parametrize(("mechanism", "weighted", "link"), CELLS)
def test_the_privacy_part_is_the_spread_that_noise_adds(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    link: str,
) -> None:
    """The mean of its square is how far noise moves the ratio of the same people."""
    if link == "log":
        return
    found = answers(mechanism, weighted, link, "analytical")
    sums = exact_sums()[weighted]
    public = sums[:, MOMENTS.index("ws")] / sums[:, MOMENTS.index("wy")]
    moved = float(np.var(found.ratio - public))
    assert float(np.mean(found.se_privacy**2)) == pytest.approx(moved, rel=0.12)
    assert float(np.mean(found.se_sampling**2)) == pytest.approx(
        float(np.var(public)), rel=0.08
    )
