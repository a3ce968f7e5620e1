"""Time of a year of 10,000 groups, and how well watching does, on invented people.

``python bench/run.py watch`` prints the time, with 10,000 groups × 365 periods under
Laplace noise; ``python bench/watch.py`` prints the tables of docs/methods/watching.md:
so many runs (the first argument) in each setting, or for some numbers of people (the
other arguments); 90 looks, all runs as groups at once.
"""

import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from figure import Figure

if TYPE_CHECKING:
    from dpratio.analyst.ratio.statistic import Statistic
    from dpratio.analyst.watch.running import Running
    from dpratio.plan.plan import Plan
    from dpratio.release.release import Release
    from dpratio.simulation.forecast.unit_moments import UnitMoments

RATIO, LOOKS, CHANGE, BY = 1.05, 90, 30, 60
# The fixed test at look 60 finds a shift from look 30 on with power 0.99.
SHIFT = (1.959964 + 2.326348) * np.sqrt(BY) / (BY - CHANGE)
BONFERRONI = 3.4525  # The normal quantile of 0.05/90, two-sided.


def figures() -> Iterator[Figure]:
    """Watch a year of 10,000 groups."""
    import dpratio as dpr

    release = _year(10_000)
    start, used = time.perf_counter(), time.process_time()
    dpr.watch(release, within=(0.95, 1.05), people_are_new=True)
    yield Figure(
        "watch_10000_groups_365_days_seconds", time.perf_counter() - start, "<=60"
    )
    yield Figure(
        "watch_10000_groups_365_days_cpu_seconds", time.process_time() - used, "<=60"
    )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield Figure("watch_10000_groups_365_days_gigabytes", most, "<=2")


def _plan(epsilon: float, mechanism: str = "laplace", **terms: Any) -> "Plan":  # noqa: ANN401
    import dpratio as dpr

    bounds = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}
    weight = "weight" if terms.pop("weighted", False) else None
    if weight:
        bounds["weight"] = dpr.Bounds(1 / 3, 3)
    return dpr.make_plan(
        dpr.Ratio("score", per="label", weight=weight),
        bounds=bounds,
        budget=dpr.Budget(epsilon, 0 if mechanism == "laplace" else "1e-6"),
        mechanism=mechanism,
        clipping="unmeasured",
        **terms,
    )


def _unit(plan: "Plan") -> "UnitMoments":
    from dpratio.simulation.forecast.unit_moments import unit_moments
    from dpratio.simulation.population import PaperPopulation

    return unit_moments(plan, plan.measurements[0], PaperPopulation(RATIO))


def _year(groups: int) -> "Release":
    """One release over a year of days."""
    import dpratio as dpr
    from dpratio.release.release import MADE_BY, Release, fresh_question

    days = dpr.Periods("day", "day", "2026-01-01", "2026-12-31")
    cells = dpr.Groups.cross(dpr.Keys("branch", range(groups)), days)
    plan = _plan(1, groups=cells)
    (question,) = plan.measurements
    rng, unit = np.random.default_rng(1), _unit(plan)
    steps = np.array([each.step for each in question.sums])
    values = np.empty((cells.count, len(steps)), dtype=np.int64)
    for at in range(0, cells.count, groups):
        sums = unit.sums(500, groups, rng)
        noise = rng.laplace(scale=np.array(question.scales), size=sums.shape)
        values[at : at + groups] = np.rint(sums / steps) + np.rint(noise)
    found = fresh_question(plan.law, question, cells, values)
    return Release("0" * 32, plan, (found,), MADE_BY, is_simulated=True)


@dataclass(frozen=True)
class Setting:
    """Whom a table row is about."""

    people: int
    epsilon: float
    mechanism: str
    weighted: bool
    one_by_one: bool = False


@dataclass
class Found:
    """At which look each run was first alarmed, by each way; −1 where never."""

    first: dict[str, Any]
    widths: dict[str, float]

    def ever(self, way: str) -> str:
        """Say in how many runs there was an alarm."""
        return _share(self.first[way] >= 0)

    def in_time(self, way: str) -> str:
        """Say in how many runs there was one by look 60."""
        seen = self.first[way]
        return _share((seen >= 0) & (seen < BY))

    def delay(self, way: str) -> float:
        """The median number of looks from the change to the alarm, both counted."""
        seen = np.where(self.first[way] < 0, 999, self.first[way])
        return float(np.median(seen - CHANGE + 1))


def _share(truths: Any) -> str:  # noqa: ANN401
    mean = truths.mean()
    return f"{mean:.4f} ± {np.sqrt(mean * (1 - mean) / len(truths)):.4f}"


