"""How much noise each sum gets: the part of the planner that shares a budget."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpratio.plan.laws import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    certify_upwards,
    require_storable,
    shorten,
)
from dpratio.plan.measurement import Measurement
from dpratio.plan.sensitivity.joint import Grid, is_one_row, joint_ratio, unit_ratio
from dpratio.plan.sensitivity.sums import BASES, CUT, MeasuredSum, contrast_of
from dpratio.plan.settle import Allowance, Layout
from dpratio.plan.strategy.people import (
    People,
    Units,
    family_of,
    likely_counts,
    likely_ratios,
    units_of,
)
from dpratio.terms.population import Population

# What the count of cut units gets: docs/methods/bounds.md.
CUT_SHARE = Fraction(1, 50)
# Of a focused plan, at most, and as long as it widens answers by no more than so much.
_MOST_CUT_SHARE, _WIDENED = 0.058, math.log(1.02)

# What a test of calibration spends on each sum: docs/methods/calibration_curve.md.
_SHARES = {"z": 0.7, "h": 0.18, "zz": 0.1, "zh": 0.01, "hh": 0.01}


def measure_evenly(grid: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Measure each sum at an equal share: Miao & Li (2022), section 2.3.1."""
    scales = []
    shares = even_shares([each.name for each in grid.summands])
    for at, (sensitivity, share) in enumerate(
        zip(grid.sensitivities, shares, strict=True)
    ):
        one = grid.only(at)
        scale = allowed.law.calibrate(
            sensitivity=sensitivity,
            epsilon=allowed.epsilon * share,
            delta=allowed.delta * share,
        )
        if not is_one_row(allowed.unit):
            moves = unit_ratio(
                allowed.law, one, [scale], allowed.unit, allowed.cells
            ) / joint_ratio(allowed.law, one, [scale])
            scale *= float(moves) * (1 + 2.0**-20)
            require_storable(scale)
        scales.append(scale)
    return _measured(grid, scales)


def even_shares(names: Sequence[str]) -> list[Fraction]:
    """Return the shares of sums measured evenly; the count of cuts has its own.

    Example:
        >>> even_shares(["w", "wy"]), even_shares(["w", "wy", "c"])[-1]
        ([Fraction(1, 2), Fraction(1, 2)], Fraction(1, 50))
    """
    counted = CUT.name in names
    spent = CUT_SHARE if counted else Fraction(0)
    each = (1 - spent) / (len(names) - counted)
    return [spent if name == CUT.name else each for name in names]


