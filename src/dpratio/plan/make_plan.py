"""From a study to a plan: which law of noise, and how much of it each sum gets.

A strategy says how large the noise of each sum is beside that of the others; all of it
is then scaled up alike until it is proven to be enough. Only ``even``, the paper's,
has a share of the budget for each sum.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpratio.errors import InvalidInput
from dpratio.plan.laws import (
    GAUSSIAN,
    LAPLACE,
    LARGEST_SCALE,
    LAWS,
    SMALLEST_SCALE,
    NoiseLaw,
    certify_upwards,
    require_storable,
    shorten,
)
from dpratio.plan.measurement import TOTALS, Measurement, Stage
from dpratio.plan.plan import Plan
from dpratio.plan.rules import require_study
from dpratio.plan.sensitivity.joint import Grid, joint_ratio, pooled_ratio, unit_ratio
from dpratio.plan.sensitivity.sums import BASES, CUT, MeasuredSum, contrast_of
from dpratio.plan.settle import (
    CUT_SHARE,
    Allowance,
    Layout,
    allowances,
    even_shares,
    layouts_of,
    left_for_sums,
    settle,
    terms_of_plan,
)
from dpratio.plan.strategy import shares
from dpratio.terms.population import Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED, UNMEASURED, Study

# What a first stage gets of epsilon, where the planner takes one.
_STAGE = Fraction(1, 20)

EXPECTED_PEOPLE = 5_000  # Where nobody says how many there are.
# How many people there may be, over what is expected: without a word, and with n.
_COUNTS, _COUNTS_AROUND = (0.15, 1.0, 7.0), (0.8, 1.3)
# Where the ratio may be around a guess that a first stage made, in distances.
_AROUND = (-1.5, -0.5, 0.5, 1.5)

# Of a focused plan, at most, and as long as it widens answers by no more than so much.
_MOST_CUT_SHARE, _WIDENED = 0.058, math.log(1.02)

# What a test of calibration spends on each sum: docs/methods/calibration_curve.md.
_SHARES = {"z": 0.7, "h": 0.18, "zz": 0.1, "zh": 0.01, "hh": 0.01}
_DIGITS = 9


def make_plan(
    study: Study | Ratio | Question | Sequence[Ratio | Question],
    **terms: Any,  # noqa: ANN401 (the terms of a Study)
) -> Plan:
    """Decide what will be measured and with how much noise; no data are read.

    Args:
        study: A `Study`, which needs nothing else; or what it asks: a `Ratio`, a
            `Question`, or a list of them.
        **terms: The other terms, by the names that they have in a `Study`: ``bounds``
            and ``budget``, which are needed, and ``groups``, ``unit``, ``answers``,
            ``strategy``, ``mechanism``, ``n``, ``population``, ``stage`` and
            ``clipping``.

    Returns:
        A plan that prints itself as a table.

    Raises:
        InvalidInput: When a term breaks a rule, or the mechanism needs more delta.

    Example:
        >>> import dpratio as dpr
        >>> plan = make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> [measured.summand.name for measured in plan.measurements[0].sums]
        ['z', 'h', 'zz', 'zh', 'hh', 'c']
    """
    if not isinstance(study, Study):
        # Both are refused by name where they are missing.
        study = Study(study, **{"bounds": None, "budget": None, **terms})
    elif terms:
        raise InvalidInput(
            "a study holds all of its terms, and others were given beside it. "
            "Write make_plan(study), or change it: dataclasses.replace(study, …).",
            field="study",
        )
    require_study(study)
    settled = settle(study)
    is_unknown = any(item.ratio.guess_is == "unknown" for item in settled.questions)
    if study.stage is None and study.population is None and is_unknown:
        staged = replace(settled, stage=_STAGE)
        try:
            require_study(staged)
            return _best(staged)
        except InvalidInput:
            pass  # The terms need none, or its noise would be too large.
    return _best(settled)


def _best(study: Study) -> Plan:
    """Return the plan with the given noise, or with what promises the least width."""
    laws = [LAWS.get(study.mechanism, LAPLACE)]
    if study.mechanism == "auto" and left_for_sums(study, GAUSSIAN)[1] > 0:
        laws.append(GAUSSIAN)
    plans: list[tuple[Plan, float]] = []
    refused: list[InvalidInput] = []
    for law in laws:
        try:
            plans.append(_with_noise(study, law))
        except InvalidInput as error:
            refused.append(error)
    best = min(plans, key=lambda pair: pair[1])[0] if plans else None
    if study.clipping == MEASURED:
        people = study.n or EXPECTED_PEOPLE
        # So little budget may leave a count without room for its noise, or blind to
        # half of the people being cut.
        if best is None or 2 * best.cuts_seen_from > people:
            return _best(replace(study, clipping=UNMEASURED))
    if best is None:
        raise refused[0]
    return best


def _with_noise(study: Study, law: NoiseLaw) -> tuple[Plan, float]:
    """Return the plan, and a number that falls with the width it promises."""
    study = replace(study, mechanism=law.name)
    first = (study.stage or Fraction(0)) * study.budget.epsilon
    layouts = layouts_of(study, in_stages=first > 0)
    left = left_for_sums(study, law, first=first)
    measured = [
        measure_question(layout, allowed, study.n, study.population)
        for layout, allowed in zip(layouts, allowances(study, law, *left), strict=True)
    ]
    stage = None
    if first:
        totals = allowances(study, LAPLACE, first, Fraction(0))
        grids = [layout.raw_grid[:TOTALS] for layout in layouts]
        firsts = tuple(
            grid.measured(_certified(grid, allowed, grid.sensitivities, pooled_ratio))
            for grid, allowed in zip(grids, totals, strict=True)
        )
        stage = Stage(first, study.n, study.population, firsts)
    measurements = tuple(measurement for measurement, _ in measured)
    plan = Plan(terms_of_plan(study), measurements, stage)
    return plan, sum(width for _, width in measured)


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


def _even_scales(grid: Grid, allowed: Allowance) -> list[float]:
    """Calibrate each sum at an equal share: Miao & Li (2022), section 2.3.1."""
    scales, law = [], allowed.law
    names = [summand.name for summand in grid.summands]
    for place, share in enumerate(even_shares(names)):
        alone = grid[place : place + 1]
        scale = law.calibrate(
            sensitivity=alone.sensitivities[0],
            epsilon=allowed.epsilon * share,
            delta=allowed.delta * share,
        )
        if allowed.unit.cells_moved > 1:
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
    grid: Grid,
    allowed: Allowance,
    units: shares.Units,
    family: tuple[shares.People, ...],
) -> tuple[tuple[MeasuredSum, ...], float]:
    """Return sums by what each is worth, and the log width that they promise."""
    law, plain = allowed.law, _plain(grid)
    equal = [1.0] * len(plain.summands)
    by_unit = unit_ratio(law, plain, equal, allowed.unit, allowed.cells)
    by_unit /= joint_ratio(law, plain, equal)
    affordable = float(allowed.ratio / by_unit)
    shared, counting = (
        shares.share_budget(law, plain, affordable, units, family),
        CUT_SHARE,
    )
    if plain is not grid:
        counting = Fraction(shorten(min(_MOST_CUT_SHARE, _WIDENED / shared.by_budget)))
        affordable = float(_left(allowed, counting).ratio / by_unit)
        shared = shares.share_budget(law, plain, affordable, units, family)
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