def watched(setting: Setting, runs: int, *, is_shifted: bool, seed: int) -> Found:
    """Watch so many runs at once."""
    from dpratio.analyst.watch.boundary import Boundary
    from dpratio.analyst.watch.detector import Detector, Period
    from dpratio.analyst.watch.running import Running

    free, last = Boundary(0.05, LOOKS), Boundary(0.05, LOOKS, is_last=True)
    ways = ("open", "last", "bonferroni", "public", "detector", "before")
    first = {way: np.full(runs, -1) for way in ways}
    detector, before = Detector.of(runs, free), Detector.of(runs, free)
    held, nothing = np.full(runs, RATIO), np.zeros(runs)
    noisy: Any = None
    public: Any = None
    for at, (statistic, exact) in enumerate(_looks(setting, runs, seed)):
        more = 0.0
        if at == 0:
            at_truth = (np.ones(runs), held)
            variance = statistic.sampling.at(at_truth).mean()
            variance += statistic.noise_variance(at_truth).mean()
        if is_shifted and at >= CHANGE:
            more = SHIFT * np.sqrt(variance)
        one, two = (
            replace(each, numerator=each.numerator + more)
            for each in (statistic, exact)
        )
        period = Period.of(one, held)
        detector = detector.after(period, period)
        period = Period(nothing, nothing + np.inf, nothing, ())
        if noisy is not None:
            ratio = np.nan_to_num(noisy.ratio)
            period = Period.of(one, ratio).beside(
                one.denominator, noisy.variance(ratio), noisy.denominator
            )
        before = before.after(period, period)
        noisy = Running.of(one) if noisy is None else noisy.plus(one)
        public = Running.of(two) if public is None else public.plus(two)
        out = {"bonferroni": np.abs(_deviate(noisy)) > BONFERRONI}
        for way, running, boundary in (
            ("open", noisy, free),
            ("last", noisy, last),
            ("public", public, free),
        ):
            found = running.sequence(boundary)
            out[way] = (found.lower > RATIO) | (found.upper < RATIO)
        for way, is_out in out.items():
            first[way] = np.where(is_out & (first[way] < 0), at, first[way])
    first |= {"detector": detector.seen, "before": before.seen}
    widths = {
        way: _width(noisy, boundary)
        for way, boundary in (("open", free), ("last", last))
    }
    return Found(first, widths)


def _deviate(running: "Running") -> Any:  # noqa: ANN401
    held = np.full(len(running.numerator), RATIO)
    value = running.numerator - held * running.denominator
    return value / np.sqrt(running.variance(held))


def _width(running: "Running", boundary: Any) -> float:  # noqa: ANN401
    """The median width over that of the interval for one look, of all noise added."""
    from dpratio.plan.strategy.allowance import QUANTILE, allowance

    found = running.sequence(boundary)
    held = np.full(len(running.numerator), RATIO)
    powers = np.stack([held**power for power in range(5)])
    sampling = np.maximum((running.sampling * powers[:3]).sum(axis=0), 0)
    noise = (running.noise * powers[:3]).sum(axis=0)
    doubt = (running.doubt * powers).sum(axis=0)
    whole = sampling + noise + allowance(sampling, noise, doubt, QUANTILE)
    fixed = 2 * QUANTILE * np.sqrt(whole) / running.denominator
    return float(np.median((found.upper - found.lower) / fixed))


def _looks(
    setting: Setting, runs: int, seed: int
) -> "Iterator[tuple[Statistic, Statistic]]":
    """Draw each look: with noise, and the same people without."""
    from dpratio.analyst.ratio.statistic import statistic_of
    from dpratio.analyst.sums.moments import exact_moments, moments_of
    from dpratio.simulation.population import PaperPopulation
    from dpratio.simulation.simulate import (
        Seeds,
        simulate_release,
        simulate_sums,
        view_of,
    )

    plan = _plan(setting.epsilon, setting.mechanism, weighted=setting.weighted)
    (question,) = plan.measurements
    unit, rng = _unit(plan), np.random.default_rng(seed)
    view = view_of(plan, question)
    for at in range(LOOKS):
        sums = unit.sums(setting.people, runs, rng)
        if setting.one_by_one:
            sums = simulate_sums(
                PaperPopulation(RATIO),
                {"": view},
                count=setting.people,
                repetitions=runs,
                seeds=Seeds([seed, at]),
            )[""]
        noisy = moments_of(simulate_release(sums, plan, question, rng))
        exact = exact_moments(sums, question)
        yield (
            statistic_of(noisy, "linearised", lowest=0.0),
            statistic_of(exact, "linearised", lowest=0.0),
        )


def main(runs: int, people: tuple[int, ...]) -> None:
    """Print the tables, setting by setting."""
    print(f"{runs} runs; shift of {SHIFT:.3f} standard deviations of a period")
    print(
        "n | epsilon | noise | weights | any look: open, last | width: open, last |"
        " false changes | changes by 60: detector, open, before |"
        " median delay: detector, open, Bonferroni, public, before"
    )
    settings = [
        Setting(n, epsilon, mechanism, weighted)
        for n, epsilon, weighted, mechanism in product(
            people, (0.2, 1, 4), (False, True), ("laplace", "analytic_gaussian")
        )
        if mechanism == "laplace" or epsilon == 1
    ]
    settings += [
        Setting(500, 0.2, "laplace", weighted=True, one_by_one=True),
        Setting(500, 4, "laplace", weighted=False, one_by_one=True),
    ]
    for seed, each in enumerate(settings, 1):
        still = watched(each, runs, is_shifted=False, seed=seed)
        moved = watched(each, runs, is_shifted=True, seed=1000 + seed)
        delays = ("detector", "open", "bonferroni", "public", "before")
        print(
            each.people,
            f"{each.epsilon:g}",
            each.mechanism + (", people one by one" if each.one_by_one else ""),
            "yes" if each.weighted else "no",
            f"{still.ever('open')}, {still.ever('last')}",
            f"{still.widths['open']:.3f}, {still.widths['last']:.3f}",
            still.ever("detector"),
            ", ".join(moved.in_time(way) for way in ("detector", "open", "before")),
            ", ".join(f"{moved.delay(way):.0f}" for way in delays),
            sep=" | ",
            flush=True,
        )


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(given[0] if given else 2_000, tuple(given[1:]) or (500, 2_000))
