"""How often functions of sums cover, by status.

`python bench/statuses.py` prints the tables of docs/methods/functions.md; `--runs` and
`--workers` make it shorter, and `--limit` takes the people of docs/methods/limit.md
instead. Plans, statuses and intervals are the library's own.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import Pool

import numpy as np
from numpy.typing import NDArray
from real_people import real_people

import dpratio as dpr
from dpratio import functions as ready
from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.function.function_results import (
    FUNCTION_STATUSES,
    FunctionEstimates,
)
from dpratio.analyst.sums.moments import exact_moments
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question
from dpratio.simulation.population import People
from dpratio.simulation.simulate import simulate_release, view_of
from dpratio.terms.dimensions import Dimension, Keys
from dpratio.terms.groups import Groups

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], People]
# Whom, what, how many, epsilon, law and status; how many were given, and cover.
Row = tuple[str, str, int, float, str, str, int, int]

BLOCK = 250
PEOPLE_FOR_TRUTH = 2_000_000
LAWS = ("laplace", "analytic_gaussian")


@dataclass(frozen=True)
class Asked:
    """Who is asked, within which bounds."""

    draw: Draw
    bounds: dict[str, dpr.Bounds]

    @property
    def is_binary(self) -> bool:
        """Whether the denominator is a label."""
        return self.bounds["y"].is_binary


def _marks(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Hours of study and the mark of an exam."""
    hours = rng.gamma(2.5, 4, shape)
    return People(hours, 45 + 1.6 * hours + rng.normal(0, 14, shape))


