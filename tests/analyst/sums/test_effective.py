"""Kish's effective sample size beside weighted answers, where a release tells it."""

from typing import Any

import numpy as np
import pytest

from analyst.given import SCORE_PER_LABEL, given_plan, given_release, noiseless, summed
from analyst.samples import paper_sums, plan_for, with_noise
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.arrays import Floats
from dpratio.plan.plan import Plan
from dpratio.simulation.population import PaperPopulation
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups

RNG = np.random.default_rng(3)
COLUMNS: dict[str, Floats] = {
    "s": RNG.random(900),
    "y": (RNG.random(900) < 0.5).astype(np.float64),
    "w": 1 / 3 + RNG.random(900) * 2,
}
CELLS: Floats = np.arange(900.0) % 2


def plan_of(*, weighted: bool = True, **terms: Any) -> Plan:  # noqa: ANN401
    weights = {"w": Bounds(1 / 3, 3)} if weighted else {}
    groups = Groups("region", ["a", "b"])
    return noiseless(given_plan(SCORE_PER_LABEL | weights, groups=groups, **terms))


@pytest.mark.parametrize(
    "terms",
    [
        {"strategy": "joint"},
        {"strategy": "even"},
        {"strategy": "focused", "answers": ("ratio", "means")},
    ],
    ids=str,
)
def test_it_is_the_squared_sum_of_weights_over_the_sum_of_squares(
    terms: dict[str, Any],
) -> None:
    plan = plan_of(**terms)
    found = estimate_ratios(given_release(plan, summed(plan, COLUMNS, CELLS)))
    table = found.columns()
    for at in (0, 1):
        weight = COLUMNS["w"][at == CELLS]
        wanted = weight.sum() ** 2 / (weight**2).sum()
        assert table["effective_people"][at] == pytest.approx(wanted, rel=1e-3)
    assert "Kish's effective sample size" in " ".join(found.notes())
    assert found.shown()["effective_people"][0].replace(",", "").isdigit()


@pytest.mark.parametrize(
    "terms",
    [{"weighted": False, "strategy": "joint"}, {"strategy": "focused"}],
    ids=str,
)
def test_where_it_is_not_told_it_is_not_shown(terms: dict[str, Any]) -> None:
    plan = plan_of(**terms)
    columns = {
        name: each
        for name, each in COLUMNS.items()
        if terms.get("weighted", True) or name != "w"
    }
    found = estimate_ratios(given_release(plan, summed(plan, columns, CELLS)))
    assert found.effective is None
    assert "effective_people" not in found.columns()
    assert "Kish's" not in " ".join(found.notes())


def test_noise_that_hides_it_withholds_it() -> None:
    plan = plan_for("joint", "laplace", 0.1, 30, weighted=True)
    sums = paper_sums(plan, 30, 200, seed=4)
    release = with_noise(plan, sums, Groups("sample", range(200)), 5)
    found = estimate_ratios(release)
    assert found.effective is not None
    lost = np.isnan(found.effective.people)
    assert lost.mean() > 0.5
    assert np.isnan(found.effective.noise[lost]).all()
    shown = found.shown()["effective_people"]
    assert {shown[at] for at in np.flatnonzero(lost)} == {"–"}


def test_its_noise_is_as_large_as_it_says() -> None:
    """2,000 releases of one sample: the deviation of all is that of each, by delta."""
    plan = plan_for("joint", "laplace", 2, 2_000, weighted=True)
    (sums,) = paper_sums(plan, 2_000, 1, seed=6)
    release = with_noise(
        plan, np.tile(sums, (2_000, 1)), Groups("sample", range(2_000)), 7
    )
    effective = estimate_ratios(release).effective
    assert effective is not None
    weight = PaperPopulation(1.1)(np.random.default_rng(6), 1, 2_000).weight
    assert weight is not None
    wanted = float(weight.sum()) ** 2 / float((weight**2).sum())
    assert effective.people.mean() == pytest.approx(wanted, rel=0.02)
    assert effective.people.std() == pytest.approx(effective.noise.mean(), rel=0.1)
