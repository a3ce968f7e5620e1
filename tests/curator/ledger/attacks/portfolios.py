"""Portfolios of plans, what they are charged, and the least that they lose.

The oracle is the privacy-loss distribution (PLD) of Google's dp_accounting, computed
optimistically: every rounding makes the loss smaller, so a price below it is wrong.
"""

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld
from numpy.typing import NDArray

from dpratio.curator.ledger.account.accounting import Charge, charge_of
from dpratio.plan.laws import LAPLACE
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "BOUNDS",
    "PERSON",
    "RATIO",
    "Member",
    "largest_rho",
    "lost_together",
    "member_of",
    "random_plan",
]

GRID = 5e-3  # how finely losses are counted
CIRCLE = 2**15  # steps of the grid that a portfolio's losses may span
RATIO = Ratio("s", per="y", guess=0.5)
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}
PERSON = PrivacyUnit(
    "person", totals={"s": Bounds(0, 3), "y": Bounds(0, 2)}, most_groups=2
)


@dataclass(frozen=True)
class Member:
    """A plan, what it is charged, and the least that it loses.

    ``waves`` is the Fourier transform of the chances of its losses, so that portfolios
    are products; ``ends`` are the smallest and largest loss, in steps of the grid.
    """

    plan: Plan
    basic: Charge
    zcdp: Charge
    gdp: Charge
    loss: Any
    waves: NDArray[np.complex128]
    ends: tuple[int, int]
    infinite: float


def random_budget(chance: random.Random) -> Budget:
    """Epsilon from 0.05 to 3, delta from 1e-9 to 1e-5, both spread by their logs."""
    epsilon = math.exp(chance.uniform(math.log(0.05), math.log(3)))
    delta = 10 ** chance.uniform(-9, -5)
    return Budget(f"{epsilon:.4g}", f"{delta:.3g}")


def random_plan(chance: random.Random) -> Plan:
    """Any strategy and mechanism, for rows or persons, with and without key finding."""
    budget = random_budget(chance)
    strategy = chance.choice(["even", "joint", "focused"])
    mechanism = chance.choice(["laplace", "analytic_gaussian"])
    groups: Groups | PrivateKeys | None = None
    unit = None
    kind = chance.choice(["whole", "groups", "keys"])
    if kind == "groups":
        groups, unit = Groups("shop", ("a", "b", "c")), PERSON
    if kind == "keys":
        question = Fraction(chance.randint(1, 8), 10)
        groups = PrivateKeys(
            "shop", Budget(budget.epsilon * question, budget.delta * question)
        )
    return make_plan(
        RATIO,
        bounds=BOUNDS,
        budget=budget,
        groups=groups,
        unit=unit,
        strategy=strategy,
        mechanism=mechanism,
    )


def least_loss(plan: Plan) -> Any:  # noqa: ANN401 (a PLD)
    """The loss of a plan for one certain person, from below.

    Every part adds its noise to sums that the most extreme row moves in all coordinates
    at once: a product of Laplace (or Gaussian) mechanisms of moves/scale each, in as
    many groups as one person has rows in. These moves are those of a true row, so this
    is a true event of the plan; plans of a portfolio may be about columns of their own,
    so one person can be extreme in all of them. Finding keys is modelled as what the
    accounting claims to cover: any (epsilon, delta) event. Noise is continuous here;
    the lattice that it is rounded to is finer by far than this grid.
    """
    questions = [_sums_loss(plan, question) for question in plan.measurements]
    return reduce(_compose, [*questions, *map(_keys_loss, plan.private_keys)])


def _sums_loss(plan: Plan, question: Measurement) -> Any:  # noqa: ANN401
    rows = [
        [float(move) / scale for move, scale in zip(row, question.scales, strict=True)]
        for row in plan.layout(question).grid.moves
    ]
    shifts = max(rows, key=lambda row: sum(each**plan.law.power for each in row))
    moved = [each for each in shifts if each > 0] * plan.unit.most_groups
    options = {"pessimistic_estimate": False, "value_discretization_interval": GRID}
    if plan.law == LAPLACE:
        return reduce(
            _compose,
            [
                pld.from_laplace_mechanism(1 / each, use_connect_dots=False, **options)
                for each in moved
            ],
        )
    length = math.sqrt(sum(each**2 for each in moved))
    return pld.from_gaussian_mechanism(1 / length, use_connect_dots=False, **options)


def _keys_loss(keys: PrivateKeys) -> Any:  # noqa: ANN401
    epsilon, delta = float(keys.budget.epsilon), float(keys.budget.delta)
    masses = {
        math.floor(epsilon / GRID): (1 - delta) / (1 + math.exp(-epsilon)),
        math.floor(-epsilon / GRID): (1 - delta) / (1 + math.exp(epsilon)),
    }
    return pld.PrivacyLossDistribution.create_from_rounded_probability(
        masses, delta, GRID, pessimistic_estimate=False
    )


def _compose(one: Any, other: Any) -> Any:  # noqa: ANN401
    return one.compose(other)


def member_of(plan: Plan) -> Member:
    """Price a plan, and lay the chances of its losses on a circle."""
    cost, loss = price(plan), least_loss(plan)
    chances = loss._pmf_remove.to_dense_pmf()
    first, count = chances._lower_loss, len(chances._probs)
    circle = np.zeros(CIRCLE)
    circle[np.arange(first, first + count) % CIRCLE] = chances._probs
    return Member(
        plan,
        charge_of(cost, "basic"),
        charge_of(cost, "zcdp"),
        charge_of(cost, "gdp"),
        loss,
        np.fft.rfft(circle),
        (first, first + count - 1),
        chances._infinity_mass,
    )


def lost_together(members: list[Member], *deltas: float) -> list[float]:
    """Give the least epsilon that a portfolio loses at each delta."""
    first = sum(each.ends[0] for each in members)
    last = sum(each.ends[1] for each in members)
    assert last - first < CIRCLE
    # Every other wave is the transform of a circle half as long, laid over itself.
    fold = CIRCLE >> (last - first).bit_length()
    waves = math.prod(each.waves[::fold] for each in members)
    circle = np.fft.irfft(waves, CIRCLE // fold)
    chances = np.maximum(np.roll(circle, -first)[: last - first + 1], 0)
    losses = np.arange(first, last + 1) * GRID
    above = np.cumsum(chances[::-1])[::-1]
    ratios = np.exp(losses)
    weighed = np.cumsum((chances / ratios)[::-1])[::-1]
    at_grid = above - ratios * weighed
    infinite = 1 - math.prod(1 - each.infinite for each in members)
    lost = []
    for delta in deltas:
        # Fourier transforms are right to about 1e-15: more delta is less epsilon.
        rest = delta + 1e-12 - infinite
        if rest < 0:
            lost.append(math.inf)
            continue
        at = int(np.argmax(at_grid <= rest))
        # Between two losses of the grid the excess is above − e^epsilon · weighed.
        lost.append(math.log(max(above[at] - rest, 1e-300) / weighed[at]))
    return lost


def largest_rho(epsilon: float, delta: float) -> float:
    """Solve proposition 12 of Canonne, Kamath & Steinke (2020) for rho, on a grid."""
    logs = (math.log(delta) + np.log(ORDERS)) / (ORDERS - 1)
    return float(np.max((epsilon + logs - np.log1p(-1 / ORDERS)) / ORDERS))


ORDERS = 1 + np.exp(np.linspace(-4, 14, 1001))