def _rents(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Floor space and rent, closely related, with a long tail."""
    space = rng.lognormal(4.1, 0.45, shape)
    return People(space, space * rng.lognormal(2.6, 0.22, shape))


def _readings(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Two sensors around zero that go against each other."""
    first = rng.normal(0.5, 2.5, shape)
    return People(first, -0.5 * first + rng.laplace(0, 2, shape))


def _twins(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Two measurements of one thing: a correlation near 1."""
    size = rng.beta(3, 4, shape)
    return People(size, size + rng.normal(0, 0.03, shape))


def _defaults(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Chances of default and who did, a twelfth of all; nearly calibrated."""
    chance = rng.beta(0.8, 9, shape)
    return People(chance, (rng.random(shape) < 1.1 * chance).astype(float))


def _panel(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """A rating and whether it was bought again, with weights that follow the rating."""
    rating = rng.beta(4, 3, shape)
    label = (rng.random(shape) < 0.2 + 0.5 * rating).astype(float)
    return People(rating, label, rng.gamma(3, 0.4, shape) * (1.5 - rating))


def _unrelated(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Visits and minutes that have nothing to do with each other."""
    return People(rng.poisson(2.2, shape).astype(float), rng.exponential(11, shape))


OTHERS = {
    "marks": Asked(_marks, {"s": dpr.Bounds(0, 40), "y": dpr.Bounds(0, 100)}),
    "rents": Asked(_rents, {"s": dpr.Bounds(0, 250), "y": dpr.Bounds(0, 4000)}),
    "readings": Asked(_readings, {"s": dpr.Bounds(-10, 10), "y": dpr.Bounds(-12, 12)}),
    "twins": Asked(_twins, {"s": dpr.Bounds(0, 1), "y": dpr.Bounds(0, 1)}),
    "defaults": Asked(_defaults, {"s": dpr.Bounds(0, 1), "y": dpr.Bounds.binary()}),
    "panel": Asked(
        _panel,
        {
            "s": dpr.Bounds(0, 1),
            "y": dpr.Bounds.binary(),
            "w": dpr.Bounds(0, 3),
        },
    ),
    "unrelated": Asked(_unrelated, {"s": dpr.Bounds(0, 12), "y": dpr.Bounds(0, 60)}),
}
LIMIT = {
    name: Asked(each.draw, dict(each.bounds)) for name, each in real_people().items()
}
SIZES = (500, 1_000, 2_000, 4_000, 8_000)
EPSILONS = (0.5, 1, 4)
LOW, HIGH = 0.90, 0.94
LEAST, MOST = 500, 20_000  # People times epsilon.
LEAST_SHARE = 0.02  # A status that is given more seldom is left out.


def of_one(asked: Asked) -> dict[str, FunctionOfSums]:
    """Functions of one cell."""
    found = {
        "slope": ready.slope(),
        "correlation": ready.correlation(),
        "intercept": ready.calibration_intercept(),
        "variance of s": ready.variance("numerator"),
        "variance of y": ready.variance("per"),
        "mean of s": ready.mean("numerator"),
        "total of s": ready.total("numerator"),
    }
    return found | ({"Brier score": ready.brier_score()} if asked.is_binary else {})


def of_two(asked: Asked) -> dict[str, FunctionOfSums]:
    """Functions of two arms."""
    found = {
        "difference of means": ready.difference_of_means("numerator"),
        "lift of s": ready.lift("numerator"),
        "lift of y": ready.lift("per"),
        "ratio of ratios": ready.ratio_of_ratios(),
    }
    if asked.is_binary:
        found["relative risk"] = ready.relative_risk("per")
        found["odds ratio"] = ready.odds_ratio("per")
    return found


@cache
def plan_of(name: str, epsilon: float, law: str, answer: str) -> Plan:
    """Plan one question about a population."""
    asked = (OTHERS | LIMIT)[name]
    delta = 0 if law == "laplace" else "1e-6"
    return dpr.make_plan(
        dpr.Ratio("s", per="y", weight="w" if "w" in asked.bounds else None),
        bounds=asked.bounds,
        budget=dpr.Budget(str(epsilon), delta),
        mechanism=law,
        strategy="joint",
        answers=("ratio", answer),
        clipping="unmeasured",
    )


def summed(people: People, plan: Plan) -> Floats:
    """Add up what a plan measures."""
    return view_of(plan, plan.questions[0]).sums(people)


def in_groups(release: Release, own: Dimension) -> Release:
    """Take neighbouring repetitions as the groups of one."""
    (question,) = release.questions
    groups = Groups.cross(
        Keys("repetition", range(len(question.values) // own.size)), own
    )
    plan = replace(release.plan, partitions=(groups,))
    values = question.sums[0].values
    asked = fresh_question(plan, plan.questions[0], groups, values)
    return replace(release, plan=plan, questions=(asked,))


@cache
def moments_of_all(name: str) -> dict[str, float]:
    """Give the mean products of many people, as if they were one sample."""
    asked = (OTHERS | LIMIT)[name]
    plan = plan_of(name, 1.0, "laplace", "spread")
    rng = np.random.default_rng([7, sum(name.encode())])
    parts = [
        summed(asked.draw(rng, (1, 200_000)), plan)[0]
        for _ in range(PEOPLE_FOR_TRUTH // 200_000)
    ]
    mean = np.mean(parts, axis=0)[None] / 200_000
    held = exact_moments(mean, plan, plan.questions[0])
    return {each: float(held[each][0]) for each in held.names}


def truth_of(name: str, function: FunctionOfSums, people: int) -> float:
    """Give the value of a function of one cell in the whole population."""
    sums = moments_of_all(name)
    if function.of_labels is not None and (OTHERS | LIMIT)[name].is_binary:
        function = function.of_labels
    values = [np.array([sums[each] * people]) for each in function.needs]
    return float(function.back(np.asarray(function.on_link(values)))[0])


def answers(
    task: tuple[str, int, int, int],
) -> Iterator[tuple[float, str, str, FunctionEstimates, float]]:
    """Give the estimates of one population and size."""
    name, people, runs, seed = task
    asked = (OTHERS | LIMIT)[name]
    rng = np.random.default_rng([seed, people, sum(name.encode())])
    settings = [
        (epsilon, law)
        for epsilon in EPSILONS
        if LEAST <= people * epsilon <= MOST
        for law in LAWS
    ]
    if not settings:
        return
    spread, means = (plan_of(name, 1.0, LAWS[0], each) for each in ("spread", "means"))
    single, double = [], []
    for start in range(0, runs, BLOCK):
        count = min(BLOCK, runs - start)
        drawn = asked.draw(rng, (count, people))
        single.append(summed(drawn, spread))
        other = asked.draw(rng, (count, people // 2))
        pair = [summed(each, means) for each in (drawn, other)]
        double.append(np.stack(pair, axis=1).reshape(2 * count, -1))
    for epsilon, law in settings:
        plan = plan_of(name, epsilon, law, "spread")
        released = simulate_release(
            np.concatenate(single), plan, plan.questions[0], rng
        )
        for kind, function in of_one(asked).items():
            found = dpr.estimate_function(released, function)
            yield epsilon, law, kind, found, truth_of(name, function, people)
        plan = plan_of(name, epsilon, law, "means")
        exact = np.concatenate(double)
        released = in_groups(
            simulate_release(exact, plan, plan.questions[0], rng),
            Keys("arm", ["a", "b"]),
        )
        for kind, function in of_two(asked).items():
            found = dpr.estimate_function(released, function, arms=("a", "b"))
            same = 0.0 if kind.startswith(("lift", "difference")) else 1.0
            yield epsilon, law, kind, found, same


def counted(task: tuple[str, int, int, int]) -> list[Row]:
    """Count, for each kind and status, how many are given and how many cover."""
    rows = []
    for epsilon, law, kind, found, truth in answers(task):
        covered = (found.ci_lower <= truth) & (truth <= found.ci_upper)
        status = np.array(found.status)
        for each in np.unique(status):
            chosen = status == each
            counts = int(chosen.sum()), int(covered[chosen].sum())
            rows.append((task[0], kind, task[1], epsilon, law, str(each), *counts))
    return rows


def added(rows: list[Row]) -> dict[tuple[object, ...], NDArray[np.int64]]:
    """Add up the parts of every cell: given and covering, of each status and of all."""
    sums: dict[tuple[object, ...], NDArray[np.int64]] = {}
    for *cell, status, given, covering in rows:
        counts = np.array([given, covering], dtype=np.int64)
        for each in ("all", status):
            sums[*cell, each] = sums.get((*cell, each), 0) + counts
    return sums


def print_tables(rows: list[Row], statuses: Iterable[str] = FUNCTION_STATUSES) -> None:
    """Print coverage by kind and status over cells, and the cells that fall short."""
    sums = added(rows)
    runs = {key[:5]: int(sums[key][0]) for key in sums if key[5] == "all"}
    kinds = dict.fromkeys(key[1] for key in sums)
    head = "kind | status | of all answers | cells | median | lowest tenth | lowest"
    print(f"| {head} | below 0.90 | below 0.94 |\n|{'---|' * 9}")
    short = []
    for kind in kinds:
        whole = sum(count for key, count in runs.items() if key[1] == kind)
        for status in ("all", *statuses):
            mine = {k: v for k, v in sums.items() if (k[1], k[5]) == (kind, status)}
            total = sum(int(v[0]) for v in mine.values())
            if not total:
                continue
            cells = {k: v for k, v in mine.items() if v[0] >= LEAST_SHARE * runs[k[:5]]}
            if not cells:
                continue
            hit = np.array([v[1] / v[0] for v in cells.values()])
            given = np.array([v[0] for v in cells.values()])
            clear = hit + 2 * np.sqrt(hit * (1 - hit) / given) < HIGH
            low, tenth, middle = hit.min(), np.quantile(hit, 0.1), np.median(hit)
            print(
                f"| {kind} | {status} | {100 * total / whole:.1f} % | {len(cells)} | "
                f"{middle:.3f} | {tenth:.3f} | {low:.3f} | {(hit < LOW).sum()} | "
                f"{(hit < HIGH).sum()} ({clear.sum()}) |"
            )
            if status in ("ok", "all"):
                short += [
                    (status, k, int(v[0]), v[1] / v[0], v[0] / runs[k[:5]])
                    for k, v in cells.items()
                    if v[1] < HIGH * v[0]
                ]
    for status, key, count, share, part in sorted(short, key=lambda each: each[3]):
        error = np.sqrt(share * (1 - share) / count)
        print(f"{status} {key[:5]}: {share:.3f} ± {error:.3f} of {100 * part:.1f} %")


def main() -> None:
    """Simulate, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--limit", action="store_true")
    parser.add_argument("--part", type=int, default=500)
    given = parser.parse_args()
    names = LIMIT if given.limit else OTHERS
    tasks = [
        (name, people, given.part, seed)
        for people in sorted(SIZES, reverse=True)
        for name in names
        for seed in range(given.runs // given.part)
    ]
    with Pool(given.workers) as pool:
        done = pool.map(counted, tasks, chunksize=1)
    print_tables([row for rows in done for row in rows])


if __name__ == "__main__":
    main()
