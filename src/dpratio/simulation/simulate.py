"""From invented people to simulated releases, many repetitions at once.

Repetitions stand where groups stand in a real release, so that a simulation runs the
analyst's own code. Noise is drawn by a seeded generator and rounded to cells: it
stands in for the curator's and every release made here is stamped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from dpratio.arrays import Floats
from dpratio.plan.laws import LAPLACE
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.release.release import MADE_BY, Release, fresh_question
from dpratio.simulation.population import DrawPeople, People, Reals
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups

Factors = tuple[str, ...]
Seeds = np.random.SeedSequence
Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class View:
    """What is done to the people first, and which products are added up."""

    change: Callable[[People], People]
    products: Sequence[Factors]
    contrast: Contrast | None = None

    def sums(self, people: People) -> Floats:
        """Add up what is seen of the people, for each repetition."""
        return sum_products(self.change(people), self.products, self.contrast)


# People of so many repetitions have a seed of their own.
REPETITIONS_AT_ONCE = 50
_PEOPLE_AT_ONCE = 100_000
_SEEN_AT_ONCE = 25_000  # Their columns fit into the cache of a core.
# Once so many bytes were asked for and freed, glibc keeps up to twice as many instead
# of handing every large array back to the kernel: a fifth of the time went into that.
_KEPT_BYTES = 31 * 2**20


def view_of(plan: Plan, question: Measurement) -> View:
    """See people as the curator does for a question: clipped, and cuts counted."""
    counts = plan.layout(question).counts_cuts
    change = partial(clip_people, bounds=plan.box(question), counts_cuts=counts)
    products = [each.summand.factors for each in question.sums]
    return View(change, products, plan.layout(question).contrast)


def simulate_sums(
    population: DrawPeople,
    views: Mapping[Name, View],
    *,
    count: int,
    repetitions: int,
    seeds: Seeds,
    tick: Callable[[], object] = int,
) -> dict[Name, Floats]:
    """Add up products of invented columns, for each repetition and each view.

    Args:
        population: Who is drawn.
        views: By name, what is added up; views share their people.
        count: People per repetition.
        repetitions: How many samples are drawn.
        seeds: Source of the invention.
        tick: Called after each of `steps_of`, for progress.

    Returns:
        By view, the exact sums, repetitions × products.
    """
    np.empty(_KEPT_BYTES, dtype=np.uint8)
    parts: dict[Name, list[Floats]] = {name: [] for name in views}
    starts = range(0, repetitions, REPETITIONS_AT_ONCE)
    block = max(1, _PEOPLE_AT_ONCE // count)
    for first, seed in zip(starts, seeds.spawn(len(starts)), strict=True):
        rng = np.random.Generator(np.random.SFC64(seed))
        last = min(first + REPETITIONS_AT_ONCE, repetitions)
        for start in range(first, last, block):
            people = population(rng, min(block, last - start), count)
            for seen in people.in_turn(_SEEN_AT_ONCE):
                for name, view in views.items():
                    parts[name].append(view.sums(seen))
        tick()
    return {name: np.concatenate(sums) for name, sums in parts.items()}


def steps_of(repetitions: int) -> int:
    """Give the number of steps that inventing people takes."""
    return -(-repetitions // REPETITIONS_AT_ONCE)


def sum_products(
    people: People, products: Sequence[Factors], contrast: Contrast | None = None
) -> Floats:
    """Add up products of columns over the people of each repetition."""
    shape = people.score.shape
    columns: dict[str, Reals] = {"s": people.score, "y": people.label}
    if people.weight is not None:
        columns["w"] = people.weight
    if people.cut is not None:
        columns["c"] = people.cut
    if contrast is not None:
        columns["z"], columns["h"] = z, _ = _contrast(people, contrast)
        if contrast.limit is not None:
            if people.cut is not None:
                beyond = np.abs(z) > contrast.uncut
                columns["c"] = np.where(beyond, 1.0, people.cut)
            columns["z"] = np.minimum(np.maximum(z, -contrast.limit), contrast.limit)
    made: dict[Factors, Reals] = {(name,): each for name, each in columns.items()}
    sums = np.empty((shape[0], len(products)))
    for index, factors in enumerate(products):
        if not factors:
            sums[:, index] = shape[1]
        elif len(factors) == 1:
            sums[:, index] = columns[factors[0]].sum(axis=1, dtype=np.float64)
        else:
            head = factors[:-1]
            if head not in made:
                made[head] = made[head[:-1]] * columns[head[-1]]
            last = columns[factors[-1]]
            sums[:, index] = np.einsum("rp,rp->r", made[head], last)
    return sums


def _contrast(people: People, contrast: Contrast) -> tuple[Reals, Reals]:
    """Make the columns of a focused plan, as the curator does; z is not clipped yet."""
    scaled = contrast.centre * people.label
    z = people.score - scaled
    h = people.score + scaled if contrast.has_numerator else people.label
    if people.weight is not None:
        z, h = people.weight * z, people.weight * h
    return z, h


def clip_people(
    people: People, bounds: Mapping[str, Bounds], *, counts_cuts: bool = False
) -> People:
    """Clip invented columns to their bounds, as the curator does; say who was cut."""

    def clip(values: Reals, letter: str) -> Reals:
        limit = bounds[letter]
        if limit.is_binary:
            return np.asarray(values >= 0.5, dtype=np.float64)  # noqa: PLR2004
        return np.clip(values.astype(np.float64), limit.lower, limit.upper)

    given = {"s": people.score, "y": people.label}
    if people.weight is not None and "w" in bounds:
        given["w"] = people.weight
    kept = {letter: clip(values, letter) for letter, values in given.items()}
    cut = None
    if counts_cuts:
        cut = np.zeros(people.score.shape) if people.cut is None else people.cut
        for letter, values in given.items():
            if bounds[letter].can_cut:
                cut = np.where(kept[letter] != values, 1.0, cut)
    return People(kept["s"], kept["y"], kept.get("w"), cut)


def simulate_release(
    sums: Floats, plan: Plan, question: Measurement, rng: np.random.Generator
) -> Release:
    """Put noise on exact sums, repetitions × measured sums, and stamp the release."""
    steps = np.array([each.step for each in question.sums])
    draw = rng.laplace if plan.law == LAPLACE else rng.normal
    noise = draw(scale=np.array(question.scales), size=sums.shape)
    cells = (np.rint(sums / steps) + np.rint(noise)).astype(np.int64)
    groups = Groups("repetition", range(len(sums)))
    planned = plan.measuring([question]).over(groups)
    return Release(
        id=rng.bytes(16).hex(),
        plan=planned,
        questions=(
            fresh_question(planned.law, planned.measurements[0], groups, cells),
        ),
        made_by=MADE_BY,
        is_simulated=True,
    )
