"""The pair of neighbours that are told apart most easily, searched for among all.

The search knows rows, lattice steps and noise scales, and none of the arguments by
which a plan is priced: a dearer row than the price knows of is found.
"""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from dpratio.arrays import Floats, Integers
from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.plan import Plan
from dpratio.simulation.audit.law import laplace_divergence
from dpratio.simulation.audit.question import COLUMNS, Question

Values = tuple[float, ...]

_POINTS = dict(zip(COLUMNS, (9, 9, 3), strict=True))
# Counts tell most about the noise where the best test is right 88 times out of 100,
# nearly: docs/methods/audit.md.
_ADVANTAGE = 0.77
_FAR_BY_LENGTH = 2.4
_FURTHEST = 60.0
# One unit this much further than wanted still tells enough; a lesser one is exact too.
_FAR_ENOUGH = 2.0


@dataclass(frozen=True, slots=True)
class Placed:
    """What one unit holds in a cell of a sample: score, label and weight, or totals."""

    cell: int
    values: Values


Side = tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring samples: ``copies`` units as in ``first``, or as in ``second``.

    ``moves`` are the sums of one copy in ``first`` and in ``second``, cells × sums, in
    whole lattice cells, and ``scales`` are the noise of each sum; ``distance`` lies
    between the two, in units of noise, and ``largest`` between the furthest units.
    """

    first: Side
    second: Side
    copies: int
    moves: tuple[Floats, Floats]
    scales: Floats
    distance: float
    largest: float

    @property
    def units(self) -> float:
        """How many of the furthest units it is worth: several, or a part of one."""
        return self.total / self.largest

    @property
    def total(self) -> float:
        """How far apart the two samples lie."""
        return self.copies * self.distance

    @property
    def exact(self) -> tuple[Integers, Integers]:
        """The exact sums of both samples, cells × sums, in whole lattice cells."""
        first, second = (self.copies * each.astype(np.int64) for each in self.moves)
        return first, second

    @property
    def sums(self) -> tuple[Floats, Floats]:
        """The exact sums of both samples in units of their noise."""
        first, second = (self.copies * each / self.scales for each in self.moves)
        return first, second

    @property
    def shape(self) -> Floats:
        """The part that each sum has in the distance, one sum after the other."""
        first, second = self.moves
        return (np.abs(first - second) / self.scales).ravel() / self.distance


def find_pair(plan: Plan, question: Question) -> Pair:
    """Find the furthest unit, and how many of it are told apart with most power.

    Where one is too far already, the unit that comes nearest is taken instead.
    """
    sides = _sides(question)
    moves = np.array([moves_of(plan, question, side) for side in sides])
    scales = np.array(plan.measurements[0].scales)
    places = moves / scales
    apart = np.array([_lengths(plan, each - places) for each in places])
    if question.unit.neighbours == "add-or-remove-one":
        # The first of all sides holds nothing.
        apart[:, 1:] = 0.0
    first, second = np.unravel_index(int(apart.argmax()), apart.shape)
    largest = float(apart[first, second])
    shape = np.abs(places[first] - places[second]).ravel() / largest
    wanted = _wanted(plan.law, shape)
    if largest > _FAR_ENOUGH * wanted:
        nearest = int(np.abs(apart - wanted).argmin())
        first, second = np.unravel_index(nearest, apart.shape)
    return Pair(
        first=sides[first],
        second=sides[second],
        copies=max(1, round(wanted / largest)),
        moves=(moves[first], moves[second]),
        scales=scales,
        distance=float(apart[first, second]),
        largest=largest,
    )


def _wanted(law: NoiseLaw, shape: Floats) -> float:
    """Give the distance at which the best test is right 88 times out of 100."""
    from scipy.optimize import brentq

    if law != LAPLACE:
        return _FAR_BY_LENGTH
    parts = shape[shape > 0]

    def missing(total: float) -> float:
        return laplace_divergence(list(total * parts), 0.0) - _ADVANTAGE

    return float(brentq(missing, 0.1, _FURTHEST, rtol=1e-3))


def _sides(question: Question) -> list[Side]:
    """List what a unit may hold: nothing, or values on a grid over its box."""
    axes = [
        np.linspace(each.lower, each.upper, 2 if each.is_binary else _POINTS[name])
        for name, each in question.box.items()
    ]
    cells = range(question.cells)
    rows = [tuple(float(each) for each in values) for values in product(*axes)]
    if question.unit.most_groups > 1:
        return [(), *(tuple(Placed(cell, each) for cell in cells) for each in rows)]
    return [(), *((Placed(cell, each),) for cell in cells for each in rows)]


def moves_of(plan: Plan, question: Question, side: Side) -> Floats:
    """Count what one unit puts into each sum of each cell, in lattice cells."""
    (planned,) = plan.measurements
    contrast = plan.layout(planned).contrast
    moved = np.zeros((question.cells, len(planned.sums)))
    for placed in side:
        score, label, *rest = placed.values
        factors = {"s": score, "y": label, "w": rest[0] if rest else 1.0}
        factors["c"] = float(_is_cut(question, placed))
        if contrast is not None:
            z = factors["w"] * (score - contrast.centre * label)
            added = score + contrast.centre * label
            h = factors["w"] * (added if contrast.has_numerator else label)
            factors |= {"z": z, "h": h}
        for at, each in enumerate(planned.sums):
            value = math.prod(factors[name] for name in each.summand.factors)
            moved[placed.cell, at] += np.floor(value / each.step + 0.5)
    return moved


def _is_cut(question: Question, placed: Placed) -> bool:
    """Tell whether a bound cuts a unit: at an end of its box it is written beyond."""
    pairs = zip(placed.values, question.box.values(), strict=True)
    return any(
        each.can_cut and value in {each.lower, each.upper} for value, each in pairs
    )


def _lengths(plan: Plan, moves: Floats) -> Floats:
    """Measure moves as the mechanism does: added up, or by the Euclidean length."""
    flat = moves.reshape(len(moves), -1)
    if plan.law == LAPLACE:
        return np.asarray(np.abs(flat).sum(axis=1))
    return np.asarray(np.linalg.norm(flat, axis=1))