def measure_jointly(grid: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Measure each sum with noise in proportion to its sensitivity, as one vector."""
    sizes = [float(each) for each in _plain(grid).sensitivities]
    return _measured(grid, _counted(grid, allowed, sizes, CUT_SHARE))


def measure_focused(
    grid: Grid,
    allowed: Allowance,
    units: Units,
    family: Sequence[People],
) -> tuple[tuple[MeasuredSum, ...], float]:
    """Share the budget by what each sum is worth; give the promised log width too."""
    from dpratio.plan.strategy.shares import Shared, share_budget

    plain = _plain(grid)
    unit_scales = [1.0] * len(plain.summands)
    by_unit = unit_ratio(
        allowed.law, plain, unit_scales, allowed.unit, allowed.cells
    ) / joint_ratio(allowed.law, plain, unit_scales)

    def sharing(left: Allowance) -> Shared:
        affordable = float(left.ratio / by_unit)
        return share_budget(allowed.law, plain, affordable, units, family)

    shared, counting = sharing(allowed), Fraction(0)
    if plain is not grid:
        counting = Fraction(shorten(min(_MOST_CUT_SHARE, _WIDENED / shared.by_budget)))
        shared = sharing(_left(allowed, counting))
    cells = [
        shorten(float(scale)) / step
        for scale, step in zip(shared.scales, plain.steps, strict=True)
    ]
    counted = _counted(grid, allowed, cells, counting)
    return _measured(grid, counted), shared.log_width


def measure_gaps(grid: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Spend most on Σz, the gap between score and label around the ratio 1.

    The test of calibration needs little else: Σh tells how large a bin is, Σz² how
    weights spread. The other sums keep the ratio answerable.
    """
    noise, plain = {}, _plain(grid)
    for each, step, reach in zip(
        plain.summands, plain.steps, plain.sensitivities, strict=True
    ):
        # Where z is largest, h is half of its own largest value.
        moved = reach * step * (0.5 if each.name == "h" else 1.0)
        noise[each.name] = moved / _SHARES[each.name] ** (1 / allowed.law.power)
    # The cost of a row stays convex (docs/proofs/joint_cost.md).
    noise["zh"] = max(noise["zh"], (noise["zz"] * noise["hh"]) ** 0.5)
    cells = [
        shorten(noise[each.name]) / step
        for each, step in zip(plain.summands, plain.steps, strict=True)
    ]
    return _measured(grid, _counted(grid, allowed, cells, CUT_SHARE))


def _plain(grid: Grid) -> Grid:
    """Leave out the count of cut units, which comes last."""
    return grid.first(len(grid.summands) - 1) if CUT in grid.summands else grid


def _left(allowed: Allowance, share: Fraction) -> Allowance:
    """Return what is left for the sums beside a count with a share."""
    return replace(allowed, ratio=allowed.ratio * allowed.law.part(1 - share))


def _counted(
    grid: Grid, allowed: Allowance, cells: Sequence[float], share: Fraction
) -> list[float]:
    """Certify sums, and the count of cut units at its own share, together."""
    plain = _plain(grid)
    if plain is grid:
        return _certified(grid, allowed, cells)
    sums = _certified(plain, _left(allowed, share), cells)
    once = grid.only(len(cells))
    alone = unit_ratio(allowed.law, once, [1.0], allowed.unit, allowed.cells)
    count = float(alone / (allowed.ratio * allowed.law.part(share)))
    return _certified(grid, allowed, [*sums, count])


def _certified(grid: Grid, allowed: Allowance, cells: Sequence[float]) -> list[float]:
    """Scale noise up, all of it alike, to the least that is proven to be enough."""

    def cost(scales: Sequence[float]) -> Fraction:
        return unit_ratio(allowed.law, grid, scales, allowed.unit, allowed.cells)

    def scaled(by: float) -> list[float]:
        return [max(each * by, SMALLEST_SCALE) for each in cells]

    factor = certify_upwards(
        float(cost(cells) / allowed.ratio),
        lambda by: max(scaled(by)) > LARGEST_SCALE or cost(scaled(by)) <= allowed.ratio,
    )
    require_storable(max(scaled(factor)))
    return scaled(factor)


def _measured(grid: Grid, scales: Sequence[float]) -> tuple[MeasuredSum, ...]:
    return tuple(
        MeasuredSum(*each)
        for each in zip(
            grid.summands, grid.steps, grid.sensitivities, scales, strict=True
        )
    )


# Where the ratio may be around a guess that was found, in distances.
_AROUND = (-1.5, -0.5, 0.5, 1.5)
_DIGITS = 9


def measure_around(
    layout: Layout,
    allowed: Allowance,
    n: int | None,
    people: Population | None,
    distance: float | None = None,
) -> tuple[Measurement, float]:
    """Return the sums of a question, and a number that falls with their width.

    Args:
        layout: How the question is counted; it has a guess of its ratio.
        allowed: What it may spend.
        n: About how many people there are, and
        people: what they are like; None for a family of people. It is about the totals
            of the unit, and not used where the question has others.
        distance: How far the ratio may be from its guess, where that is known;
            otherwise its ``guess_is`` tells.
    """
    question = layout.question
    if "calibration" in question.answers:
        sums = measure_gaps(layout.grid(), allowed)
        gap = allowed.law.sd(sums[0].scale) * sums[0].step
        return Measurement(question, sums), math.log(gap)
    # Around zero h is the denominator anyway.
    bases = BASES if question.ratio.guess else BASES[:1]
    known = people if layout.is_described else None
    tried = []
    for basis in bases:
        units = units_of(layout.box, contrast_of(question.ratio, basis))
        ratios = (
            likely_ratios(units, question.ratio.guess_is)
            if distance is None
            else _ratios_within(units, distance)
        )
        family = family_of(units, ratios, likely_counts(n), known)
        sums, width = measure_focused(layout.grid(basis), allowed, units, family)
        tried.append((Measurement(question, sums, basis), width))
    # Near ties go to the first, whatever the last bits of a processor say.
    return min(tried, key=lambda pair: round(pair[1], _DIGITS))


def _ratios_within(units: Units, distance: float) -> list[float]:
    """Return where the ratio may be, in the units of the box."""
    unit = distance * units.factors["y"] / units.factors["s"]
    return [units.contrast.centre + part * unit for part in _AROUND]
