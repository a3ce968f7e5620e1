"""Make the release that `example_release` gives, from people who are invented.

The noise is drawn from the operating system, so every run makes another one. Documents
show the figures of the one that is kept: run it again only for a reason.
"""

from pathlib import Path

import numpy as np

import dpratio as dpr

TARGET = Path("src/dpratio/release/example_release.json")
REGIONS = {"north": 1.0, "east": 1.05, "south": 1.1, "west": 1.2}
PEOPLE = 5_000


def main() -> None:
    """Invent people in four regions, release their sums, and write them."""
    rng = np.random.default_rng(4)
    drawn = [
        dpr.simulation.PaperPopulation(ratio)(rng, 1, PEOPLE)
        for ratio in REGIONS.values()
    ]
    table = {
        "score": np.concatenate([each.score[0] for each in drawn]).astype(float),
        "label": np.concatenate([each.label[0] for each in drawn]).astype(int),
        "region": np.repeat(list(REGIONS), PEOPLE),
    }
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        groups=[dpr.Groups("region", list(REGIONS)), dpr.ScoreBins("score", 5)],
        answers=("ratio", "means", "spread"),
        strategy="joint",
        budget=dpr.Budget(epsilon=2),
    )
    release = dpr.release_sums(table, plan, ledger=None, simulated=True)
    dpr.write_release(release, TARGET, replace=True)


if __name__ == "__main__":
    main()
