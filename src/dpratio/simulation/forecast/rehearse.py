"""A rehearsal: answers that a study may give, beside the truth about invented people.

Sums of people are drawn as a forecast draws them, with the noise of the plan, and the
analyst's own code answers. No data are read and nothing is spent.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.options import require_level
from dpratio.arrays import Floats
from dpratio.checks import refuse, require
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan, require_ratios
from dpratio.simulation.forecast.simulated_widths import require_sizes
from dpratio.simulation.forecast.unit_moments import (
    population_of,
    questions_of,
    unit_moments,
)
from dpratio.simulation.population import DrawPeople
from dpratio.simulation.stages import simulate_parts
from dpratio.tabular import Tabular
from dpratio.terms.population import Population

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class RehearsedAnswer:
    """One answer that a study may give, and whether its interval holds the truth."""

    question: str
    answer: int
    ratio: float
    ci_lower: float
    ci_upper: float
    status: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Rehearsal(Tabular):
    """Answers of a study about invented people, whose ratio is known.

    ``truth`` is their ratio, ``n`` how many stand behind each answer. ``left_out``
    are questions with totals of their own, which the guess is not about.

    Example:
        >>> import dpratio as dpr
        >>> population = dpr.Population(dpr.MeanSd(0.5, 0.2), dpr.MeanSd(0.45))
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> found = dpr.simulation.rehearse(plan, n=5_000, population=population)
        >>> len(found.rows), round(found.truth, 3)
        (20, 1.111)
    """

    rows: tuple[RehearsedAnswer, ...]
    truth: float
    n: int
    epsilon: float
    level: float
    left_out: tuple[str, ...] = ()

    def columns(self) -> dict[str, list[Any]]:
        """One row for each answer; questions are named where there are several."""
        several = len({each.question for each in self.rows}) > 1
        names = RehearsedAnswer.__slots__
        return {
            name: [getattr(each, name) for each in self.rows]
            for name in (names if several else names[1:])
        }

    def precision(self) -> dict[str, list[float]]:
        """A quarter of each interval: more digits than that are noise."""
        quarters = [(each.ci_upper - each.ci_lower) / 4 for each in self.rows]
        return dict.fromkeys(("ratio", "ci_lower", "ci_upper"), quarters)

    def said(self) -> list[str]:
        """Say what the answers would teach, and that nobody is in them."""
        held = sum(each.holds for each in self.rows)
        open_ended = sum(
            not np.isfinite([each.ci_lower, each.ci_upper]).all() for each in self.rows
        )
        ends = f", {open_ended:,} have no end" if open_ended else ""
        return [
            (
                f"Rehearsed: {len(self.rows):,} answers about {self.n:,} invented "
                f"people each, whose ratio is {self.truth:.4g}, at epsilon "
                f"{self.epsilon:g}."
            ),
            (
                f"{held:,} of their intervals at level {self.level:g} hold it{ends}. A "
                "study gives one of them, and does not tell which."
            ),
            "No data were read and nothing was spent.",
            *(
                f"Not rehearsed: '{each}', whose totals are its own. Describe them "
                "with population=Population(…), and name the question."
                for each in self.left_out
            ),
        ]


def rehearse(
    plan: Plan,
    *,
    n: int,
    population: Population | DrawPeople | None,
    question: str | int | None = None,
    answers: int = 20,
    level: float = 0.95,
    seed: int = 1,
) -> Rehearsal:
    """Draw answers that a plan may give, as they would be reported.

    Args:
        plan: What would be measured.
        n: People behind one answer.
        population: What the people are like, such as ``study.population``: their ratio
            is the truth that answers are held to.
        question: One question, by its name or its number from 1; otherwise all.
        answers: How many are drawn for each question.
        level: Confidence level of the intervals.
        seed: Another one draws other answers.

    Returns:
        The answers as a table; ``chart()`` draws them beside the truth.

    Raises:
        InvalidInput: When an option breaks a rule, or nobody described the people.
    """
    require_ratios(plan)
    require_sizes([n])
    require_level(level)
    few = isinstance(answers, int) and 1 <= answers <= _MOST
    require(few, f"answers must be a whole number from 1 to {_MOST:,}", answers)
    seeded = isinstance(seed, int) and seed >= 0
    require(seeded, "seed must be a whole number of at least 0", seed)
    known = population_of(plan, population)
    if known is None:
        rule = "a rehearsal is about people whom someone described"
        hint = (
            "Give population=Population(…), or a table [population] in the study. "
            "Where a question has totals of its own, give both population and question."
        )
        refuse(rule, None, hint)
    asked = questions_of(plan, question, known)
    told = [each for each, about in asked if about is not None]
    rng = np.random.default_rng(seed)
    rows: list[RehearsedAnswer] = []
    truth = 0.0
    for each in told:
        unit = unit_moments(plan, each, known)
        truth = unit.ratio
        sums = unit.sums(n, answers, rng)
        rows += _answers(plan, each, sums, (truth, level), rng)
    left_out = tuple(each.name for each, about in asked if about is None)
    return Rehearsal(tuple(rows), truth, n, float(plan.epsilon), level, left_out)


def _answers(
    plan: Plan,
    question: Measurement,
    sums: Floats,
    held_to: tuple[float, float],
    rng: np.random.Generator,
) -> list[RehearsedAnswer]:
    """Put noise on drawn sums and answer, in the order they were drawn."""
    truth, level = held_to
    found: dict[int, RehearsedAnswer] = {}
    for part in simulate_parts(sums, plan, question, rng):
        told = estimate_ratios(part.release, level=level)
        ends = zip(told.ratio, told.ci_lower, told.ci_upper, told.status, strict=True)
        for place, (ratio, low, high, status) in zip(part.places, ends, strict=True):
            found[int(place)] = RehearsedAnswer(
                question.name,
                int(place) + 1,
                float(ratio),
                float(low),
                float(high),
                status,
                holds=bool(low <= truth <= high),
            )
    return [found[at] for at in sorted(found)]
