"""How much noise each sum gets: the part of the planner that shares a budget.

A strategy says how large the noise of each sum is beside that of the others; all of it
is then scaled up alike until it is proven to be enough. Only ``even``, the paper's,
has a share of the budget for each sum.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from dpratio.plan.laws import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    certify_upwards,
    require_storable,
    shorten,
)
from dpratio.plan.measurement import TOTALS, Measurement
from dpratio.plan.sensitivity.joint import (
    Grid,
    is_one_row,
    joint_ratio,
    pooled_ratio,
    unit_ratio,
)
from dpratio.plan.sensitivity.sums import BASES, CUT, MeasuredSum, contrast_of
from dpratio.plan.settle import Allowance, Layout
from dpratio.terms.population import Population

if TYPE_CHECKING:
    from dpratio.plan.strategy.shares import People, Units

EXPECTED_PEOPLE = 5_000  # Where nobody says how many there are.
# How many people there may be, over what is expected: without a word, and with n.
_COUNTS, _COUNTS_AROUND = (0.15, 1.0, 7.0), (0.8, 1.3)
# Where the ratio may be around a guess that a first stage made, in distances.
_AROUND = (-1.5, -0.5, 0.5, 1.5)

# What the count of cut units gets: docs/methods/bounds.md.
CUT_SHARE = Fraction(1, 50)
# Of a focused plan, at most, and as long as it widens answers by no more than so much.
_MOST_CUT_SHARE, _WIDENED = 0.058, math.log(1.02)

# What a test of calibration spends on each sum: docs/methods/calibration_curve.md.
_SHARES = {"z": 0.7, "h": 0.18, "zz": 0.1, "zh": 0.01, "hh": 0.01}
_DIGITS = 9


def measure_question(
    layout: Layout,
    allowed: Allowance,
    n: int | None,
    people: Population | None,
    distance: float | None = None,
) -> tuple[Measurement, float]:
    """Return the sums of a question, and a number that falls with their width.

    Args:
        layout: How the question is counted; in a focused plan it has a guess.
        allowed: What it may spend.
        n: About how many people there are, and
        people: what they are like; None for a family of people. It is about the totals
            of the unit, and not used where the question has others.
        distance: How far the ratio may be from its guess, where that is known;
            otherwise its ``guess_is`` tells.
    """
    is_test = "calibration" in layout.question.answers
    if layout.strategy == "focused" and not is_test:
        known = people if layout.is_described else None
        return _measure_focused(layout, allowed, n, known, distance)
    grid = layout.grid
    if layout.strategy == "even":
        sums = grid.measured(_even_scales(grid, allowed))
    elif is_test:
        sums = _measure(grid, allowed, _sizes_for_gaps(_plain(grid), allowed))
    else:
        sums = _measure(grid, allowed, _plain(grid).sensitivities)
    # All noise grows alike between laws, so one sum tells which is smaller.
    noise = allowed.law.sd(sums[0].scale)
    width = math.log(noise * sums[0].step) if is_test else noise
    return Measurement(layout.question, sums), width


def measure_totals(raw: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Return both totals of a question, with noise in proportion to sensitivity."""
    grid = raw[:TOTALS]
    return grid.measured(_certified(grid, allowed, grid.sensitivities, pooled_ratio))


def even_shares(names: Sequence[str]) -> list[Fraction]:
    """Return the shares of sums measured evenly; the count of cuts has its own.

    Example:
        >>> even_shares(["w", "wy"]), even_shares(["w", "wy", "c"])[-1]
        ([Fraction(1, 2), Fraction(1, 2)], Fraction(1, 50))
    """
    counted = CUT.name in names
    spent = CUT_SHARE if counted else Fraction(0)
    share = (1 - spent) / (len(names) - counted)
    return [spent if name == CUT.name else share for name in names]


def _even_scales(grid: Grid, allowed: Allowance) -> list[float]:
    """Calibrate each sum at an equal share: Miao & Li (2022), section 2.3.1."""
    scales, law = [], allowed.law
    shares = even_shares([summand.name for summand in grid.summands])
    for place, share in enumerate(shares):
        alone = grid[place : place + 1]
        scale = law.calibrate(
            sensitivity=alone.sensitivities[0],
            epsilon=allowed.epsilon * share,
            delta=allowed.delta * share,
        )
        if not is_one_row(allowed.unit):
            moves = unit_ratio(law, alone, [scale], allowed.unit, allowed.cells)
            moves /= joint_ratio(law, alone, [scale])
            scale *= float(moves) * (1 + 2.0**-20)
            require_storable(scale)
        scales.append(scale)
    return scales


