"""What is simulated, and the way from invented people to judged intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpratio.analyst.ratio.estimate import METHODS
from dpratio.analyst.ratio.wald import LINKS
from dpratio.checks import require, require_one_of
from dpratio.plan.plan import Plan
from dpratio.plan.strategy.layout import require_no_histogram
from dpratio.simulation.coverage.answers import (
    WITHOUT_NOISE,
    Answer,
    Answering,
    join,
    share_rejected,
)
from dpratio.simulation.coverage.samples import (
    Asked,
    Block,
    blocks_of,
    draw_blocks,
)
from dpratio.simulation.crew import Crew
from dpratio.simulation.judge import Judgement, judge
from dpratio.simulation.population import Population
from dpratio.simulation.progress import Progress, Report, silent
from dpratio.simulation.simulate import Seeds, steps_of

__all__ = ["Bench", "CoverageRow"]

Answers = tuple[Answer, ...]  # By method and link.
# So many people are invented in the time that one answer takes.
_PEOPLE_IN_AN_ANSWER = 100


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
class Bench:
    """Every question of every plan at every size, by every method on every scale."""

    plans: Sequence[Plan]
    sizes: Sequence[int]
    methods: Sequence[str] = ("pivot",)
    links: Sequence[str] = ("ratio",)
    level: float = 0.95
    repetitions: int = 1_000

    def __post_init__(self) -> None:
        require(self.plans, "at least one plan is needed", self.plans)
        for plan in self.plans:
            require_no_histogram(plan.strategy)
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
    def asked(self) -> tuple[Asked, ...]:
        """Every question with its plan."""
        return tuple((plan, each) for plan in self.plans for each in plan.questions)

    @property
    def ways(self) -> tuple[tuple[str, str], ...]:
        """Every method on every scale."""
        return tuple((each, link) for each in self.methods for link in self.links)

    def measure(
        self,
        population: Population,
        crew: Crew,
        *,
        truth: float,
        rng: int | None = None,
        against: float | Population | None = None,
        report: Report = silent,
    ) -> tuple[CoverageRow, ...]:
        """Simulate, in the order of sizes, questions, methods and links."""
        arms = [population, against] if callable(against) else [population]
        settings = len(arms) * len(self.sizes) * len(self.asked)
        drawn = sum(steps_of(self.repetitions, size) for size in self.sizes)
        answered = settings * blocks_of(self.repetitions)
        progress = Progress(report, len(arms) * drawn + answered)
        blocks: list[Block] = []
        for arm, seeds in zip(arms, Seeds(rng).spawn(len(arms)), strict=True):
            for size, own in zip(self.sizes, seeds.spawn(len(self.sizes)), strict=True):
                blocks += draw_blocks(
                    arm,
                    self.asked,
                    size=size,
                    repetitions=self.repetitions,
                    seeds=own,
                    crew=crew,
                    tick=progress.tick,
                )
        found = crew.do(
            Answering(self.asked, self.ways, self.level),
            blocks,
            people=settings * self.repetitions * len(self.ways) * _PEOPLE_IN_AN_ANSWER,
            tick=progress.tick,
        )
        return self._rows(_in_turn(found, settings), len(arms), truth, against)

    def _rows(
        self,
        found: Sequence[Sequence[Answers]],
        arms: int,
        truth: float,
        against: float | Population | None,
    ) -> tuple[CoverageRow, ...]:
        """Judge the answers of every setting, those of the first arm first."""
        settings = [(size, each) for size in self.sizes for each in self.asked]
        rows = []
        for at, (size, (plan, question)) in enumerate(settings):
            of_arms = [found[at + arm * len(settings)] for arm in range(arms)]
            for index, (method, link) in enumerate(self.ways):
                answers = [
                    join([block[index] for block in blocks]) for blocks in of_arms
                ]
                first = answers[0]
                true = math.log(truth) if link == "log" else truth
                rows.append(
                    CoverageRow(
                        plan,
                        question.name,
                        size,
                        method,
                        link,
                        self.level,
                        judge(first.lower, first.upper, truth=true, level=self.level),
                        share_rejected(answers, against, link, self.level),
                    )
                )
        return tuple(rows)


def _in_turn(found: Sequence[Answers], settings: int) -> list[Sequence[Answers]]:
    """Give each setting its blocks."""
    each = len(found) // settings
    return [found[at : at + each] for at in range(0, len(found), each)]
