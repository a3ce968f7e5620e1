"""The two totals of a first stage: their noise in a plan, their price at the door."""

from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.laws import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    certify_upwards,
)
from dpratio.plan.sensitivity.joint import Grid
from dpratio.plan.sensitivity.neighbours import pooled_ratio
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.plan.split_budget import Allowance

__all__ = ["TOTALS", "measure_totals", "totals_grid", "totals_price"]

TOTALS = 2  # Σ w·s and Σ w·y come first among the raw sums.


def totals_grid(raw: Grid) -> Grid:
    """Lay out the two totals of a question, given its raw sums."""
    return raw.first(TOTALS)


def measure_totals(raw: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Give both totals noise in proportion to their sensitivity."""
    grid = totals_grid(raw)
    sizes = [float(each) for each in grid.sensitivities]

    def scaled(by: float) -> list[float]:
        return [max(each * by, SMALLEST_SCALE) for each in sizes]

    def cost(by: float) -> Fraction:
        return pooled_ratio(allowed.law, grid, scaled(by), allowed.unit, allowed.cells)

    factor = certify_upwards(
        float(cost(1.0) / allowed.ratio),
        lambda by: max(scaled(by)) > LARGEST_SCALE or cost(by) <= allowed.ratio,
    )
    scales = scaled(factor)
    hint = "Raise epsilon, or give the first stage a larger share."
    fits = max(scales) <= LARGEST_SCALE
    rule = "epsilon is too small: noise must stay below 2^50 cells"
    require(fits, rule, max(scales), hint)
    return tuple(
        MeasuredSum(*each)
        for each in zip(
            grid.summands, grid.steps, grid.sensitivities, scales, strict=True
        )
    )


def totals_price(
    raw: Grid, given: tuple[MeasuredSum, ...], allowed: Allowance
) -> Fraction:
    """Bound how far one unit moves the totals of a question, in units of their noise.

    Raises:
        InvalidInput: When they are not the totals that the terms demand.

    Guarantee:
        Releasing them with ideal noise of their scales costs no more epsilon.
        Proof: docs/proofs/staged.md.
    """
    grid = totals_grid(raw)
    listed = isinstance(given, tuple) and all(
        isinstance(each, MeasuredSum) and type(each.sensitivity) is int
        for each in given
    )
    demanded = list(zip(grid.summands, grid.steps, grid.sensitivities, strict=True))
    same = listed and demanded == [
        (each.summand, each.step, each.sensitivity) for each in given
    ]
    rule = "a first stage measures the totals that its bounds demand"
    require(same, rule, "others", "Make the plan with make_plan.")
    scales = [each.scale for each in given]
    for scale in scales:
        sized = type(scale) is float and SMALLEST_SCALE <= scale <= LARGEST_SCALE
        require(sized, "the noise of a total is too small or too large", scale)
    return pooled_ratio(allowed.law, grid, scales, allowed.unit, allowed.cells)
