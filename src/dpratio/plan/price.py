"""Pricing a plan again, from its terms alone.

A plan may have been edited by hand, read from a file or made by a planner with a
mistake in it. Nothing it says about itself is believed here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from dpratio.checks import show_given
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.histograms import HistogramPlan, settled
from dpratio.plan.laws import LAPLACE, LARGEST_SCALE, SMALLEST_SCALE
from dpratio.plan.measurement import TOTALS, Measurement, Stage
from dpratio.plan.plan import Plan
from dpratio.plan.rules import require_stage, require_terms
from dpratio.plan.sensitivity.joint import Grid, is_convex, pooled_ratio, unit_ratio
from dpratio.plan.sensitivity.sums import BASES, MeasuredSum
from dpratio.plan.settle import Layout, cells_of, even_shares, settle_guess

AnyPlan = Plan | HistogramPlan


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
        return (sum((cost**2 for cost in self.pure), self.gaussian)) / 2


def price(plan: AnyPlan) -> Cost:
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
    if isinstance(plan, HistogramPlan):
        return _price_histograms(plan)
    if not isinstance(plan, Plan):
        _refuse("only a plan has a price", plan)
    layouts = _require_terms(plan)
    if plan.stage is not None:
        _require_first_stage(plan, plan.stage, layouts)
    grids = [layout.grid for layout in layouts]
    for measured, grid in zip(plan.measurements, grids, strict=True):
        _require_sums(plan, measured.sums, grid)
    if plan.study.strategy == "even":
        moves = [
            move
            for measured, grid in zip(plan.measurements, grids, strict=True)
            for move in _require_even(plan, measured, grid)
        ]
    else:
        moves = _require_joint(plan, grids)
    first: tuple[Fraction, ...] = ()
    if plan.stage is not None:
        first, moves = (plan.stage.epsilon,), [_require_second_stage(plan, moves)]
    keys = [part.budget for part in plan.private_keys]
    is_pure = plan.law == LAPLACE
    return Cost(
        plan.epsilon,
        plan.delta,
        pure=(*first, *(moves if is_pure else ()), *(part.epsilon for part in keys)),
        gaussian=Fraction(0) if is_pure else plan.law.total(moves),
        keys_delta=sum((part.delta for part in keys), Fraction(0)),
    )


def _price_histograms(plan: HistogramPlan) -> Cost:
    """Certify the counts of all histograms together."""
    try:
        demanded = settled(plan)
    except InvalidInput as error:
        raise PlanRefused(f"the plan's terms break a rule: {error}") from None
    if demanded != plan:
        names = [histogram.name for histogram in plan.measurements]
        _refuse("histograms state the names, cells and bounds of their terms", names)
    moves = [
        histogram.cells_moved(plan.unit) / Fraction(histogram.scale)
        for histogram in plan.measurements
    ]
    if sum(moves, Fraction(0)) > plan.epsilon:
        scales = [histogram.scale for histogram in plan.measurements]
        _refuse("the noise of the histograms is too small for the budget", scales)
    return Cost(plan.epsilon, Fraction(0), tuple(moves), Fraction(0), Fraction(0))


def _require_terms(plan: Plan) -> list[Layout]:
    """Check every rule between the terms; return how they have questions counted."""
    study, stage = plan.study, plan.stage
    for measured in plan.measurements:
        if measured.basis not in BASES:
            _refuse("the basis of a plan is 'sum' or 'denominator'", measured.basis)
    try:
        require_terms(study, bought=plan.bought)
        if stage is not None:
            if not (isinstance(stage, Stage) and type(stage.epsilon) is Fraction):
                _refuse("a first stage is a Stage with an exact epsilon", stage)
            require_stage(study, stage.epsilon)
        layouts = [plan.layout(measured) for measured in plan.measurements]
        ratios = [settle_guess(layout) for layout in layouts]
    except InvalidInput as error:
        raise PlanRefused(f"the plan's terms break a rule: {error}") from None
    if ratios != [question.ratio for question in study.questions]:
        _refuse(
            "a focused plan states the guess of its ratio",
            next(question.ratio.guess for question in study.questions),
        )
    shares = [question.budget_share for question in study.questions]
    if sum(shares) > 1:
        _refuse("the shares of questions must be at most 1 together", shares)
    return layouts


def _require_first_stage(plan: Plan, stage: Stage, layouts: Sequence[Layout]) -> None:
    """Certify the totals of all questions together at what the first stage spends."""
    firsts = stage.firsts
    if not isinstance(firsts, tuple) or len(firsts) != len(layouts):
        _refuse("a first stage has totals of every question", "others")
    costs = []
    for layout, first in zip(layouts, firsts, strict=True):
        grid, cells = layout.raw_grid[:TOTALS], cells_of(layout.question.groups)
        _require_sums(plan, first, grid)
        scales = [total.scale for total in first]
        costs.append(pooled_ratio(LAPLACE, grid, scales, plan.unit, cells))
    if sum(costs, Fraction(0)) > stage.epsilon:
        scales = [total.scale for first in firsts for total in first]
        _refuse("the noise of the first stage is too small for its share", scales)


def _require_second_stage(plan: Plan, moves: list[Fraction]) -> Fraction:
    """Return the most that any second stage may cost; refuse one that costs more.

    Which one is run is not known when it is charged.
    """
    epsilon, delta = plan.for_sums
    most = plan.law.largest_ratio(epsilon, delta)
    if plan.law != LAPLACE and max(moves) > most:
        scales = [scale for item in plan.measurements for scale in item.scales]
        _refuse("the noise of a second stage is too small for what is charged", scales)
    return most


def _require_sums(plan: Plan, sums: tuple[MeasuredSum, ...], grid: Grid) -> None:
    """Compare every sum with what the terms demand."""
    listed = isinstance(sums, tuple)
    if not (listed and all(isinstance(measured, MeasuredSum) for measured in sums)):
        _refuse("the sums of a plan must be a tuple of MeasuredSum", sums)
    summands = tuple(measured.summand for measured in sums)
    if summands != grid.summands:
        names = [summand.name for summand in summands]
        _refuse(f"strategy '{plan.study.strategy}' does not measure these sums", names)
    demanded = zip(grid.steps, grid.sensitivities, strict=True)
    for measured, wanted in zip(sums, demanded, strict=True):
        name, scale = measured.summand.label, measured.scale
        laid = measured.step, measured.sensitivity
        if laid != wanted or type(measured.sensitivity) is not int:
            _refuse(f"lattice step and sensitivity of {name} must be {wanted}", laid)
        if type(scale) is not float or not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            rule = f"the noise of {name} must be a plain number, not too small or large"
            _refuse(rule, scale)


def _require_even(plan: Plan, measured: Measurement, grid: Grid) -> list[Fraction]:
    """Certify each sum at its share of its question's share of the budget.

    Shares are equal, but for that of the count of cut units.

    Returns:
        How far one unit moves each sum in units of its noise.
    """
    moves = []
    law, unit, cells = plan.law, plan.unit, cells_of(measured.groups)
    shares = even_shares([part.summand.name for part in measured.sums])
    for place, (part, share) in enumerate(zip(measured.sums, shares, strict=True)):
        epsilon, delta = (
            share * measured.question.budget_share * spent for spent in plan.for_sums
        )
        if unit.cells_moved == 1:
            ratio = Fraction(part.sensitivity) / Fraction(part.scale)
        else:
            ratio = unit_ratio(law, grid[place : place + 1], [part.scale], unit, cells)
        if not law.affords(ratio, epsilon=epsilon, delta=delta):
            name = part.summand.label
            _refuse(f"the noise of {name} is too small for its share", part.scale)
        moves.append(ratio)
    return moves


def _require_joint(plan: Plan, grids: list[Grid]) -> list[Fraction]:
    """Certify all sums of all questions together.

    Returns:
        How far one unit moves them in units of their noise: all at once, or with
        Laplace noise each, where the squares of that add up to less.
    """
    law, ratios = plan.law, []
    for measured, grid in zip(plan.measurements, grids, strict=True):
        if not is_convex(law, grid, measured.scales):
            rule = "the noise of mixed products is too small beside the squares"
            _refuse(rule, measured.scales)
        cells = cells_of(measured.groups)
        ratios.append(unit_ratio(law, grid, measured.scales, plan.unit, cells))
    epsilon, delta = plan.for_sums
    # A root of a square would be rounded up.
    whole = ratios[0] if len(ratios) == 1 else law.compose(ratios)
    if not law.affords(whole, epsilon=epsilon, delta=delta):
        _refuse(
            "the noise of the sums is too small for the budget",
            plan.measurements[0].scales,
        )
    if law != LAPLACE:
        return [whole]
    apart = [
        Fraction(plan.unit.cells_moved * part.sensitivity) / Fraction(part.scale)
        for measured in plan.measurements
        for part in measured.sums
    ]
    return apart if sum(move**2 for move in apart) < whole**2 else [whole]


def _refuse(rule: str, value: object) -> NoReturn:
    raise PlanRefused(f"{rule}, got {show_given(value)}. Make the plan with make_plan.")
