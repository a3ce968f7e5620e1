"""Whether a release says that bounds cut people: where they did, and where not.

`python bench/clipping.py` prints the table of docs/methods/bounds.md. Everything is
drawn from the planner's own noise; seeds are fixed.
"""

from concurrent.futures import ProcessPoolExecutor
from typing import cast

import numpy as np
from numpy.typing import NDArray

import dpratio as dpr
from dpratio.analyst.ratio.estimate import clipping_of
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import Noise
from dpratio.analyst.tables.clipping import Clipping
from dpratio.plan.laws import LAPLACE

Floats = NDArray[np.float64]

REPEATS, ALARMS = 10_000, 100_000
LAWS = {"Laplace": "laplace", "Gaussian, δ = 10⁻⁶": "analytic_gaussian"}
ROWS = (1, 4, 20, 100, 1_000)
CASES = [
    *((law, "focused", "1", rows) for law in LAWS for rows in ROWS),
    *(("Gaussian, δ = 10⁻⁶", "focused", epsilon, 1) for epsilon in ("0.1", "10")),
    ("Gaussian, δ = 10⁻⁶", "even", "1", 1),
]


class Counts:
    """The counts of a plan's releases, with its noise and nothing else."""

    def __init__(self, law: str, strategy: str, epsilon: str, rows: int) -> None:
        plan = dpr.make_plan(
            dpr.Ratio("s", per="y", guess=40.0),  # No stage: it has a share.
            bounds={"s": dpr.Bounds(0, 400), "y": dpr.Bounds(0, 10)},
            groups=dpr.Groups("g", range(rows)),
            budget=dpr.Budget(epsilon, "1e-6"),
            mechanism=LAWS[law],
            strategy=strategy,
        )
        self.seen_from = next(
            int(line.split("Cuts of ")[1].split()[0].replace(",", ""))
            for line in plan.summary()
            if "Cuts of " in line
        )
        count = plan.measurements[0].sums[-1]
        self.epsilon, self.rows = float(epsilon), rows
        self.deviation = plan.law.sd(count.scale) * count.step
        self.laplace = count.scale * count.step if plan.law == LAPLACE else 0.0
        self.rng = np.random.default_rng(
            [rows, CASES.index((law, strategy, epsilon, rows))]
        )

    def release(self, cut: Floats) -> Clipping:
        """Draw one release of such counts, and read it."""
        noise = (
            self.rng.laplace(0, self.laplace, self.rows)
            if self.laplace
            else self.rng.normal(0, self.deviation, self.rows)
        )
        known = Noise(np.array([[self.deviation**2]]), np.array([[self.laplace]]))
        moments = Moments(("c",), (cut + noise)[:, None], np.eye(1), known)
        return cast("Clipping", clipping_of([moments], [False], "people"))

    def shares(self, cut: Floats, repeats: int = REPEATS) -> tuple[float, float, float]:
        """How often a release says so, calls its first row, and holds its count."""
        said, first, holds = 0, 0, 0
        for _ in range(repeats):
            found = self.release(cut)
            said += bool(found.briefly())
            first += bool(found.is_clipped[0])
            holds += bool(found.lower[0] <= cut[0] <= found.upper[0])
        return said / repeats, first / repeats, holds / repeats

    def one(self, people: float) -> Floats:
        """Cuts in the first row alone."""
        return np.where(np.arange(self.rows) == 0, people, 0.0)


def line_of(case: tuple[str, str, str, int]) -> str:
    """Simulate a case; give its row of the table."""
    law, strategy, epsilon, rows = case
    counts = Counts(*case)
    nobody, _, _ = counts.shares(counts.one(0), ALARMS)
    _, half, _ = counts.shares(counts.one(50 / counts.epsilon))
    _, whole, holds = counts.shares(counts.one(100 / counts.epsilon))
    _, found, _ = counts.shares(counts.one(counts.seen_from))
    every, _, _ = counts.shares(np.full(rows, 20 / counts.epsilon))
    name = law if strategy == "focused" else f"{law}, `even`"
    return (
        f"| {name} | {epsilon} | {rows:,} | {nobody:.3f} | {half:.3f} | {whole:.3f} | "
        f"{holds:.3f} | {counts.seen_from * counts.epsilon:.0f}: {found:.3f} | "
        f"{every:.3f} |"
    )


def main() -> None:
    """Print a row of the table for each case."""
    print(
        "| noise | ε | rows | nobody cut | one row: c·ε = 50 | 100 | interval "
        "holds c | as planned | every row: 20 |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor() as pool:
        for line in pool.map(line_of, CASES):
            print(line, flush=True)


if __name__ == "__main__":
    main()
