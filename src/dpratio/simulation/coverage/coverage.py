"""How well intervals do on any population, plan and method: coverage, width, power."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from dpratio.analyst.ratio.confidence_set import confidence_set
from dpratio.analyst.ratio.estimate import METHODS, estimate_ratios
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.ratio.wald import LINKS, wald
from dpratio.analyst.sums.moments import exact_moments
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Floats
from dpratio.checks import require, require_one_of
from dpratio.plan.histograms import HistogramPlan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan, require_ratios
from dpratio.simulation.judge import Judgement, judge
from dpratio.simulation.population import DrawPeople
from dpratio.simulation.progress import Progress, Report, silent
from dpratio.simulation.simulate import Seeds, simulate_sums, steps_of, view_of
from dpratio.simulation.stages import Part, counted_question, simulate_parts
from dpratio.tabular import Tabular, columns_of
from dpratio.terms.budget import decimal_text

Asked = tuple[Plan, Measurement]

# Noise is drawn for so many repetitions at once.
_REPETITIONS_IN_A_BLOCK = 1_000


@dataclass(frozen=True, slots=True)
class Block:
    """Exact sums of some repetitions of one question, and the seed of their noise."""

    plan: Plan
    question: Measurement
    sums: Floats
    seed: Seeds

    def with_noise(self) -> list[Part]:
        """Release the sums, in parts; one where the plan has one stage."""
        rng = np.random.Generator(np.random.SFC64(self.seed))
        return simulate_parts(self.sums, self.plan, self.question, rng)


def blocks_of(repetitions: int) -> int:
    """Give the number of blocks that repetitions are cut into."""
    return -(-repetitions // _REPETITIONS_IN_A_BLOCK)


def draw_blocks(
    population: DrawPeople,
    asked: Sequence[Asked],
    *,
    size: int,
    repetitions: int,
    seeds: Seeds,
    tick: Callable[[], object],
) -> list[list[Block]]:
    """Draw samples of one size, and cut the sums of each question into blocks.

    Questions share their people; noise they do not.
    """
    people, *noise = seeds.spawn(1 + len(asked))
    counted = [(plan, counted_question(plan, each)) for plan, each in asked]
    sums = simulate_sums(
        population,
        {_sums_of(*each): view_of(*each) for each in counted},
        count=size,
        repetitions=repetitions,
        seeds=people,
        tick=tick,
    )
    blocks = []
    starts = range(0, repetitions, _REPETITIONS_IN_A_BLOCK)
    for each, same, seed in zip(asked, counted, noise, strict=True):
        exact = sums[_sums_of(*same)]
        own = [seed, *seed.spawn(blocks_of(repetitions) - 1)]
        blocks.append(
            [
                Block(*each, exact[start : start + _REPETITIONS_IN_A_BLOCK], seed)
                for start, seed in zip(starts, own, strict=True)
            ]
        )
    return blocks


def _sums_of(plan: Plan, question: Measurement) -> Hashable:
    """Name what is added up: plans that differ in noise alone share their sums."""
    bounds = tuple(plan.box(question).values())
    summands = tuple(each.summand for each in question.sums)
    return bounds, summands, plan.layout(question).contrast


# Intervals from exact sums, to compare with: the delta method's, and Fieller's.
WITHOUT_NOISE = ("public", "fieller")


@dataclass(frozen=True, slots=True)
class Answer:
    """Estimates of repetitions, on their scale."""

    centre: Floats
    lower: Floats
    upper: Floats
    se: Floats


def answer_parts(parts: Sequence[Part], method: str, link: str, level: float) -> Answer:
    """Estimate repetitions that were released in parts, in their own order."""
    whole = join([_answer_of(part, method, link, level) for part in parts])
    order = np.argsort(np.concatenate([part.places for part in parts]))
    return Answer(*(getattr(whole, each.name)[order] for each in fields(Answer)))


def join(answers: Sequence[Answer]) -> Answer:
    """Put the answers of blocks behind each other."""
    columns = [
        np.concatenate([getattr(answer, each.name) for answer in answers])
        for each in fields(Answer)
    ]
    return Answer(*columns)


def _answer_of(part: Part, method: str, link: str, level: float) -> Answer:
    if method in WITHOUT_NOISE:
        return _answer_without_noise(part, method, link, level)
    # The redraws of a method may repeat; seeding by the release keeps them apart.
    seed = int(part.release.id[:8], 16)
    given = estimate_ratios(
        part.release, method=method, link=link, level=level, rng=seed
    )
    if link == "log":
        ends = (given.log_ratio, given.log_ci_lower, given.log_ci_upper)
        centre, lower, upper = (np.asarray(end, dtype=np.float64) for end in ends)
        return Answer(centre, lower, upper, given.se)
    return Answer(given.ratio, given.ci_lower, given.ci_upper, given.se)


def _answer_without_noise(part: Part, method: str, link: str, level: float) -> Answer:
    (question,) = part.release.questions
    moments = exact_moments(part.exact, question.measurement)
    variance = choose_variance(moments, None)
    answer = wald(
        moments,
        "no_correction",
        (link,),
        draws=2,
        rng=np.random.default_rng(0),  # Not drawn from: nothing is noisy.
        variance=variance,
    )[link]
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt(answer.sampling)
        if method == "public":
            return Answer(answer.centre, *answer.ends(normal_quantile(level)), se)
        box = part.release.measured.box(question.measurement)
        low = [each.lower for letter, each in box.items() if letter in "sy"]
        lowest = 0.0 if min(low) >= 0 else -np.inf
        statistic = statistic_of(moments, variance, lowest=lowest)
        found = confidence_set(statistic, normal_quantile(level))
        ends = (found.lower, found.upper)
        lower, upper = (np.log(end) if link == "log" else end for end in ends)
        return Answer(answer.centre, lower, upper, se)


def share_rejected(
    answers: Sequence[Answer],
    against: float | DrawPeople | None,
    link: str,
    level: float,
) -> float | None:
    """Give the share of repetitions in which the test of equality rejects."""
    first = answers[0]
    if against is None:
        return None
    with np.errstate(invalid="ignore"):
        if callable(against):
            # Miao & Li (2022), section 2.4: variances of disjoint samples add.
            gap = np.abs(first.centre - answers[1].centre)
            reach = normal_quantile(level) * np.hypot(first.se, answers[1].se)
            return float((gap > reach).mean())
        at = math.log(against) if link == "log" else against
        return float(((at < first.lower) | (at > first.upper)).mean())


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One question, size, method and link, and how its intervals did."""

    plan: Plan
    question: str
    n: int
    method: str
    link: str
    level: float
    judged: Judgement
    rejected: float | None


