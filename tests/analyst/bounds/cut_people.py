"""Releases of people whom bounds cut, and the histograms that counted them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyst.given import given_release, summed
from dpratio.plan.histogram.ladder import Ladder, ladder_of
from dpratio.plan.histogram.propose import Noisy
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.plan.search.realise_bounds import realise_bounds
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

__all__ = ["ORDERS", "counted", "counts_of", "found_release", "histograms", "released"]

Floats = NDArray[np.float64]
ORDERS = Bounds(0, 4, natural=True)
LADDER = Ladder(-4, 20)


def counts_of(values: Floats, ladder: Ladder) -> list[int]:
    """Count values on a ladder, without noise."""
    places = [ladder.place(float(each)) for each in values]
    counts: list[int] = np.bincount(places, minlength=len(ladder.labels)).tolist()
    return counts


def counted(values: Floats, scale: float = 2.0**-10, ladder: Ladder = LADDER) -> Noisy:
    """A histogram that says of its noise what is given, and has none."""
    return Noisy(ladder, tuple(counts_of(values, ladder)), scale)


def histograms(rng: np.random.Generator | None = None, **columns: Floats) -> Release:
    """A release of `plan_bounds` of some columns, with the noise that it states."""
    study = Study(Ratio("spent", per="orders"), bounds={}, budget=Budget(1))
    limits = (2.0**LADDER.lowest, 2.0**LADDER.highest)
    plan = plan_bounds(study, budget=Budget("0.2"), columns=[*columns], limits=limits)
    values = [np.array([counts_of(each, LADDER)]).T for each in columns.values()]
    if rng is not None:
        scale = plan.questions[0].scales[0]
        values = [
            each + np.rint(rng.laplace(0, scale, each.shape)).astype(np.int64)
            for each in values
        ]
    return given_release(plan, *values, id="1" * 32)


def released(
    spent: Floats,
    orders: Floats,
    bounds: dict[str, Bounds],
    rng: np.random.Generator | None = None,
    **terms: Any,  # noqa: ANN401
) -> Release:
    """A release of the sums of people within bounds, all in one cell."""
    ratio = terms.pop("ratio", Ratio("spent", per="orders", guess=25))
    given = {"budget": Budget(1), "n": len(spent), **terms}
    plan = make_plan(ratio, bounds=bounds, **given)
    return given_release(plan, _sums(plan, spent, orders, rng))


def found_release(
    spent: Floats,
    orders: Floats,
    widest: Bounds,
    rng: np.random.Generator | None = None,
) -> Release:
    """A release that found the bounds of what is spent."""
    plan = make_plan(
        Ratio("spent", per="orders", guess=25, guess_is="unknown"),
        bounds={"spent": widest, "orders": ORDERS},
        budget=Budget(1),
        n=len(spent),
    )
    assert plan.search is not None
    held = plan.search.histograms
    ladder = ladder_of(held.partitions[0].keys)
    assert ladder is not None
    counts = np.array(counts_of(spent, ladder))
    if rng is not None:
        noise = rng.laplace(0, held.questions[0].scales[0], len(counts))
        counts = counts + np.rint(noise).astype(np.int64)
    second, searched = realise_bounds(plan, (tuple(counts.tolist()),))
    values = _sums(second, spent, orders, rng)
    question = fresh_question(second, second.questions[0], None, values)
    return Release("0" * 32, plan, (question,), "a test", searched=searched)


def _sums(
    plan: Plan, spent: Floats, orders: Floats, rng: np.random.Generator | None
) -> NDArray[np.int64]:
    question = plan.questions[0]
    box = plan.box(question)
    columns = {
        letter: np.clip(each, box[letter].lower, box[letter].upper)
        for letter, each in (("s", spent), ("y", orders))
    }
    cut = (columns["s"] != spent) | (columns["y"] != orders)
    columns |= {"c": cut * 1.0, "w": np.ones(len(spent))}
    values = summed(plan, columns, np.zeros(len(spent)))
    if rng is None:
        return values
    noise = rng.laplace(0, np.array(question.scales), values.shape)
    return values + np.rint(noise).astype(np.int64)
