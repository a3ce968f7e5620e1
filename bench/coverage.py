"""Time of the paper's four tables against a loop over single runs.

The baseline is the paper's procedure as one would first write it in NumPy: one sample,
one noise draw, three methods at a time. A part of its 64,000 runs is timed and scaled.
"""

import json
import resource
import time
from collections.abc import Iterator
from itertools import product

import numpy as np
from figure import Figure
from fresh_process import run_fresh

REPETITIONS = 1_000
TIMED_REPETITIONS = 12
DRAWS = 200
# Table, whether it is weighted, people, epsilon.
SETTINGS = list(
    product((1, 2, 3, 4), (False, True), (5_000, 10_000), (0.2, 0.5, 1.0, 4.0))
)


def figures() -> Iterator[Figure]:
    """Measure speed, growth with repetitions, and memory."""
    from dpratio.simulation.paper.paper import reproduce_paper

    reproduce_paper(repetitions=50, rng=1)
    rng = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(TIMED_REPETITIONS):
        for setting in SETTINGS:
            one_run(*setting, rng)
    loop = (time.perf_counter() - start) * REPETITIONS / TIMED_REPETITIONS
    ours = min(timed(REPETITIONS, seed) for seed in range(5))
    yield Figure("paper_tables_times_faster_than_loop", loop / ours, ">=60")
    yield Figure("paper_tables_seconds", ours, "-")
    four_times = timed(4_000, 1)
    yield Figure("paper_tables_time_per_repetition_4x", four_times / ours / 4, "~1")
    memory = run_fresh(__file__)["memory"]
    yield Figure("paper_tables_peak_memory_gb", memory, "<1")


def timed(repetitions: int, seed: int) -> float:
    """Time one reproduction of all four tables."""
    from dpratio.simulation.paper.paper import reproduce_paper

    start = time.perf_counter()
    reproduce_paper(repetitions=repetitions, rng=seed)
    return time.perf_counter() - start


def one_run(
    table: int,
    weighted: bool,  # noqa: FBT001
    n: int,
    epsilon: float,
    rng: np.random.Generator,
) -> list[tuple[float, float]]:
    """Do the paper's procedure once."""
    s = rng.beta(2, 2, n)
    y = rng.binomial(1, s / 1.1)
    w = np.clip(rng.exponential(1, n), 1 / 3, 3) if weighted else np.ones(n)
    sums = np.array(
        [
            np.sum(w),
            np.sum(w * y),
            np.sum(w * s),
            np.sum(w**2),
            np.sum(w * s**2),
            np.sum(w * y * s),
        ]
    )
    count, largest = (6, 3.0) if weighted else (5, 1.0)
    share, delta = epsilon / count, 1e-6 / count
    is_laplace = table > 2  # noqa: PLR2004
    draw = rng.laplace if is_laplace else rng.normal
    scale = largest / share
    if not is_laplace:
        scale *= np.sqrt(2 * np.log(1.25 / delta))
    noisy = sums + draw(0, scale, 6)
    variance = scale**2 * (2 if is_laplace else 1)
    is_log = table % 2 == 0
    with np.errstate(all="ignore"):
        extra = redraw(noisy, draw(0, scale, (2, DRAWS)), is_log=is_log)
        public = interval(sums, 0.0, 0.0, is_log=is_log)
        ignored = interval(noisy, 0.0, 0.0, is_log=is_log)
        simulated = interval(noisy, 0.0, extra, is_log=is_log)
        corrected = interval(noisy, variance, 0.0, is_log=is_log)
    return [public, ignored, simulated, corrected]


def redraw(noisy: np.ndarray, noise: np.ndarray, *, is_log: bool) -> float:
    """Estimate the extra variance by Monte Carlo."""
    ratio = noisy[2] / noisy[1]
    moved = (noisy[2] + noise[0]) / (noisy[1] + noise[1])
    if is_log:
        ratio, moved = np.log(ratio), np.log(moved)
    return float(np.mean((moved - ratio) ** 2))


def interval(
    sums: np.ndarray, noise: float, extra: float, *, is_log: bool
) -> tuple[float, float]:
    """Give the Wald interval of one sample."""
    w, wy, ws, ww, wss, wys = sums
    mean_s, mean_y = ws / w, wy / w
    var_s = ww * (wss / w - mean_s**2) + noise
    var_y = ww * (wy / w - mean_y**2) + noise
    cov = ww * (wys / w - mean_s * mean_y)
    if is_log:
        centre = np.log(ws / wy)
        variance = var_s / ws**2 - 2 * cov / (ws * wy) + var_y / wy**2
    else:
        centre = ws / wy
        variance = var_s / wy**2 - 2 * ws / wy**3 * cov + ws**2 / wy**4 * var_y
    reach = 1.96 * np.sqrt(variance + extra)
    return float(centre - reach), float(centre + reach)


if __name__ == "__main__":
    timed(REPETITIONS, 1)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"memory": most / 2**20}))