@dataclass(frozen=True, slots=True)
class CoverageTable(Tabular):
    """One row per question of every plan, size, method and link.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> people = dpr.simulation.PaperPopulation()
        >>> dpr.simulation.measure_coverage(people, plan, n=500, rng=1).rows[0].n
        500
    """

    spare: ClassVar = (
        "width_median",
        "score*",
        "coverage_error",
        "delta",
        "level",
        "unbounded",
        "strategy",
    )

    rows: tuple[CoverageRow, ...]

    def columns(self) -> dict[str, list[Any]]:
        """Figures of every row; ``rejected`` is there when a test was asked for.

        ``unbounded`` is the share of intervals that lack an end; they count as
        covering.
        """
        columns = columns_of([_figures_of(row) for row in self.rows])
        names = [row.question for row in self.rows]
        return {"question": names} | columns if len(set(names)) > 1 else columns


def measure_coverage(  # noqa: PLR0913 (keyword-only options of a bench)
    population: DrawPeople,
    plan: Plan | Sequence[Plan],
    *,
    n: int | Sequence[int],
    truth: float | None = None,
    methods: Sequence[str] = ("pivot",),
    links: Sequence[str] = ("ratio",),
    level: float = 0.95,
    repetitions: int = 1_000,
    rng: int | None = None,
    against: float | DrawPeople | None = None,
    report: Report = silent,
) -> CoverageTable:
    """Simulate releases and see how often, and how narrowly, intervals cover.

    Args:
        population: A function of (generator, repetitions, people) that gives
            `People`; its values are clipped to the plan's bounds.
        plan: One plan or several; their noise is simulated.
        n: People per sample, one size or several.
        truth: The true ratio; by default the population's ``ratio``.
        methods: Methods of `estimate_ratios`, or ``"public"`` and ``"fieller"`` for
            intervals without noise, of the delta method or by inverting the test.
        links: ``"ratio"``, ``"log"`` or both.
        level: Confidence level.
        repetitions: Samples per row, at least 2.
        rng: Seed; the same seed gives the same table.
        against: A ratio: how often the interval excludes it, the size or power of the
            test against it. A population: how often its ratio is found to differ
            from this one's; the same population gives an A/A run.
        report: Called with steps done and steps in all.

    Returns:
        One row per question of every plan, size, method and link. The population
        stands for the people of each question.

    Raises:
        InvalidInput: When an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> people = dpr.simulation.PaperPopulation()
        >>> found = dpr.simulation.measure_coverage(people, plan, n=2_000, rng=1)
        >>> found.to_dicts()[0]["coverage"]
        0.958
    """
    terms = _Terms(
        [plan] if isinstance(plan, Plan | HistogramPlan) else list(plan),
        [n] if isinstance(n, int) else list(n),
        methods,
        links,
        level,
        repetitions,
    )
    true = _true_ratio(population, truth)
    arms = [population, against] if callable(against) else [population]
    progress = Progress(report, len(arms) * terms.steps)
    answers = [
        terms.answers(arm, seeds, progress.tick)
        for arm, seeds in zip(arms, Seeds(rng).spawn(len(arms)), strict=True)
    ]
    return CoverageTable(tuple(_rows(terms, answers, true, against)))


