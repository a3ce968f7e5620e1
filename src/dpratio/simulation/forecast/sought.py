"""Plans that a search may lead to, for people of a guess: drawn, without data.

The people are put on the cells of the plan's histograms, noise is drawn, and the
release's own rule finds the bounds. docs/methods/forecast.md.
"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from dpratio.arrays import Floats, Integers
from dpratio.checks import require
from dpratio.plan.histogram.histograms import Histogram, histogram_of
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.search.realise_bounds import found_within, plan_within
from dpratio.plan.split_budget import cells_of
from dpratio.simulation.forecast.guessed import guessed_population
from dpratio.simulation.forecast.unit_moments import draw_people, ratio_of
from dpratio.simulation.population import People, Population
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import Guess

__all__ = ["SOUGHT", "Sought", "places_on", "seek"]

# What is assumed where bounds are yet to be found.
SOUGHT = (
    "Bounds are yet to be found: ranges go over those that people like the guessed "
    "ones lead to, in nine runs of ten. A guess of means and spreads does not know "
    "how far the tail reaches: its bounds are also taken half and twice as wide. "
    "Columns with a positive mean and no declared limits are taken for never negative."
)
_DRAWS = 60
_SEED = 20_221
_LEFT_OUT = 0.05
_MOST = 2**62

# The two ends of each bound that was found, by name.
_Found = tuple[tuple[str, float, float], ...]


@dataclass(frozen=True, slots=True)
class Sought:
    """People to look for bounds among, and how many of them there are in all groups."""

    plan: Plan
    question: PlannedQuestion
    population: Population
    is_guess: bool

    def shares(self) -> list[Floats]:
        """Say which part of the people lies in each cell of every histogram."""
        people, _ = draw_people(self.population)
        held = _search_of(self.plan)
        asked = [histogram_of(held, each) for each in held.questions]
        return [self._share(each, people) for each in asked]

    def _share(self, asked: Histogram, people: People) -> Floats:
        ratio = self.question.ratio
        letters = dict(zip(ratio.totals, "sy", strict=True))
        if self.plan.unit.column is None:
            letters = {name: letter for letter, name in ratio.letters.items()}
        columns = {"s": people.score, "y": people.label, "w": people.weight}
        values = columns.get(letters.get(asked.name, ""))
        cells = len(asked.ladder.labels)
        if values is None:  # Another ratio's: nobody said what it is like.
            return np.zeros(cells)
        places = places_on(asked.ladder, values.ravel().astype(np.float64))
        return np.bincount(places, minlength=cells) / len(places)

    def found(self, n: int, draws: int, rng: np.random.Generator) -> list[_Found]:
        """Draw noisy histograms of n people per answer, and find bounds in each."""
        groups = cells_of(self.plan, self.question.partition) or 1
        everyone = min(n * groups, _MOST)
        held = _search_of(self.plan)
        shares = self.shares()
        found = []
        for _ in range(draws):
            counts = []
            for each, share in zip(held.questions, shares, strict=True):
                drawn = rng.multinomial(everyone, share) if share.any() else share
                noise = np.rint(rng.laplace(scale=each.scales[0], size=len(share)))
                counts.append(tuple(int(one) for one in drawn + noise))
            kept = found_within(self.plan, tuple(counts))
            found.append(tuple((name, b.lower, b.upper) for name, b in kept.items()))
        return found

    def invented(self, rng: np.random.Generator, repetitions: int, n: int) -> People:
        """Invent people and say nothing of their ratio, so that cutting moves it."""
        return self.population(rng, repetitions, n)

    def truth(self) -> float:
        """Give the ratio of the people without any bounds."""
        known: float | None = getattr(self.population, "ratio", None)
        return ratio_of(draw_people(self.population)[0]) if known is None else known

    def measured(self, found: _Found) -> Plan:
        """Give the plan within bounds that were found, or within the widest."""
        bounds = {name: Bounds(low, high) for name, low, high in found}
        return plan_within(self.plan, bounds)

    def usual(self, n: int) -> list[Plan]:
        """Give the plans of nine runs of ten, and those beside them of a guess."""
        rng = np.random.default_rng(_SEED)
        often = Counter(self.found(n, _DRAWS, rng))
        # From the narrowest to the widest, as far as bounds can be ordered.
        ordered = sorted(often, key=self._size)
        places = np.cumsum([often[each] for each in ordered]) / _DRAWS
        kept = [
            found
            for found, upto in zip(ordered, places, strict=True)
            if upto > _LEFT_OUT and upto - often[found] / _DRAWS < 1 - _LEFT_OUT
        ]
        if self.is_guess:
            kept += [self._scaled(kept[0], 0.5), self._scaled(kept[-1], 2.0)]
        return [self.measured(each) for each in dict.fromkeys(kept)]

    def _size(self, found: _Found) -> float:
        """Tell narrow bounds from wide ones; what is not found is as declared."""
        declared = {**self.plan.bounds, **self.plan.unit.totals}
        ends = {name: (each.lower, each.upper) for name, each in declared.items()}
        ends |= {name: (low, high) for name, low, high in found}
        return sum(high - low for low, high in ends.values())

    def _scaled(self, found: _Found, times: float) -> _Found:
        declared = {**self.plan.bounds, **self.plan.unit.totals}
        return tuple(
            (
                name,
                max(times * low, declared[name].lower),
                min(times * high, declared[name].upper),
            )
            for name, low, high in found
        )


def seek(
    plan: Plan, question: PlannedQuestion, guess: Guess | Population | None
) -> Sought:
    """Take a guess for the people among whom a plan looks for bounds.

    Raises:
        InvalidInput: When nobody described the people, or a column is taken off the
            numerator, of which a guess says nothing by itself.
    """
    rule = "widths follow from bounds, and those of this plan are yet to be found"
    hint = (
        "Describe the people: guess=Guess(…), or a table [population] in the study. Or "
        "plan with bounds that you expect: bounds={…: Bounds(0, 1000)}."
    )
    require(guess is not None, rule, None, hint)
    rows = plan.unit.column is None
    rule = "a guess does not say where a column lies that is taken off the numerator"
    minus = question.ratio.minus if rows else None
    hint = "Plan with bounds that you expect: bounds={…: Bounds(0, 1000)}."
    require(minus is None, rule, minus, hint)
    if not isinstance(guess, Guess):
        require(callable(guess), "guess must be a Guess, a population or None", guess)
        return Sought(plan, question, guess, is_guess=False)  # type: ignore[arg-type]
    box = plan.box(question)
    guessed = {"s": guess.numerator, "y": guess.per, "w": guess.weight}
    for letter, bounds in box.items():
        told = guessed[letter]
        free = bounds.lower == Bounds.find().lower
        if free and told is not None and told.mean > 0:
            box[letter] = replace(bounds, lower=0.0)
    return Sought(plan, question, guessed_population(guess, box), is_guess=True)


def _search_of(plan: Plan) -> Plan:
    held: Plan = plan.search.histograms  # type: ignore[union-attr]  # it has one
    return held


def places_on(ladder: Ladder, values: Floats) -> Integers:
    """Give the cell of each number, as `Ladder.place` does."""
    edges = np.array(ladder.edges)
    left = np.searchsorted(edges, values, side="left")
    return np.where(values < 0, left, np.searchsorted(edges, values, side="right"))
