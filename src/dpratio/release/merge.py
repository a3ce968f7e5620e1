"""Merging: sums of disjoint people add, and so does their noise."""

from collections.abc import Sequence

import numpy as np

from dpratio.checks import require
from dpratio.release.added_cost import added_up, dearest
from dpratio.release.release import (
    MADE_BY,
    Release,
    ReleasedQuestion,
    layers_add_up,
)
from dpratio.release.roll_up import added_rows, derived_id

__all__ = ["merge"]


def merge(releases: Sequence[Release], *, units_are_disjoint: bool = False) -> Release:
    """Add releases of the same plan about different people: sites, months, waves.

    Args:
        releases: Two releases or more, of the same terms and cells.
        units_are_disjoint: Say True. It is your promise that nobody, no row and no
            person, is in two of the releases; nothing in them could tell. Intervals
            rest on it.

    Returns:
        One release about all of them. Nothing is spent. Its cost is the sum of their
        costs; ``cost_if_disjoint`` is the largest epsilon and the largest delta, which
        is what anybody pays who is in one of them only, as promised.

    Raises:
        InvalidInput: When the promise is missing, or releases share a source or differ
            in what was measured; the message gives the reason.

    Guarantee:
        The stated cost is at least the sum of what was charged for the releases, so it
        holds for people who are in all of them. Proof: docs/proofs/derived.md.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> table = {"score": [0.2, 0.9] * 500, "label": [0, 1] * 500}
        >>> sites = [dpr.release_sums(table, plan, ledger=None) for _ in range(2)]
        >>> both = dpr.merge(sites, units_are_disjoint=True)
        >>> both.plan.epsilon, both.cost_if_disjoint
        (Fraction(2, 1), Budget(epsilon=1, delta=0))
    """
    given = list(releases) if isinstance(releases, list | tuple) else []
    enough = len(given) > 1 and all(isinstance(each, Release) for each in given)
    require(enough, "two releases or more are merged", len(given))
    first = given[0]
    for other in given[1:]:
        _require_alike(first, other)
    sources = [name for each in given for name in (each.sources or (each.id,))]
    hint = "The same people would count twice."
    rule = "releases that are merged must not share a source"
    require(len(set(sources)) == len(sources), rule, _repeated(sources), hint)
    hint = (
        "Say units_are_disjoint=True if that is so: it is your promise. Otherwise plan "
        "one release over all rows."
    )
    rule = "releases add up only where no row and no person is in two of them"
    require(units_are_disjoint is True, rule, units_are_disjoint, hint)
    plan = added_up([each.measured for each in given])
    questions = tuple(
        ReleasedQuestion(
            asked=asked,
            groups=same[0].groups,
            values=_total([each.values for each in same]),
            noise=layers_add_up([layer for each in same for layer in each.noise]),
        )
        for asked, *same in zip(
            plan.questions, *(each.questions for each in given), strict=True
        )
    )
    ordered = sorted(sources)
    return Release(
        id=derived_id(
            "merge", [], repr((ordered, [_shape(each) for each in questions]))
        ),
        plan=plan,
        questions=questions,
        made_by=MADE_BY,
        is_simulated=any(each.is_simulated for each in given),
        sources=tuple(ordered),
        ledger_heads=tuple(sorted({head for each in given for head in each.all_heads})),
        cost_if_disjoint=dearest(given),
        origin=_origins(given),
    )


def _total(values: list[np.ndarray]) -> np.ndarray:
    stacked = np.concatenate(values)
    codes = np.tile(np.arange(len(values[0])), len(values))
    return added_rows(stacked, codes, len(values[0]))


def _require_alike(first: Release, other: Release) -> None:
    """Refuse releases that did not measure the same."""
    hint = "Make all releases from one plan; only the budget may differ."
    names = ("bounds", "unit", "strategy")
    for name in names:
        same = getattr(first.plan, name) == getattr(other.plan, name)
        require(same, "releases that are merged must agree", f"another {name}", hint)
    if first.plan.stage is not None or other.plan.stage is not None:
        hint = "First stages may find different guesses: give the guess, in one stage."
    ratios = [
        [question.ratio for question in each.questions] for each in (first, other)
    ]
    require(ratios[0] == ratios[1], "releases must ask the same", "another ratio", hint)
    sums = [
        [
            # Sums of two bases have the same names, and may have the same steps.
            [question.asked.basis]
            + [(one.summand, one.step) for one in question.asked.sums]
            for question in each.questions
        ]
        for each in (first, other)
    ]
    rule = "releases that are merged must hold the same sums"
    require(sums[0] == sums[1], rule, "other sums", hint)
    cells = [
        [question.groups for question in each.questions] for each in (first, other)
    ]
    rule = "releases that are merged must have the same cells"
    require(cells[0] == cells[1], rule, "other groups", hint)


def _origins(releases: Sequence[Release]) -> str | None:
    """Name every system whose sums were merged."""
    named = {each.origin for each in releases if each.origin is not None}
    return " and ".join(sorted(named)) if named else None


def _shape(question: ReleasedQuestion) -> tuple[object, ...]:
    """Say what tells one merged question from another, the integers aside."""
    layers = [
        (each.mechanism, each.scales, each.counts.tolist()) for each in question.noise
    ]
    return question.groups, layers


def _repeated(names: list[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")
