"""How much noise each sum gets: the part of the planner that shares a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.calibration.calibrate import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    calibrate,
    certify_upwards,
)
from dpratio.plan.sensitivity.joint import Grid, joint_ratio
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.neighbours import is_one_row, unit_ratio
from dpratio.plan.strategy.people import People, Units
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "Allowance",
    "measure_evenly",
    "measure_focused",
    "measure_gaps",
    "measure_jointly",
]

# What a test of calibration spends on each sum: docs/methods/calibration_curve.md.
_SHARES = {"z": 0.7, "h": 0.18, "zz": 0.1, "zh": 0.01, "hh": 0.01}


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a question may spend, on whom, and over how many cells.

    ``ratio`` is the largest move in units of noise that the question may cost: epsilon
    for Laplace noise, μ for Gaussian noise. ``epsilon`` and ``delta`` are its own
    under basic composition.
    """

    mechanism: str
    ratio: Fraction
    epsilon: Fraction
    delta: Fraction
    unit: PrivacyUnit
    cells: int | None


def measure_evenly(grid: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Give each sum an equal share: Miao & Li (2022), section 2.3.1."""
    count = len(grid.summands)
    scales = []
    for at, sensitivity in enumerate(grid.sensitivities):
        one = grid.only(at)
        scale = calibrate(
            allowed.mechanism,
            sensitivity=sensitivity,
            epsilon=allowed.epsilon / count,
            delta=allowed.delta / count,
        )
        if not is_one_row(allowed.unit):
            moves = unit_ratio(
                allowed.mechanism, one, [scale], allowed.unit, allowed.cells
            ) / joint_ratio(allowed.mechanism, one, [scale])
            scale *= float(moves) * (1 + 2.0**-20)
            _require_storable(scale)
        scales.append(scale)
    return _measured(grid, scales)


def measure_jointly(grid: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Give each sum noise in proportion to its own sensitivity, at the joint price."""
    sizes = [float(each) for each in grid.sensitivities]
    return _measured(grid, _certified(grid, allowed, sizes))


def measure_focused(
    grid: Grid,
    allowed: Allowance,
    units: Units,
    family: Sequence[People],
) -> tuple[tuple[MeasuredSum, ...], float]:
    """Share the budget by what each sum is worth; give the promised log width too."""
    from dpratio.plan.strategy.shares import share_budget

    unit_scales = [1.0] * len(grid.summands)
    by_unit = unit_ratio(
        allowed.mechanism, grid, unit_scales, allowed.unit, allowed.cells
    ) / joint_ratio(allowed.mechanism, grid, unit_scales)
    affordable = float(allowed.ratio / by_unit)
    shared = share_budget(allowed.mechanism, grid, affordable, units, family)
    cells = [
        float(scale) / step
        for scale, step in zip(shared.scales, grid.steps, strict=True)
    ]
    return _measured(grid, _certified(grid, allowed, cells)), shared.log_width


def measure_gaps(grid: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Spend most on Σz, the gap between score and label around the ratio 1.

    The test of calibration needs little else: Σh tells how large a bin is, Σz² how
    weights spread. The other sums keep the ratio answerable.
    """
    power = 1.0 if allowed.mechanism == "laplace" else 0.5
    noise = {}
    for each, step, reach in zip(
        grid.summands, grid.steps, grid.sensitivities, strict=True
    ):
        # Where z is largest, h is half of its own largest value.
        moved = reach * step * (0.5 if each.name == "h" else 1.0)
        noise[each.name] = moved / _SHARES[each.name] ** power
    # The cost of a row stays convex (docs/proofs/joint_cost.md).
    noise["zh"] = max(noise["zh"], (noise["zz"] * noise["hh"]) ** 0.5)
    cells = [
        noise[each.name] / step
        for each, step in zip(grid.summands, grid.steps, strict=True)
    ]
    return _measured(grid, _certified(grid, allowed, cells))


def _certified(grid: Grid, allowed: Allowance, cells: Sequence[float]) -> list[float]:
    """Scale noise up, all of it alike, to the least that is proven to be enough."""

    def cost(scales: Sequence[float]) -> Fraction:
        return unit_ratio(allowed.mechanism, grid, scales, allowed.unit, allowed.cells)

    def scaled(by: float) -> list[float]:
        return [max(each * by, SMALLEST_SCALE) for each in cells]

    factor = certify_upwards(
        float(cost(cells) / allowed.ratio),
        lambda by: max(scaled(by)) > LARGEST_SCALE or cost(scaled(by)) <= allowed.ratio,
    )
    _require_storable(max(scaled(factor)))
    return scaled(factor)


def _require_storable(scale: float) -> None:
    hint = "Raise epsilon, or ask for fewer sums."
    require(scale <= LARGEST_SCALE, "noise must stay below 2^50 cells", scale, hint)


def _measured(grid: Grid, scales: Sequence[float]) -> tuple[MeasuredSum, ...]:
    return tuple(
        MeasuredSum(*each)
        for each in zip(
            grid.summands, grid.steps, grid.sensitivities, scales, strict=True
        )
    )
