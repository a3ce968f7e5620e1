"""Pricing a plan again, from its terms alone.

A plan may have been edited by hand, read from a file or made by a planner with a
mistake in it. Nothing it says about itself is believed here.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.calibration.calibrate import (
    LARGEST_SCALE,
    MECHANISMS,
    SMALLEST_SCALE,
    is_affordable,
    least_deviation,
)
from dpratio.plan.histogram.histograms import moves_of
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import PlanTerms, settle_guess, settle_partition
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.require_terms import require_terms
from dpratio.plan.sensitivity.contrast import BASES
from dpratio.plan.sensitivity.joint import Grid, is_convex, root_above
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.neighbours import is_one_row, unit_ratio
from dpratio.plan.split_budget import cells_of, first_allowances
from dpratio.plan.strategy.first_totals import totals_price
from dpratio.plan.strategy.layout import HISTOGRAM, STRATEGIES
from dpratio.plan.strategy.measure import even_shares
from dpratio.terms.study import CLIPPINGS

__all__ = ["Cost", "price"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a release costs, exactly: as (epsilon, delta), and as what it is made of.

    ``pure`` has the epsilon of each part with Laplace noise, ``gaussian`` the square of
    how far one unit moves the sums in units of their Gaussian noise. But for an event
    of probability ``keys_delta`` the release is those parts and no more, which adds up
    better.
    """

    epsilon: Fraction
    delta: Fraction
    pure: tuple[Fraction, ...]
    gaussian: Fraction
    keys_delta: Fraction

    @property
    def rho(self) -> Fraction:
        """The rho of concentrated privacy.

        Bun & Steinke (2016), propositions 1.4 and 1.6, lemmas 1.7 and 8.8.
        """
        return (sum((each**2 for each in self.pure), self.gaussian)) / 2


def price(plan: Plan) -> Cost:
    """Prove that a plan costs no more than its budget, or refuse it.

    Returns:
        The cost to charge: the budget, which the noise is certified to keep within.

    Raises:
        PlanRefused: When a sum is not the declared one, or its lattice, sensitivity
            or noise are not what the bounds and the budget demand.

    Guarantee:
        Releasing every sum of an accepted plan, each with ideal noise of its scale,
        is (epsilon, delta)-differentially private under the declared neighbour
        relation of the declared unit, with the returned cost. It is also
        keys_delta-approximately the composition of the parts that the cost lists.
        Finding keys is included. Proof: docs/proofs/pricing.md.
    """
    if plan.strategy == HISTOGRAM:
        return _price_histograms(plan)
    grids = _require_terms(plan)
    _require_first_stage(plan)
    for question, grid in zip(plan.questions, grids, strict=True):
        _require_sums(plan, question.sums, grid)
    if plan.strategy == "even":
        moves = [
            move
            for question, grid in zip(plan.questions, grids, strict=True)
            for move in _require_even(plan, question, grid)
        ]
    else:
        moves = _require_joint(plan, grids)
    first: tuple[Fraction, ...] = ()
    if plan.stage is not None:
        first, moves = (plan.stage.epsilon,), [_require_second_stage(plan, moves)]
    keys = [each.budget for each in plan.private_keys]
    is_pure = plan.mechanism == "laplace"
    squares = sum((each**2 for each in moves), Fraction(0))
    return Cost(
        plan.epsilon,
        plan.delta,
        pure=(*first, *(moves if is_pure else ()), *(each.epsilon for each in keys)),
        gaussian=Fraction(0) if is_pure else squares,
        keys_delta=sum((each.delta for each in keys), Fraction(0)),
    )


def _price_histograms(plan: PlanTerms) -> Cost:
    """Certify the counts of all histograms together."""
    _require_tuples(plan)
    try:
        moves = moves_of(plan)
    except InvalidInput as error:
        raise PlanRefused(f"the plan's terms break a rule: {error}") from None
    _require_weights(plan)
    if sum(moves, Fraction(0)) > plan.budget.epsilon:
        scales = [scale for each in plan.questions for scale in each.scales]
        _refuse("the noise of the histograms is too small for the budget", scales)
    epsilon = plan.budget.epsilon
    return Cost(epsilon, Fraction(0), tuple(moves), Fraction(0), Fraction(0))


def _require_tuples(plan: PlanTerms) -> None:
    if not isinstance(plan.questions, tuple):
        _refuse("the questions of a plan must be a tuple", plan.questions)


def _require_weights(plan: PlanTerms) -> None:
    weights = [question.weight for question in plan.questions]
    exact = all(isinstance(each, Fraction) and each > 0 for each in weights)
    if not exact or sum(weights) > 1:
        _refuse(
            "the weights of questions must be positive and at most 1 together", weights
        )


def _require_terms(plan: Plan) -> list[Grid]:
    """Check every rule between the terms; give the sums that they demand."""
    _require_tuples(plan)
    try:
        require_one_of(plan.strategy, STRATEGIES, "strategy")
        require_one_of(plan.mechanism, MECHANISMS, "mechanism")
        require_one_of(plan.clipping, CLIPPINGS, "clipping")
        for question in plan.questions:
            require_one_of(question.basis, BASES, "basis")
        require_terms(plan)
        partitions = tuple(
            settle_partition(each, plan.bounds) for each in plan.partitions
        )
        ratios = [settle_guess(question, plan) for question in plan.questions]
        grids = [plan.grid(question) for question in plan.questions]
    except InvalidInput as error:
        raise PlanRefused(f"the plan's terms break a rule: {error}") from None
    if ratios != [question.ratio for question in plan.questions]:
        _refuse(
            "a focused plan states the guess of its ratio",
            next(question.ratio.guess for question in plan.questions),
        )
    if partitions != plan.partitions:
        _refuse("a plan states the edges of its bins", "a number of bins")
    _require_weights(plan)
    within = [each.within for each in plan.questions if each.within is not None]
    if within:
        _refuse("totals within groups belong to histograms", within)
    places = [question.partition for question in plan.questions]
    if any(type(at) is not int or not 0 <= at < len(plan.partitions) for at in places):
        _refuse("each question belongs to a partition of the plan", places)
    return grids