def _sizes_for_gaps(grid: Grid, allowed: Allowance) -> list[float]:
    """Spend most on Σz, the gap between score and label around the ratio 1.

    The test of calibration needs little else: Σh tells how large a bin is, Σz² how
    weights spread. The other sums keep the ratio answerable.
    """
    noise = {}
    for summand, step, reach in zip(
        grid.summands, grid.steps, grid.sensitivities, strict=True
    ):
        # Where z is largest, h is half of its own largest value.
        moved = reach * step * (0.5 if summand.name == "h" else 1.0)
        noise[summand.name] = moved / _SHARES[summand.name] ** (1 / allowed.law.power)
    # The cost of a row stays convex (docs/proofs/joint_cost.md).
    noise["zh"] = max(noise["zh"], (noise["zz"] * noise["hh"]) ** 0.5)
    return [
        shorten(size) / step
        for size, step in zip(noise.values(), grid.steps, strict=True)
    ]


def _measure_focused(
    layout: Layout,
    allowed: Allowance,
    n: int | None,
    people: Population | None,
    distance: float | None,
) -> tuple[Measurement, float]:
    """Share the budget by what each sum is worth, in the basis that promises more."""
    from dpratio.plan.strategy import shares

    box, ratio = layout.box, layout.question.ratio
    guess = contrast_of(ratio).centre
    ratios = shares.likely_ratios(box, guess, ratio.guess_is)
    if distance is not None:
        ratios = tuple(guess + part * distance for part in _AROUND)
    counts = [EXPECTED_PEOPLE * part for part in _COUNTS]
    if n is not None:
        counts = [n * part for part in _COUNTS_AROUND]
    family = shares.family_of(box, guess, ratios, counts, people)
    tried = []
    # Around zero h is the denominator anyway.
    for basis in BASES if guess else BASES[:1]:
        units = shares.units_of(box, contrast_of(ratio, basis))
        sums, width = _share(replace(layout, basis=basis).grid, allowed, units, family)
        tried.append((Measurement(layout.question, sums, basis), width))
    # Near ties go to the first, whatever the last bits of a processor say.
    return min(tried, key=lambda pair: round(pair[1], _DIGITS))


def _share(
    grid: Grid, allowed: Allowance, units: "Units", family: tuple["People", ...]
) -> tuple[tuple[MeasuredSum, ...], float]:
    """Return sums by what each is worth, and the log width that they promise."""
    from dpratio.plan.strategy.shares import share_budget

    law, plain = allowed.law, _plain(grid)
    equal = [1.0] * len(plain.summands)
    by_unit = unit_ratio(law, plain, equal, allowed.unit, allowed.cells)
    by_unit /= joint_ratio(law, plain, equal)
    affordable = float(allowed.ratio / by_unit)
    shared, counting = share_budget(law, plain, affordable, units, family), CUT_SHARE
    if plain is not grid:
        counting = Fraction(shorten(min(_MOST_CUT_SHARE, _WIDENED / shared.by_budget)))
        affordable = float(_left(allowed, counting).ratio / by_unit)
        shared = share_budget(law, plain, affordable, units, family)
    sizes = [
        shorten(float(scale)) / step
        for scale, step in zip(shared.scales, plain.steps, strict=True)
    ]
    return _measure(grid, allowed, sizes, counting), shared.log_width


def _plain(grid: Grid) -> Grid:
    """Leave out the count of cut units, which comes last."""
    return grid[:-1] if CUT in grid.summands else grid


def _left(allowed: Allowance, share: Fraction) -> Allowance:
    """Return what is left for the sums beside a count with a share."""
    return replace(allowed, ratio=allowed.ratio * allowed.law.part(1 - share))


def _measure(
    grid: Grid,
    allowed: Allowance,
    sizes: Sequence[float],
    counting: Fraction = CUT_SHARE,
) -> tuple[MeasuredSum, ...]:
    """Certify sums, and the count of cut units at its own share, together."""
    scales = list(sizes)
    if CUT in grid.summands:
        left = _left(allowed, counting)
        scales = _certified(grid[:-1], left, scales, unit_ratio)
        alone = unit_ratio(allowed.law, grid[-1:], [1.0], allowed.unit, allowed.cells)
        scales.append(float(alone / (allowed.ratio * allowed.law.part(counting))))
    return grid.measured(_certified(grid, allowed, scales, unit_ratio))


def _certified(
    grid: Grid,
    allowed: Allowance,
    sizes: Sequence[float],
    ratio_of: Callable[..., Fraction],
) -> list[float]:
    """Scale noise up, all of it alike, to the least that is proven to be enough."""

    def scaled(factor: float) -> list[float]:
        return [max(size * factor, SMALLEST_SCALE) for size in sizes]

    def cost(scales: Sequence[float]) -> Fraction:
        return ratio_of(allowed.law, grid, scales, allowed.unit, allowed.cells)

    factor = certify_upwards(
        float(cost(sizes) / allowed.ratio),
        lambda by: max(scaled(by)) > LARGEST_SCALE or cost(scaled(by)) <= allowed.ratio,
    )
    require_storable(max(scaled(factor)))
    return scaled(factor)
