from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import ks_2samp

import dpratio as dpr
from dpratio.curator.entropy import system_bits
from dpratio.curator.noise import draw_noise
from dpratio.plan.plan import Plan
from dpratio.study.population import PaperPopulation, People
from dpratio.study.simulate import (
    Seeds,
    clip_people,
    in_parallel,
    simulate_release,
    simulate_sums,
    sum_products,
)

PRODUCTS = [(), ("w",), ("w", "s"), ("w", "y", "s"), ("w", "s", "s"), ("y",)]


def plan_with(mechanism: str, keys: int = 1) -> Plan:
    return dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        budget=dpr.Budget(1, 1e-6),
        mechanism=mechanism,
        groups=dpr.Groups("key", range(keys)),
    )


def test_sums_of_products_equal_plain_loops() -> None:
    rng = np.random.default_rng(1)
    people = People(*(rng.random((3, 40)) for _ in range(3)))
    sums = sum_products(people, PRODUCTS)
    assert people.weight is not None
    columns = {"s": people.score, "y": people.label, "w": people.weight}
    for repetition in range(3):
        for index, factors in enumerate(PRODUCTS):
            total = 0.0
            for person in range(40):
                product = 1.0
                for factor in factors:
                    product *= columns[factor][repetition, person]
                total += product
            assert sums[repetition, index] == pytest.approx(total, rel=1e-12)


def simulated(workers: int) -> dict[str, np.ndarray]:
    return simulate_sums(
        PaperPopulation(),
        {"all": (lambda people: people, PRODUCTS)},
        count=300,
        repetitions=120,
        seeds=Seeds(9),
        workers=workers,
    )


def test_the_number_of_workers_changes_nothing() -> None:
    assert np.array_equal(simulated(1)["all"], simulated(4)["all"])


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


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_simulated_noise_agrees_with_the_curators_in_distribution(
    mechanism: str,
) -> None:
    """The same test tells noise that is 10 % too small."""
    plan = plan_with(mechanism, keys=40_000)
    curator = draw_noise(plan, system_bits)
    rng = np.random.default_rng(2)
    release = simulate_release(np.zeros((40_000, 6)), plan, rng)
    for index in range(6):
        ours, theirs = release.values[:, index], curator[:, index]
        assert ks_2samp(ours, theirs).pvalue > 1e-9
    pooled = [(part / plan_scales(plan)).ravel() for part in (release.values, curator)]
    assert ks_2samp(*pooled).pvalue > 1e-9
    assert ks_2samp(pooled[0] * 0.9, pooled[1]).pvalue < 1e-9


def plan_scales(plan: Plan) -> np.ndarray:
    return np.array([each.scale for each in plan.sums])


def test_simulated_releases_are_stamped_and_hold_the_sums() -> None:
    plan = plan_with("laplace")
    sums = np.full((5, 6), 1e9)
    release = simulate_release(sums, plan, np.random.default_rng(1))
    assert release.is_simulated
    assert "SIMULATED" in str(release)
    steps = np.array([each.step for each in plan.sums])
    assert release.values * steps == pytest.approx(sums, rel=1e-5)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_drops_the_work_that_has_not_started(workers: int) -> None:
    started: list[int] = []

    def work(task: int) -> int:
        started.append(task)
        if task == 1:
            raise KeyboardInterrupt
        return task

    with pytest.raises(KeyboardInterrupt):
        in_parallel(slowly(work), range(2_000), workers)
    assert len(started) < 1_000


def slowly(work: Callable[[int], int]) -> Callable[[int], int]:
    from time import sleep

    def slow(task: int) -> int:
        sleep(0.001)
        return work(task)

    return slow
