"""The same answers for tables that need no protection, stamped NOT PRIVATE.

A table that was declared public, or that was invented, is added up without noise, and
the sums are answered like those of a release. They never become one: what is made here
has no id, cannot be charged, merged or written, and only answers leave.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from dpratio.arrays import Floats, Integers
from dpratio.checks import refuse, require
from dpratio.plan.measurement import Measurement, pick_question
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import summands_for
from dpratio.release.release import Release
from dpratio.release.wrap import wrap_sums
from dpratio.tabular import PUBLIC
from dpratio.terms.groups import Dimension, Groups, Keys, PrivateKeys, ScoreBins

Answer = TypeVar("Answer")

# With weights the squares of units: right whatever the weights depend on.
_WEIGHTED = ("w", "wy", "ws", "ww", "aa", "ab", "bb", "wa", "wb")
_LETTERS = {"a": ("w", "s"), "b": ("w", "y")}
_NO_ID = "0" * 32  # What was never released has no id.
_HALF = 0.5  # Where a column of 0 and 1 is rounded up.


def estimate_public(
    answer: Callable[..., Answer],
    table: Any,  # noqa: ANN401 (a frame, or columns by name)
    plan: Plan,
    *arguments: object,
    which: str | int | None = None,
    simulated: bool = False,
    **options: Any,  # noqa: ANN401 (options of the answer)
) -> Answer:
    """Answer a question about a public or invented table, exactly and NOT PRIVATE.

    Bounds clip, groups are those that were declared and rows without a number are left
    out, as in a release of the same plan; budget and noise play no part.

    Args:
        answer: `estimate_ratios`, `compare_ratios`, `calibration_curve` and the like:
            whatever takes a release first.
        table: A pandas or Polars frame, or columns by name.
        plan: What is asked: the plan that a release would have, over single rows.
        arguments: What the answer takes after the release.
        which: Which question of a plan with several: its name, or its number from 1.
        simulated: Whether the people are invented; the answer says so as well.
        options: Options of the answer.

    Returns:
        The answer, stamped NOT PRIVATE where it is read and in every row of its table.

    Raises:
        InvalidInput: When the plan is about people with many rows, about periods or
            keys that are found, or when the answer would hand out a release.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> table = {"score": [0.2, 0.9] * 500, "label": [0, 1] * 500}
        >>> found = dpr.simulation.estimate_public(dpr.estimate_ratios, table, plan)
        >>> found.ratio.round(3), found.to_dicts()[0]["privacy"]
        (array([1.1]), 'NOT PRIVATE')
    """
    require(isinstance(plan, Plan), "plan must be a Plan", plan, "Make it: make_plan.")
    require(callable(answer), "answer must be a function of a release", answer)
    asked = pick_question(plan.measurements, which)
    found = answer(
        _summed(table, plan, asked, simulated=simulated), *arguments, **options
    )
    hint = "Ask for an answer: estimate_ratios, compare_ratios or another."
    rule = "a public table gives answers, and never a release"
    require(not isinstance(found, Release), rule, type(found).__name__, hint)
    return found


def _summed(
    table: Any,  # noqa: ANN401
    plan: Plan,
    asked: Measurement,
    *,
    simulated: bool,
) -> Release:
    """Add up a table as a plan says, without noise."""
    unit = plan.unit.column
    hint = "Add up the rows of each person first, and plan over rows."
    require(unit is None, "public tables are answered row by row", unit, hint)
    groups = asked.groups
    hint = "Declare the keys: the table is public."
    found = isinstance(groups, PrivateKeys)
    require(not found, "public tables have declared groups", "keys to find", hint)
    people = _people_of(table, plan, asked)
    kept = np.logical_and.reduce([np.isfinite(each) for each in people.values()])
    cells = np.where(kept, 0, -1)
    if isinstance(groups, Groups):
        cells = np.where(kept, _cells_of(table, plan, groups), -1)
    count = groups.count if isinstance(groups, Groups) else 1
    box = plan.box(asked)
    named = _products(is_weighted="w" in box, is_binary=box["y"].is_binary)
    # Cell by cell: the rows of each lie side by side.
    order = np.argsort(cells, kind="stable")
    ends = np.searchsorted(cells[order], np.arange(count + 1))
    sums = np.zeros((count, len(named)))
    for cell, (start, end) in enumerate(itertools.pairwise(ends)):
        rows = order[start:end]
        for at, factors in enumerate(named.values()):
            product = np.ones(len(rows))
            for factor in factors:
                product = product * people[factor][rows]
            sums[cell, at] = product.sum()
    made = wrap_sums(
        {name: sums[:, at].tolist() for at, name in enumerate(named)},
        asked.ratio,
        noise_sd=dict.fromkeys(named, 0.0),
        law="laplace",
        bounds=plan.bounds,
        origin=PUBLIC,
        claimed=plan.budget,
        groups=groups if isinstance(groups, Groups) else None,
        is_simulated=simulated,
    )
    return replace(made, id=_NO_ID)


def _people_of(
    table: Any,  # noqa: ANN401
    plan: Plan,
    asked: Measurement,
) -> dict[str, Floats]:
    """Read s, y and perhaps w of every row, each column clipped to its bounds."""
    ratio = asked.ratio

    def clipped(name: str) -> Floats:
        values, limit = _numbers(table, name), plan.bounds[name]
        if not limit.is_binary:
            return np.clip(values, limit.lower, limit.upper)
        return np.where(np.isfinite(values), (values >= _HALF) * 1.0, values)

    score = clipped(ratio.numerator)
    if ratio.minus is not None:
        score = score - clipped(ratio.minus)
    is_one = plan.bounds[ratio.per].is_one
    people = {"s": score, "y": np.ones_like(score) if is_one else clipped(ratio.per)}
    return people if ratio.weight is None else people | {"w": clipped(ratio.weight)}


def _products(*, is_weighted: bool, is_binary: bool) -> dict[str, tuple[str, ...]]:
    """Give the sums to make, by name, with their factors."""
    if not is_weighted:
        every = summands_for(weighted=False, binary=is_binary, spread=True)
        return {each.name: each.factors for each in every}
    return {
        name: tuple(
            factor for letter in name for factor in _LETTERS.get(letter, letter)
        )
        for name in _WEIGHTED
    }


def _cells_of(
    table: Any,  # noqa: ANN401
    plan: Plan,
    groups: Groups,
) -> Integers:
    """Tell the cell of every row; −1 for none."""
    places = [_places(table, plan, each) for each in groups.dimensions]
    sizes = [len(each.values) for each in groups.dimensions]
    cells = np.full(sizes, -1, dtype=np.int64)
    known = [
        {key: at for at, key in enumerate(each.values)} for each in groups.dimensions
    ]
    for cell, key in enumerate(groups.keys):
        parts = key if isinstance(key, tuple) else (key,)
        at = tuple(own[part] for own, part in zip(known, parts, strict=True))
        cells[at] = cell
    there = np.logical_and.reduce([each >= 0 for each in places])
    return np.where(there, cells[tuple(np.maximum(each, 0) for each in places)], -1)


def _places(
    table: Any,  # noqa: ANN401
    plan: Plan,
    dimension: Dimension,
) -> Integers:
    """Tell the key or bin of every row; −1 for none."""
    if isinstance(dimension, Keys):
        known = {key: at for at, key in enumerate(dimension.values)}
        cells = np.asarray(_column(table, dimension.column)).tolist()
        return np.array([known.get(each, -1) for each in cells], dtype=np.int64)
    hint = "Group by a column that holds the name of the period."
    binned = isinstance(dimension, ScoreBins)
    require(binned, "public tables are grouped by keys or bins", dimension, hint)
    edges = np.array(dimension.edges)  # type: ignore[union-attr]  # of bins
    limit = plan.bounds[dimension.column]
    values = np.clip(_numbers(table, dimension.column), limit.lower, limit.upper)
    at = np.searchsorted(edges, values, side="right") - 1
    at = np.where(values == edges[-1], len(edges) - 2, at)
    inside = (values >= edges[0]) & (values <= edges[-1])
    return np.where(inside, at, -1)


def _numbers(table: Any, name: str) -> Floats:  # noqa: ANN401
    values = np.asarray(_column(table, name))
    numeric = values.ndim == 1 and values.dtype.kind in "biuf"
    require(numeric, f"column '{name}' must hold numbers", str(values.dtype))
    return values.astype(np.float64)


def _column(table: Any, name: str) -> Any:  # noqa: ANN401
    try:
        return table[name]
    except (KeyError, IndexError, TypeError, ValueError):
        refuse(
            "the table has no such column", name, "Give a frame, or columns by name."
        )
