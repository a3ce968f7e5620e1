import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp

import dpratio as dpr
from curator import oracle
from dpratio.curator.noise.entropy import system_bits
from dpratio.curator.noise.rounded import draw_noise
from dpratio.curator.statements import readings_of
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.simulation.population import PaperPopulation, People
from dpratio.simulation.simulate import (
    Seeds,
    View,
    clip_people,
    simulate_release,
    simulate_sums,
    steps_of,
    sum_products,
    view_of,
)

PRODUCTS = [(), ("w",), ("w", "s"), ("w", "y", "s"), ("w", "s", "s"), ("y",)]
FOCUSED = [("z",), ("h",), ("z", "z"), ("z", "h"), ("h", "h"), ("w",), ("w", "z")]
CONTRASTS = [
    Contrast(guess, limit) for guess in (1.0, 0.0, -2.0, 1 / 3) for limit in (None, 0.3)
]


def plan_with(mechanism: str, keys: int = 1, strategy: str = "even") -> Plan:
    return dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        budget=dpr.Budget(1, 1e-6),
        strategy=strategy,
        mechanism=mechanism,
        groups=dpr.Groups("key", range(keys)),
        clipping="unmeasured",
    )


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("contrast", [None, *CONTRASTS], ids=str)
def test_sums_of_products_equal_plain_loops(
    contrast: Contrast | None, *, weighted: bool
) -> None:
    rng = np.random.default_rng(1)
    score, label, weight = (rng.random((3, 40)) for _ in range(3))
    people = People(score, label, weight if weighted else None)
    products = [*PRODUCTS, *(FOCUSED if contrast else [])]
    products = [each for each in products if weighted or "w" not in each]
    sums = sum_products(people, products, contrast)
    guess = contrast.centre if contrast else 0.0
    most = contrast.limit if contrast and contrast.limit else np.inf
    for repetition in range(3):
        totals = [0.0] * len(products)
        for person in range(40):
            s, y = score[repetition, person], label[repetition, person]
            w = weight[repetition, person] if weighted else 1.0
            z = min(max(w * (s - guess * y), -most), most)
            h = w * y if guess == 0 else w * (s + guess * y)
            values = {"s": s, "y": y, "z": z, "h": h, "w": w}
            for index, factors in enumerate(products):
                totals[index] += math.prod(values[factor] for factor in factors)
        assert sums[repetition] == pytest.approx(totals, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "terms",
    [
        {"guess": 1.0},
        {"guess": 0.0, "residual_bound": 0.5},
        {"guess": -2.0, "residual_bound": 1.5},
        {"guess": 1 / 3},
    ],
    ids=str,
)
def test_simulated_sums_of_a_focused_plan_are_those_of_the_curator(
    terms: dict[str, float],
) -> None:
    """The same people, as one table: they differ by half a cell a row at most."""
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight", **terms),  # type: ignore[arg-type]
        bounds={
            "score": dpr.Bounds(0, 0.9),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(0.5, 2),
        },
        budget=dpr.Budget(1),
        answers=("ratio", "means"),
        clipping="unmeasured",
    )
    people = PaperPopulation()(np.random.default_rng(4), 1, 400)
    assert people.weight is not None
    (sums,) = view_of(plan, plan.measurements[0]).sums(people)
    table = {
        "score": people.score[0].tolist(),
        "label": people.label[0].tolist(),
        "weight": people.weight[0].tolist(),
    }
    (reading,) = readings_of(plan, [None])
    (exact,) = oracle.add_up(table, reading)
    (cells,) = exact.plus(np.zeros((1, len(plan.measurements[0].sums)), np.int64))
    steps = np.array([each.step for each in plan.measurements[0].sums])
    assert np.all(np.abs(sums / steps - cells) <= 0.5 * 400 + 1)


def test_the_same_seed_gives_the_same_people_in_steps_of_fifty() -> None:
    def simulated(seed: int) -> np.ndarray:
        done: list[int] = []
        sums = simulate_sums(
            PaperPopulation(),
            {"all": View(People.without_weight, [("s",), ("y", "s")])},
            count=4_000,
            repetitions=230,
            seeds=Seeds(seed),
            tick=lambda: done.append(1),
        )
        assert len(done) == steps_of(230) == 5
        return sums["all"]

    assert np.array_equal(simulated(9), simulated(9))
    assert len(np.unique(simulated(9)[:, 0])) == 230
    assert not np.array_equal(simulated(9), simulated(8))


@pytest.mark.parametrize("at_once", [1, 700, 10**9])
def test_how_many_people_are_seen_at_once_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    view = View(lambda people: people, [("s",), ("w", "y"), ("s", "s")])

    def sums() -> Any:  # noqa: ANN401
        return simulate_sums(
            PaperPopulation(), {1: view}, count=333, repetitions=7, seeds=Seeds(2)
        )[1]

    expected = sums()
    monkeypatch.setattr("dpratio.simulation.simulate._SEEN_AT_ONCE", at_once)
    assert np.array_equal(sums(), expected)


