"""Make the releases that `example_release` gives, from people who are invented.

The noise is drawn from the operating system, so every run makes others. Documents
show the figures of those that are kept: run it again only for a reason, and name the
strategies to make again.
"""

import sys
from pathlib import Path

import numpy as np

import dpratio as dpr

TARGETS = {
    ("focused", ("ratio", "means")): "example_release.json",
    ("joint", ("ratio", "means", "spread")): "example_release_joint.json",
}
FOLDER = Path("src/dpratio/release")
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
    for (strategy, answers), name in TARGETS.items():
        if strategy not in sys.argv[1:]:
            continue
        # The joint one is what the first version wrote.
        score = dpr.Bounds(0, 1, natural=strategy == "focused")
        plan = dpr.make_plan(
            dpr.Ratio("score", per="label"),
            bounds={"score": score, "label": dpr.Bounds.binary()},
            groups=[dpr.Groups("region", list(REGIONS)), dpr.ScoreBins("score", 5)],
            answers=answers,
            strategy=strategy,
            budget=dpr.Budget(epsilon=2),
            clipping="unmeasured",
        )
        release = dpr.release_sums(table, plan, ledger=None, simulated=True)
        dpr.write_release(release, FOLDER / name, replace=True)


if __name__ == "__main__":
    main()
