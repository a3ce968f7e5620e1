"""Which sums are measured, with how much noise, and how moments come back.

``even`` is the paper's: its sums, each with the same share of epsilon and delta, added
up by basic composition. ``joint`` measures the same sums as one vector at its joint
price. ``focused`` measures z and h of `contrast`, most precisely where the ratio needs
it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.calibration.calibrate import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    calibrate,
    certify_upwards,
)
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import Grid, grid_of, joint_ratio
from dpratio.plan.sensitivity.neighbours import is_one_row, unit_ratio
from dpratio.plan.sensitivity.sums import (
    MOMENTS,
    Summand,
    focused_summands,
    summands_for,
)
from dpratio.plan.strategy.expected import Expected
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "ANSWERS",
    "EXTERNAL",
    "STRATEGIES",
    "Allowance",
    "measure_evenly",
    "measure_focused",
    "measure_jointly",
    "reconstruction",
    "sums_of",
]

STRATEGIES = ("focused", "joint", "even")
# Sums that were measured elsewhere: no strategy of ours, and `price` refuses it.
EXTERNAL = "external"
ANSWERS = ("ratio", "means", "spread")

Box = Mapping[str, Bounds]
Matrix = dict[str, list[float]]


def sums_of(
    strategy: str, bounds: Box, contrast: Contrast, answers: Sequence[str]
) -> Grid:
    """Lay out the sums that a strategy measures for the answers wanted."""
    hint = "Make a plan with make_plan."
    require(strategy != EXTERNAL, "sums from elsewhere are not planned", strategy, hint)
    weighted = "w" in bounds
    if strategy == "focused":
        summands = focused_summands(weighted=weighted, means="means" in answers)
        return grid_of(summands, bounds, contrast)
    summands = summands_for(
        weighted=weighted, binary=bounds["y"].is_binary, spread="spread" in answers
    )
    return grid_of(summands, bounds, None)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a part may spend, on whom, and over how many cells.

    ``ratio`` is the largest move in units of noise that the part may cost: epsilon for
    Laplace noise, μ for Gaussian noise. ``epsilon`` and ``delta`` are the part's own
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
    contrast: Contrast,
    expected: Expected,
    nearness: float,
) -> tuple[tuple[MeasuredSum, ...], float]:
    """Share the budget by what each sum is worth; give the promised log width too."""
    from dpratio.plan.strategy.shares import share_budget

    unit_scales = [1.0] * len(grid.summands)
    by_unit = unit_ratio(
        allowed.mechanism, grid, unit_scales, allowed.unit, allowed.cells
    ) / joint_ratio(allowed.mechanism, grid, unit_scales)
    affordable = float(allowed.ratio / by_unit)
    shared = share_budget(
        allowed.mechanism, grid, affordable, contrast, expected, nearness
    )
    cells = [
        float(scale) / step
        for scale, step in zip(shared.scales, grid.steps, strict=True)
    ]
    return _measured(grid, _certified(grid, allowed, cells)), shared.log_width


def reconstruction(summands: Sequence[Summand], contrast: Contrast | None) -> Matrix:
    """Give each moment as a combination of the measured sums.

    Moments are named by their factors; ``a`` stands for w·s and ``b`` for w·y. A moment
    that was left out may equal one that was measured: w² = w without weights,
    wy² = wy for a binary denominator.

    Example:
        >>> sums = summands_for(weighted=False, binary=True)
        >>> reconstruction(sums, None)["ww"]
        [1.0, 0.0, 0.0, 0.0, 0.0]
    """
    names = [each.name for each in summands]
    if contrast is not None:
        return _from_contrast(names, contrast)
    unweighted = not any("w" in each.factors for each in summands)
    # Sums from elsewhere may hold no weight, or squares of units' products instead.
    stand_ins = {"wyy": "wy"} if "wss" in names else {}
    if unweighted:
        stand_ins |= {"ww": "w", "aa": "wss", "ab": "wys", "bb": "wyy"}
        stand_ins |= {"wa": "ws", "wb": "wy"}
    sources: dict[str, str] = {}
    for name in dict.fromkeys((*MOMENTS, "aa", "ab", "bb", "wa", "wb", *names)):
        found = name if name in names else stand_ins.get(name, "")
        found = sources.get(found, found)
        if found in names:
            sources[name] = found
    return {
        moment: [float(source == name) for name in names]
        for moment, source in sources.items()
    }


def _from_contrast(names: Sequence[str], contrast: Contrast) -> Matrix:
    numerator, denominator = contrast.inverse()
    parts = {
        "ws": _first(numerator),
        "wy": _first(denominator),
        "aa": _second(numerator, numerator),
        "ab": _second(numerator, denominator),
        "bb": _second(denominator, denominator),
    }
    if "w" in names:
        parts["w"] = {"w": 1.0}
        parts["ww"] = {"ww": 1.0} if "ww" in names else {"w": 1.0}
        mark = "w" if "wz" in names else ""
        parts["wa"] = {mark + name: part for name, part in parts["ws"].items()}
        parts["wb"] = {mark + name: part for name, part in parts["wy"].items()}
    return {
        moment: [given.get(name, 0.0) for name in names]
        for moment, given in parts.items()
    }


def _first(row: tuple[float, float]) -> dict[str, float]:
    return {"z": row[0], "h": row[1]}


def _second(
    first: tuple[float, float], second: tuple[float, float]
) -> dict[str, float]:
    return {
        "zz": first[0] * second[0],
        "zh": first[0] * second[1] + first[1] * second[0],
        "hh": first[1] * second[1],
    }


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
