"""Time of all pairs of a thousand groups, and the grid of sizes and coverages.

``python bench/run.py compare`` prints the time; ``python bench/compare.py`` prints the
grids that docs/methods/comparisons.md shows: 20,000 null runs in each setting, and
20,000 runs of two months that share people.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from figure import Figure
from fresh_process import THREADS, run_fresh, second_time

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

RUNS = 20_000
GROUPS = 1_000


def figures() -> Iterator[Figure]:
    """Measure 499,500 comparisons with intervals and adjusted p-values."""
    for threads in THREADS:
        spent = run_fresh(__file__, "all_pairs", threads=threads)["cpu"]
        yield Figure(f"compare.all_pairs_cpu_s_{threads}_threads", spent, "<=5")


def all_pairs() -> dict[str, float]:
    """Compare all pairs of a thousand groups."""
    from analyst.simulated import Setting, many_cells_release
    from dpratio.analyst.comparison.compare import compare_ratios

    release = many_cells_release(Setting(5_000, 1), GROUPS)
    return second_time(lambda: compare_ratios(release, adjust="holm"))


def grid() -> Iterator[str]:
    """Measure sizes at 0.05 and coverages at 0.95; each has a standard error of 0.0015.

    Homogeneity is that of five groups.
    """
    from analyst.simulated import SETTINGS, Setting, many_cells
    from dpratio.analyst.comparison.homogeneity import common_ratio
    from dpratio.analyst.comparison.hypothesis import AgainstValue, Between
    from dpratio.analyst.ratio.tail import pvalues_of, quantile_of

    every = np.arange(RUNS)
    extra = [Setting(5_000, 0.2, weighted=True), Setting(200, 0.2), Setting(60, 0.2)]
    yield (
        "| setting | two-sided | greater | less | against a value | homogeneity "
        "| difference covers | quotient covers | bounded |"
    )
    yield "|---" * 9 + "|"
    for setting in (*SETTINGS, *extra):
        one, two = (many_cells(setting, RUNS, seed=seed) for seed in (11, 12))
        far = many_cells(setting, RUNS, ratio=1.3, seed=13)
        null = Between(one, two, (every, every), "difference").deviates(0.0)
        value = AgainstValue(one, 1.1, "difference").deviates(0.0)
        cells = many_cells(setting, 5 * RUNS, seed=14)
        row = [
            *(
                (pvalues_of(null, each) < 0.05).mean()  # noqa: PLR2004
                for each in ("two-sided", "greater", "less")
            ),
            (pvalues_of(value, "two-sided") < 0.05).mean(),  # noqa: PLR2004
            (common_ratio(cells, 5).pvalue < 0.05).mean(),  # noqa: PLR2004
        ]
        contest = Between(far, one, (every, every), "difference")
        for link, truth in (("difference", 0.2), ("log_ratio", np.log(1.3 / 1.1))):
            ends = replace(contest, link=link).ends(quantile_of(0.95, "two-sided"))
            row.append(((ends.lower <= truth) & (truth <= ends.upper)).mean())
        row.append((ends.has_lower & ends.has_upper).mean())
        yield f"| {setting} | " + " | ".join(f"{each:.4f}" for each in row) + " |"


def drowned() -> Iterator[str]:
    """Measure sizes and coverages of sums near their noise, with a single ratio."""
    from analyst.simulated import DROWNED, drowned_cells
    from dpratio.analyst.comparison.hypothesis import Between
    from dpratio.analyst.ratio.tail import pvalues_of

    every = np.arange(RUNS)
    yield "| noise | ratio | sizes | greater | less | 95 % covers | 99 % covers |"
    yield "|---" * 7 + "|"
    for mechanism, ratio, sizes in DROWNED:
        sides = [
            drowned_cells(mechanism, ratio, size, RUNS, seed=seed)
            for seed, size in enumerate(sizes)
        ]
        first, second = sides
        found = Between(first, second, (every, every), "difference").deviates(0.0)
        above, below = (
            (pvalues_of(found, each) < 0.05).mean()  # noqa: PLR2004
            for each in ("greater", "less")
        )
        both = pvalues_of(found, "two-sided")
        covers = [(both >= level).mean() for level in (0.05, 0.01)]
        row = (above, below, *covers)
        one, two = sizes
        yield (
            f"| {mechanism} | {ratio} | {one}, {two} | "
            + " | ".join(f"{each:.4f}" for each in row)
            + " |"
        )


def tails() -> Iterator[str]:
    """Measure tests of one side of people with tails, beside 5,000 alike.

    With V as it is estimated, and at least as it is under the hypothesis.
    """
    from new_people import PUBLISHED, new_people

    from analyst.simulated import real_release
    from dpratio.analyst.comparison.comparison_target import ComparisonTarget
    from dpratio.analyst.comparison.hypothesis import Between
    from dpratio.analyst.ratio.tail import pvalues_of
    from real_people import real_people

    listed = real_people() | {name: new_people(name) for name in PUBLISHED}
    every = np.arange(RUNS)
    yield "| people | n | epsilon | greater | less | lower reach | upper reach |"
    yield "|---" * 7 + "|"
    for name, drawn in listed.items():
        for people, epsilon in ((100, 20), (300, 20), (500, 4), (500, 0.5)):
            sizes, reaches = [], []
            for is_one_sided in (False, True):
                sides = [
                    ComparisonTarget.of(
                        real_release(drawn, count, epsilon, RUNS, seed=count),
                        (),
                        question=None,
                        variance=None,
                        is_one_sided=is_one_sided,
                    ).statistic
                    for count in (people, 5_000)
                ]
                first, second = sides
                contest = Between(first, second, (every, every), "difference")
                found = contest.deviates(0.0)
                sizes += [
                    (pvalues_of(found, side) < 0.05).mean()  # noqa: PLR2004
                    for side in ("greater", "less")
                ]
                some = replace(contest, places=(every[:1000], every[:1000]))
                ends, centre = some.ends(1.645), some.estimates()[0]
                bounded = ends.has_lower & ends.has_upper
                reaches += [
                    np.median(reach[bounded]) if bounded.any() else 1
                    for reach in (centre - ends.lower, ends.upper - centre)
                ]
            yield (
                f"| {name} | {people} | {epsilon} "
                f"| {sizes[2]:.3f} ({sizes[0]:.3f}) | {sizes[3]:.3f} ({sizes[1]:.3f}) "
                f"| {reaches[2] / reaches[0]:.2f} | {reaches[3] / reaches[1]:.2f} |"
            )


def lifts() -> Iterator[str]:
    """Measure the coverage of lifts of survey weights, with noise and without.

    Two arms of 2,000 people, 95 % intervals; a quarter of the runs.
    """
    from new_people import new_people

    import dpratio as dpr
    from analyst.samples import with_noise
    from analyst.simulated import sums_of
    from real_people import real_people

    runs = RUNS // 4
    groups = dpr.Groups.cross(
        dpr.Keys("run", range(runs)), dpr.Keys("arm", ("new", "old"))
    )
    lifts = {
        "lift of s": (dpr.functions.lift("numerator"), 0.0),
        "lift of y": (dpr.functions.lift("per"), 0.0),
        "ratio of ratios": (dpr.functions.ratio_of_ratios(), 1.0),
    }
    yield f"| people | strategy | epsilon | {' | '.join(lifts)} |"
    yield "|---" * (3 + len(lifts)) + "|"
    for name in ("survey_weights", "weights of a Pareto tail", "lognormal weights"):
        people = real_people().get(name) or new_people(name)
        for strategy in ("joint", "focused"):
            for epsilon in (1, 4):
                plan = dpr.make_plan(
                    dpr.Ratio("s", per="y", weight="w"),
                    bounds=people.bounds,
                    budget=dpr.Budget(epsilon),
                    mechanism="laplace",
                    strategy=strategy,
                    answers=("ratio", "means"),
                    clipping="unmeasured",
                    stage=0,
                )
                arms = [sums_of(plan, people, 2_000, runs, seed) for seed in (1, 2)]
                sums = np.stack(arms, axis=1).reshape(2 * runs, -1)
                cells = []
                for function, truth in lifts.values():
                    covered = []
                    for noise in (True, False):
                        release = with_noise(plan, sums, groups, 3, noise=noise)
                        found = dpr.estimate_function(
                            release, function, arms=("new", "old")
                        )
                        held = (found.ci_lower <= truth) & (truth <= found.ci_upper)
                        covered.append(held.mean())
                    cells.append(f"{covered[0]:.3f} ({covered[1]:.3f})")
                yield f"| {name} | {strategy} | {epsilon} | {' | '.join(cells)} |"


def shared() -> Iterator[str]:
    """Measure the coverage of differences between months that share people."""
    from analyst.shared_months import KINDS, Months, coverage

    yield (
        "| people in both, more in one | epsilon | second month | bound "
        "| as if independent | wider |"
    )
    yield "|---" * 6 + "|"
    for people, alone in ((500, 0), (2_000, 0), (500, 2_000)):
        for epsilon in (0.5, 4):
            for kind in KINDS:
                months = Months(people, epsilon, kind, alone)
                parts = [coverage(months, RUNS // 10, seed) for seed in range(10)]
                covered, plain, wider = np.mean(parts, axis=0)
                yield (
                    f"| {people:,}, {alone:,} | {epsilon} | {kind} | {covered:.4f} "
                    f"| {plain:.4f} | {wider:.2f} |"
                )


if __name__ == "__main__" and sys.argv[1:]:
    print(json.dumps(all_pairs()))
elif __name__ == "__main__":
    for line in (*grid(), "", *drowned(), "", *tails(), "", *lifts(), "", *shared()):
        print(line, flush=True)