def test_people_are_clipped_as_the_curator_clips() -> None:
    bounds = {
        "s": dpr.Bounds(0, 1),
        "y": dpr.Bounds.binary(),
        "w": dpr.Bounds(0.5, 2),
    }
    people = People(
        np.array([[-1.0, 0.4, 7.0]]),
        np.array([[0.49, 0.5, 3.0]]),
        np.array([[0.0, 1.0, 9.0]]),
    )
    clipped = clip_people(people, bounds)
    assert clipped.score.tolist() == [[0, 0.4, 1]]
    assert clipped.label.tolist() == [[0, 1, 1]]
    assert clipped.weight is not None
    assert clipped.weight.tolist() == [[0.5, 1, 2]]
    unweighted = clip_people(people, {"s": bounds["s"], "y": bounds["y"]})
    assert unweighted.weight is None


@pytest.mark.parametrize("strategy", ["even", "focused"])
@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_simulated_noise_agrees_with_the_curators_in_distribution(
    mechanism: str, strategy: str
) -> None:
    """The same test tells noise that is 10 % too small."""
    plan = plan_with(mechanism, keys=40_000, strategy=strategy)
    (measured,) = plan.measurements
    curator = draw_noise(plan.law, measured.scales, 40_000, system_bits)
    rng = np.random.default_rng(2)
    sums = len(measured.sums)
    release = simulate_release(np.zeros((40_000, sums)), plan, measured, rng)
    for index in range(sums):
        ours, theirs = release.questions[0].values[:, index], curator[:, index]
        assert ks_2samp(ours, theirs).pvalue > 1e-9
    scales = np.array(measured.scales)
    drawn = (release.questions[0].values, curator)
    pooled = [(each / scales).ravel() for each in drawn]
    assert ks_2samp(*pooled).pvalue > 1e-9
    assert ks_2samp(pooled[0] * 0.9, pooled[1]).pvalue < 1e-9


def test_simulated_releases_are_stamped_and_hold_the_sums() -> None:
    plan = plan_with("laplace")
    sums = np.full((5, 6), 1e9)
    release = simulate_release(
        sums, plan, plan.measurements[0], np.random.default_rng(1)
    )
    assert release.is_simulated
    assert "SIMULATED" in str(release)
    steps = np.array([each.step for each in plan.measurements[0].sums])
    assert release.questions[0].values * steps == pytest.approx(sums, rel=1e-5)


def test_simulated_people_are_cut_as_the_curator_cuts() -> None:
    """By their bounds, unless they are natural, and by the limit of z."""
    people = People(
        np.array([[0.5, 2.0, -1.0, 0.9]]),
        np.array([[1.0, 7.0, 1.0, 0.0]]),
        np.array([[1.0, 1.0, 9.0, 1.0]]),
    )
    box = {"s": dpr.Bounds(0, 1), "y": dpr.Bounds(0, 1), "w": dpr.Bounds(0.5, 3)}
    natural = {"s": dpr.Bounds(0, 1, natural=True), "y": dpr.Bounds.binary()}
    assert clip_people(people, box).cut is None
    once = clip_people(people, box, counts_cuts=True)
    assert once.cut is not None
    assert once.cut.tolist() == [[0, 1, 1, 0]]
    again = clip_people(once, box, counts_cuts=True)
    assert again.cut is not None
    assert again.cut.tolist() == [[0, 1, 1, 0]]
    kept = clip_people(people, natural, counts_cuts=True)
    assert sum_products(kept, [("c",)]).tolist() == [[0.0]]
    limited = Contrast(1.0, limit=0.6)
    assert sum_products(kept, [("c",)], limited).tolist() == [[2.0]]
    assert sum_products(once, [("c",)], Contrast(1.0)).tolist() == [[2.0]]


@pytest.mark.parametrize("stage", [None, 0.2])
def test_coverage_and_forecasts_know_plans_that_count(stage: float | None) -> None:
    population = dpr.Population(dpr.MeanSd(0.5, 0.2), dpr.MeanSd(0.4))
    terms: dict[str, Any] = {
        "bounds": {"s": dpr.Bounds(0, 0.8), "y": dpr.Bounds.binary()},
        "budget": dpr.Budget(1),
        "stage": stage,
        "n": 2_000,
        "population": population,
    }
    ratio = dpr.Ratio("s", per="y")
    plain, counted = (
        dpr.make_plan(ratio, clipping=each, **terms)
        for each in ("unmeasured", "measured")
    )
    narrow, wide, again = (
        dpr.forecast(each, n=2_000, population=population, epsilon=epsilon)
        .rows[0]
        .width
        for each, epsilon in ((plain, None), (counted, None), (counted, 1))
    )
    assert 0.99 * narrow < wide < 1.05 * narrow
    assert again == pytest.approx(wide, rel=0.02)


def test_the_power_of_a_test_of_calibration_knows_of_the_count() -> None:
    counted, plain = (
        dpr.make_plan(
            dpr.Ratio("s", per="y", guess=1.0),
            bounds={"s": dpr.Bounds(0, 1), "y": dpr.Bounds.binary()},
            budget=dpr.Budget(1),
            groups=dpr.ScoreBins("s", 2),
            answers=("ratio", "calibration"),
            clipping=each,
        )
        for each in ("measured", "unmeasured")
    )
    found = [
        dpr.simulation.calibration_power(each, n=1_500, samples=50).to_dicts()
        for each in (counted, plain)
    ]
    assert [list(row) for row in found[0]] == [list(row) for row in found[1]]
