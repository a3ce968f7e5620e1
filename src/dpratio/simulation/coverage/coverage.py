"""How well intervals do on any population, plan and method: coverage, width, power."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dpratio.analyst.ratio.estimate import METHODS
from dpratio.analyst.ratio.wald import LINKS
from dpratio.checks import require, require_one_of
from dpratio.plan.plan import Plan, require_ratios
from dpratio.simulation.coverage.answers import (
    WITHOUT_NOISE,
    Answer,
    answer_parts,
    join,
    share_rejected,
)
from dpratio.simulation.coverage.samples import Asked, Block, blocks_of, draw_blocks
from dpratio.simulation.judge import Judgement, judge
from dpratio.simulation.population import DrawPeople
from dpratio.simulation.progress import Progress, Report, silent
from dpratio.simulation.simulate import Seeds, steps_of
from dpratio.tabular import Tabular, columns_of
from dpratio.terms.budget import decimal_text


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
        [plan] if isinstance(plan, Plan) else list(plan),
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
        "strategy": row.plan.strategy,
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
