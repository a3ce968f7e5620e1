"""End-to-end releases of invented neighbours, and how often each side is recognised.

Every group of a release is a sample: its noise is drawn by the curator, for it alone.
Tables are written as Parquet and go through the door as a curator's own would.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

import numpy as np

from dpratio.arrays import Floats, Integers
from dpratio.curator.choose_engine import open_table
from dpratio.curator.measure import noisy_totals
from dpratio.curator.noise.entropy import system_bits
from dpratio.curator.noise.rounded import draw_noise
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.table import write_parquet
from dpratio.curator.release_sums import release_sums
from dpratio.curator.statements import partitions_of, readings_of
from dpratio.plan.histograms import HistogramPlan
from dpratio.plan.laws import LAPLACE
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.release.release import Release
from dpratio.simulation.audit.bound import Counts
from dpratio.simulation.audit.invent import Columns, chunks_of, rows_of, table_of
from dpratio.simulation.audit.pair import Pair, Side
from dpratio.simulation.audit.question import QUESTIONS, SAMPLE, Question
from dpratio.simulation.audit.repeats import Agreements, agreements_of
from dpratio.simulation.audit.rounded_law import laws_of
from dpratio.simulation.audit.tally import Tally, marks_of, no_tally
from dpratio.terms.groups import Groups

Draw = Callable[[Side], Iterator[Integers]]

# A fifth of all noise is larger: there counts tell most about its scale.
_FIFTH_BEYOND = {"laplace": math.log(5), "gaussian": 1.2815515655446004}


@dataclass(frozen=True, slots=True)
class Door:
    """The curator's door, and a folder for what is carried to it."""

    folder: Path
    tick: Callable[[], object] = int

    def bring(self, columns: Columns) -> None:
        """Write the table that is released next."""
        write_parquet(str(self._path), columns)

    def release(self, plan: Plan) -> Release:
        """Release the table; no ledger is charged, for nobody is in it."""
        release = release_sums(self._path, plan, ledger=None, simulated=True)
        self.tick()
        return release

    def add_up(self, plan: AnyPlan) -> ExactSums:
        """Add up the table for a plan of one question, without noise."""
        (groups,) = partitions_of(plan)
        declared = groups if isinstance(groups, Groups) else None
        (reading,) = readings_of(plan, [declared])
        (statement,) = reading.statements
        return open_table(self._path, statement)()

    @property
    def _path(self) -> Path:
        return self.folder / "invented.parquet"


@dataclass(frozen=True, slots=True)
class Seen:
    """What samples of two tables showed.

    ``counts`` are of samples that look like the first table; ``large`` tells for each
    sum how many of the noises ``drawn`` were further than ``beyond`` from zero,
    ``agreements`` how often two of them were alike, and ``tally`` what else was counted
    of each sum's noise.
    """

    counts: tuple[Counts, ...]
    beyond: float
    large: tuple[int, ...]
    drawn: int
    agreements: Agreements
    tally: Tally


def look_at(
    plan: Plan, question: Question, pair: Pair, samples: int, draw: Draw
) -> Seen:
    """Release both tables; count what looks like the first, and the noise.

    To look like the first is to have a likelihood ratio above a threshold: an even
    one, and one on either side. Thresholds are set by the plan, before anything is
    drawn. ``draw`` gives samples of a table, in chunks.
    """
    laplace = plan.law == LAPLACE
    # Half way to what the ratio is at its largest, or in the mean under one table.
    side = pair.total / 2 if laplace else pair.total**2 / 4
    thresholds = np.array([-side, 0.0, side])
    beyond = _FIFTH_BEYOND["laplace" if laplace else "gaussian"]
    large = np.zeros(len(plan.measurements[0].sums), dtype=np.int64)
    laws = laws_of(plan)
    medians = np.array([law.mark_beyond(np.array(0.5)) for law in laws])
    medians = np.tile(medians, question.cells)
    looking, alike, tally = [], [], no_tally(marks_of(laws))
    earlier = None
    for placed, exact in zip((pair.first, pair.second), pair.exact, strict=True):
        hits = np.zeros(len(thresholds), dtype=np.int64)
        for values in draw(placed):
            ratio = _log_ratio(values / pair.scales, pair, laplace=laplace)
            hits += (ratio[:, None] > thresholds).sum(axis=0)
            noise = values - exact
            tally = tally.plus(noise.reshape(-1, noise.shape[-1]))
            large += (np.abs(noise) > beyond * pair.scales).sum(axis=(0, 1))
            flat = noise.reshape(len(noise), -1)
            alike.append(agreements_of(flat, medians, earlier))
            earlier = flat
        looking.append(hits)
    counts = [
        Counts(float(at), int(first), int(second), samples)
        for at, first, second in zip(thresholds, *looking, strict=True)
    ]
    drawn = 2 * samples * question.cells
    agreements = reduce(Agreements.plus, alike)
    return Seen(tuple(counts), beyond, tuple(large.tolist()), drawn, agreements, tally)


def _log_ratio(values: Floats, pair: Pair, *, laplace: bool) -> Floats:
    """Give the log likelihood ratio of each sample; values count in units of noise."""
    first, second = pair.sums
    each = (
        np.abs(values - second) - np.abs(values - first)
        if laplace
        else (first - second) * (values - (first + second) / 2)
    )
    return np.asarray(each.sum(axis=(1, 2)))


def released_by(
    door: Door, plan: Plan, question: Question, pair: Pair, samples: int
) -> Draw:
    """Release tables in chunks; give samples × cells × sums in lattice cells.

    Of two stages only releases that measured the declared sums are looked at: others,
    in which noise moved the guess, measured something else.
    """

    def draw(side: Side) -> Iterator[Integers]:
        for count, times in chunks_of(samples, rows_of(question, pair)):
            groups = Groups(SAMPLE, range(count * question.cells))
            planned = plan.over(groups)
            door.bring(table_of(question, side, count, pair.copies))
            for _ in range(times):
                (released,) = door.release(planned).questions
                while released.planned != planned.measurements[0]:
                    (released,) = replace(door, tick=int).release(planned).questions
                yield released.values.reshape(count, question.cells, -1)

    return draw


def totals_by(door: Door, plan: Plan, pair: Pair, samples: int) -> Draw:
    """Draw the noisy totals of a first stage; give samples × 1 × totals.

    One release has one pair of them, so that the table is added up once and the
    curator's first stage is asked as often as there are samples.
    """

    def draw(side: Side) -> Iterator[Integers]:
        question = QUESTIONS["row"]
        door.bring(table_of(question, side, 1, pair.copies))
        exact = door.add_up(plan)
        drawn = [noisy_totals(plan, [exact], system_bits)[0] for _ in range(samples)]
        yield np.array(drawn, dtype=np.int64)[:, None, :]

    return draw


def counts_by(
    door: Door, plan: HistogramPlan, columns: Columns, times: int
) -> Integers:
    """Draw the noisy counts of a histogram so often; give times × cells.

    A release has some hundred cells, so that the table is added up once and the
    curator's noise is put on its counts as often as there must be samples.
    """
    door.bring(columns)
    (histogram,) = plan.measurements
    exact = door.add_up(plan)
    cells = histogram.groups.count
    noise = draw_noise(plan.law, histogram.scales, times * cells, system_bits)
    door.tick()
    return exact.plus(noise.reshape(times, cells, 1))[:, :, 0]
