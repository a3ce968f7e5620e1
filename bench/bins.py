"""Bins at private quantiles: shares near 1/k, and the power of the test in them.

`python bench/bins.py` prints the table of docs/methods/bounds.md on bins.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import dpratio as dpr
from dpratio.analyst.bounds.propose_bins import find_bins
from dpratio.simulation import People
from dpratio.simulation.forecast import calibration_power

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]

BINS, CELLS, HISTOGRAM, SUMS, ALL = 10, 128, "0.1", "0.9", "1"
BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}
GRID = dpr.ScoreBins("score", CELLS).within(BOUNDS["score"])
HISTOGRAMS, SETS, SAMPLES = 200, 20, 25
# How many times as frequent as scores say labels are.
OFTEN = {2_000: 1.15, 8_000: 1.07}
LOW = 0.7


def _logit_normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return 1 / (1 + np.exp(1.5 - rng.normal(0, 1, shape)))


def _beta(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return rng.beta(3, 4, shape)


def _two_clusters(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    low = rng.random(shape) < LOW
    return np.where(low, rng.beta(4, 40, shape), rng.beta(12, 8, shape))


SHAPES: dict[str, Draw] = {
    "logit-normal": _logit_normal,
    "beta(3, 4)": _beta,
    "two clusters": _two_clusters,
}


def _proposed(score: Floats, rng: np.random.Generator) -> tuple[float, ...]:
    """Draw a histogram of people with its noise; give the edges it proposes."""
    scale = 1 / float(HISTOGRAM)
    counts = np.histogram(score, GRID.edges)[0]
    noisy = counts + np.round(rng.laplace(0, scale, CELLS)).astype(int)
    return find_bins(GRID, noisy.tolist(), scale=scale, asked=BINS).edges


def _power(
    draw: Draw, edges: Sequence[float], epsilon: str, n: int, seed: int, samples: int
) -> float:
    """Give the power of the test in such bins."""
    bins = dpr.ScoreBins("score", list(edges))
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds=BOUNDS,
        groups=bins,
        answers=("ratio", "calibration"),
        budget=dpr.Budget(epsilon),
        clipping="unmeasured",
    )

    def people(rng: np.random.Generator, repetitions: int, count: int) -> People:
        score = draw(rng, (repetitions, count))
        return People(score, score)

    # One plan and one seed for each set of edges, where the forecast has three and one.
    calibration_power._SEED = seed  # noqa: SLF001
    rejected = calibration_power._rejected  # noqa: SLF001
    return rejected([plan], people, bins, n, OFTEN[n], samples)[0]


def _said(share: float) -> str:
    error = math.sqrt(share * (1 - share) / (SETS * SAMPLES))
    return f"{share:.3f} ± {error:.3f}"


def _print_row(name: str, n: int) -> None:
    draw, rng = SHAPES[name], np.random.default_rng(n)
    off, found = [], []
    for _ in range(HISTOGRAMS):
        score = draw(rng, (n,))
        found.append(_proposed(score, rng))
        shares = np.histogram(score, found[-1])[0] / n
        off.append(np.sqrt(np.mean((shares - 1 / len(shares)) ** 2)))
    private = float(
        np.mean(
            [
                _power(draw, edges, SUMS, n, at, SAMPLES)
                for at, edges in enumerate(found[:SETS])
            ]
        )
    )
    inner = np.arange(1, BINS) / BINS
    everyone = draw(np.random.default_rng(1), (10**6,))
    others = [
        _power(draw, [0.0, *edges, 1.0], ALL, n, 99, SETS * SAMPLES)
        for edges in (np.quantile(everyone, inner), inner)
    ]
    error = np.std(off) / math.sqrt(HISTOGRAMS)
    sizes = np.mean([len(each) - 1 for each in found])
    powers = " | ".join(_said(each) for each in (private, *others))
    print(f"| {name} | {n:,} | {np.mean(off):.4f} ± {error:.4f} | {powers} | {sizes:g}")


if __name__ == "__main__":
    for shape in SHAPES:
        for people_counted in OFTEN:
            _print_row(shape, people_counted)