@dataclass(frozen=True, slots=True)
class _Terms:
    """What is simulated: every question at every size, by every method and link."""

    plans: Sequence[Plan]
    sizes: Sequence[int]
    methods: Sequence[str]
    links: Sequence[str]
    level: float
    repetitions: int

    def __post_init__(self) -> None:
        require(self.plans, "at least one plan is needed", self.plans)
        for plan in self.plans:
            require_ratios(plan)
        counted = all(isinstance(n, int) and n >= 1 for n in self.sizes)
        require(self.sizes and counted, "n must be at least 1", self.sizes)
        whole = isinstance(self.repetitions, int)
        rule = "repetitions must be at least 2"
        require(whole and self.repetitions >= 2, rule, self.repetitions)  # noqa: PLR2004
        for method in self.methods:
            require_one_of(method, (*METHODS, *WITHOUT_NOISE), "method")
        for link in self.links:
            require_one_of(link, LINKS, "link")

    @property
    def asked(self) -> list[Asked]:
        """Every question with its plan."""
        return [(plan, each) for plan in self.plans for each in plan.measurements]

    @property
    def ways(self) -> list[tuple[str, str]]:
        """Every method on every scale."""
        return [(method, link) for method in self.methods for link in self.links]

    @property
    def settings(self) -> list[tuple[int, Asked]]:
        """Every size with every question, in the order of the rows."""
        return [(size, asked) for size in self.sizes for asked in self.asked]

    @property
    def steps(self) -> int:
        """How many steps a population takes."""
        drawn = len(self.sizes) * steps_of(self.repetitions)
        return drawn + len(self.settings) * blocks_of(self.repetitions)

    def answers(
        self, population: DrawPeople, seeds: Seeds, tick: Callable[[], None]
    ) -> list[list[Answer]]:
        """Simulate; give the answers of each setting, one for each of the ways."""
        found = []
        for size, own in zip(self.sizes, seeds.spawn(len(self.sizes)), strict=True):
            questions = draw_blocks(
                population,
                self.asked,
                size=size,
                repetitions=self.repetitions,
                seeds=own,
                tick=tick,
            )
            found += [self._answer(blocks, tick) for blocks in questions]
        return found

    def _answer(
        self, blocks: Sequence[Block], tick: Callable[[], None]
    ) -> list[Answer]:
        parts = []
        for block in blocks:
            released = block.with_noise()
            parts.append(
                [answer_parts(released, *way, self.level) for way in self.ways]
            )
            tick()
        return [join(each) for each in zip(*parts, strict=True)]


def _rows(
    terms: _Terms,
    answers: Sequence[list[list[Answer]]],
    truth: float,
    against: float | DrawPeople | None,
) -> Iterator[CoverageRow]:
    """Judge the answers of every setting; those of the first population come first."""
    by_setting = zip(*answers, strict=True)
    for (size, (plan, question)), arms in zip(terms.settings, by_setting, strict=True):
        for (method, link), *both in zip(terms.ways, *arms, strict=True):
            first = both[0]
            true = math.log(truth) if link == "log" else truth
            yield CoverageRow(
                plan,
                question.name,
                size,
                method,
                link,
                terms.level,
                judge(first.lower, first.upper, truth=true, level=terms.level),
                share_rejected(both, against, link, terms.level),
            )


def _true_ratio(population: DrawPeople, truth: float | None) -> float:
    ratio = getattr(population, "ratio", None) if truth is None else truth
    hint = "Give truth=…, or a population with an attribute 'ratio'."
    require(ratio is not None, "the true ratio must be known", truth, hint)
    return float(ratio)  # type: ignore[arg-type]  # required above


def _figures_of(row: CoverageRow) -> dict[str, Any]:
    judged = row.judged
    figures: dict[str, Any] = {
        "strategy": row.plan.study.strategy,
        "mechanism": row.plan.law.name,
        "epsilon": float(row.plan.budget.epsilon),
        "delta": decimal_text(row.plan.delta),
        "n": row.n,
        "method": row.method,
        "link": row.link,
        "level": row.level,
        "width": judged.width.mean,
        "width_median": judged.width.median,
        "coverage": judged.coverage,
        "coverage_error": judged.coverage_error,
        "score": judged.score.mean,
        "unbounded": judged.unbounded,
    }
    if row.rejected is not None:
        figures["rejected"] = row.rejected
    return figures