def _require_first_stage(plan: Plan) -> None:
    """Certify the totals of all questions together at what the first stage spends."""
    stage = plan.stage
    if stage is None:
        return
    firsts = stage.firsts
    if not isinstance(firsts, tuple) or len(firsts) != len(plan.questions):
        _refuse("a first stage has totals of every question", "others")
    try:
        costs = [
            totals_price(plan.raw_grid(question), first, allowed)
            for question, first, allowed in zip(
                plan.questions, firsts, first_allowances(plan, stage), strict=True
            )
        ]
    except InvalidInput as error:
        raise PlanRefused(f"the first stage breaks a rule: {error}") from None
    if sum(costs, Fraction(0)) > stage.epsilon:
        scales = [each.scale for first in firsts for each in first]
        _refuse("the noise of the first stage is too small for its share", scales)


def _require_second_stage(plan: Plan, moves: list[Fraction]) -> Fraction:
    """Hold a second stage to the most that any of them may cost; give that.

    Which one is run is not known when it is charged.
    """
    epsilon, delta = plan.for_sums
    if plan.mechanism == "laplace":
        return epsilon
    most = 1 / Fraction(least_deviation(plan.mechanism, epsilon, delta))
    if max(moves) > most:
        scales = [scale for each in plan.questions for scale in each.scales]
        _refuse("the noise of a second stage is too small for what is charged", scales)
    return most


def _require_sums(plan: Plan, sums: tuple[MeasuredSum, ...], grid: Grid) -> None:
    """Compare every sum with what the terms demand."""
    if not isinstance(sums, tuple):
        _refuse("the sums of a plan must be a tuple", sums)
    listed = tuple(each.summand for each in sums)
    if listed != grid.summands:
        names = [summand.name for summand in listed]
        _refuse(f"strategy '{plan.strategy}' does not measure these sums", names)
    for each, step, needed in zip(sums, grid.steps, grid.sensitivities, strict=True):
        name = each.summand.label
        if each.step != step:
            _refuse(
                f"the lattice step of {name} is not the one of its bounds", each.step
            )
        if each.sensitivity != needed or type(each.sensitivity) is not int:
            _refuse(
                f"the sensitivity of {name} must be {needed} cells", each.sensitivity
            )
        if type(each.scale) is not float:
            _refuse(f"the noise of {name} must be a plain number", each.scale)
        if not SMALLEST_SCALE <= each.scale <= LARGEST_SCALE:
            _refuse(f"the noise of {name} is too small or too large", each.scale)


def _require_even(plan: Plan, question: PlannedQuestion, grid: Grid) -> list[Fraction]:
    """Certify each sum at its share of its question's share of the budget.

    Shares are equal, but for that of the count of cut units.

    Returns:
        How far one unit moves each sum in units of its noise.
    """
    moves = []
    shares = even_shares([each.summand.name for each in question.sums])
    cells, unit = cells_of(plan, question.partition), plan.unit
    for at, (each, share) in enumerate(zip(question.sums, shares, strict=True)):
        epsilon, delta = (share * question.weight * spent for spent in plan.for_sums)
        if is_one_row(unit):
            ratio = _alone(each)
        else:
            one = grid.only(at)
            ratio = unit_ratio(plan.mechanism, one, [each.scale], unit, cells)
        if not is_affordable(plan.mechanism, ratio=ratio, epsilon=epsilon, delta=delta):
            name = each.summand.label
            _refuse(f"the noise of {name} is too small for its share", each.scale)
        moves.append(ratio)
    return moves


def _require_joint(plan: Plan, grids: list[Grid]) -> list[Fraction]:
    """Certify all sums of all questions together.

    Returns:
        How far one unit moves them in units of their noise: all at once, or with
        Laplace noise each, where the squares of that add up to less.
    """
    ratios = []
    for question, grid in zip(plan.questions, grids, strict=True):
        if not is_convex(plan.mechanism, grid, question.scales):
            rule = "the noise of mixed products is too small beside the squares"
            _refuse(rule, question.scales)
        cells = cells_of(plan, question.partition)
        ratios.append(
            unit_ratio(plan.mechanism, grid, question.scales, plan.unit, cells)
        )
    epsilon, delta = plan.for_sums
    if len(ratios) == 1:
        whole = ratios[0]
    elif plan.mechanism == "laplace":
        whole = sum(ratios, Fraction(0))
    else:
        whole = root_above(sum((each * each for each in ratios), Fraction(0)))
    if not is_affordable(plan.mechanism, ratio=whole, epsilon=epsilon, delta=delta):
        _refuse(
            "the noise of the sums is too small for the budget",
            plan.questions[0].scales,
        )
    if plan.mechanism != "laplace":
        return [whole]
    apart = [
        plan.unit.cells_moved * _alone(each)
        for question in plan.questions
        for each in question.sums
    ]
    return apart if sum(each**2 for each in apart) < whole**2 else [whole]


def _alone(measured: MeasuredSum) -> Fraction:
    """Give how far one row moves one sum in units of its noise."""
    return Fraction(measured.sensitivity) / Fraction(measured.scale)


def _refuse(rule: str, given: object) -> NoReturn:
    raise PlanRefused(f"{rule}, got {show_given(given)}. Make the plan with make_plan.")
