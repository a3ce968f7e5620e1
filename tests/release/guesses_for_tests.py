"""Releases of one question that were measured around different guesses."""

from dataclasses import replace
from typing import Any

from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.release.release import Release
from dpratio.terms.ratio import Ratio
from release.releases_for_tests import GROUPS, plan_of, release_of

__all__ = ["GUESSES", "around", "in_basis"]

GUESSES = (0.5, 1.0, 2.0)


def around(guess: float, seed: int, **terms: Any) -> Release:  # noqa: ANN401
    """A release around a guess, with any integers."""
    groups = terms.pop("groups", GROUPS["text"])
    ratio = Ratio("score", per="label", guess=guess)
    return release_of(plan_of(groups, ratio=ratio, **terms), seed)


def in_basis(basis: str, seed: int) -> Release:
    """A release around the guess 1 with either h, with any integers."""
    plan = plan_of(GROUPS["text"])
    question = replace(plan.measurements[0], basis=basis)
    grid = plan.grid(question)
    sums = tuple(
        MeasuredSum(summand, step, most, 10.0 * most)
        for summand, step, most in zip(
            grid.summands, grid.steps, grid.sensitivities, strict=True
        )
    )
    other = replace(plan, questions=(replace(question, sums=sums),))
    price(other)
    return release_of(other, seed)
