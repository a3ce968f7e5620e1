"""Open a table for a plan and measure it once: the only path from rows to noise.

A plan of two stages is measured in one reading: its exact sums come in once and leave
twice, each time with fresh noise. Between the two, `realise` sees only the plan and the
noisy totals.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dpratio.curator.choose_engine import (
    connected,
    open_keys,
    open_reading,
    schema_for,
)
from dpratio.curator.noise.entropy import BitSource, fresh_id, system_bits
from dpratio.curator.noise.rounded import draw_noise, name_keys
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import ColumnType, KeyCount, Reading
from dpratio.curator.silence import silence
from dpratio.curator.statements import partitions_of, places_of, readings_of, unit_rule
from dpratio.curator.stopping import last_interrupt
from dpratio.errors import DpratioError, EngineFailed
from dpratio.plan.laws import LAPLACE
from dpratio.plan.measurement import TOTALS
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.plan.realise import realise
from dpratio.plan.sensitivity.joint import mixture_of
from dpratio.plan.sensitivity.sums import contrast_of
from dpratio.release.release import ReleasedQuestion, fresh_question
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Partition
from dpratio.terms.unit import PrivacyUnit

if TYPE_CHECKING:
    from dpratio.plan.histograms import Histogram
    from dpratio.plan.measurement import Measurement

Result = TypeVar("Result")
Questions = tuple[ReleasedQuestion, ...]
Schema = Mapping[str, ColumnType]


def connect(table: object) -> object:
    """Return a connection to a table that lies elsewhere, and any other as it is."""
    return quietly(lambda: connected(table))


def open_for(table: object, plan: AnyPlan) -> Callable[[], Questions]:
    """Open a connected table for every question of a priced plan, by its schema alone.

    Returns:
        What reads the rows and draws the noise, each time anew: call it once.

    Raises:
        SchemaRefused: When a column is missing or of the wrong type.
        FileRefused: When a file, its header or its footer cannot be read.
    """
    partitions, key = partitions_of(plan), fresh_id()
    known = [_known_groups(part) for part in partitions]
    finders = {
        place: _open_keys(table, plan.unit, part, key)
        for place, part in enumerate(partitions)
        if isinstance(part, PrivateKeys)
    }
    ready = [_open(table, reading) for reading in readings_of(plan, known, key)]

    def measure() -> Questions:
        keys = {place: find() for place, find in finders.items()}
        cells = [keys.get(place, groups) for place, groups in enumerate(known)]
        queries = [
            _open(table, reading) if place in keys else ready[place]
            for place, reading in enumerate(readings_of(plan, cells, key))
        ]
        if isinstance(plan, Plan) and plan.stage is not None:
            exact = _exact(plan, cells, queries)
            return quietly(lambda: measure_in_stages(plan, exact, system_bits))
        measured_items: Sequence[Measurement | Histogram] = plan.measurements
        groups = [cells[place] for place in places_of(plan)]
        noise = [
            draw_noise(plan.law, measured.scales, _count(declared), system_bits)
            for measured, declared in zip(measured_items, groups, strict=True)
        ]
        exact = _exact(plan, cells, queries)
        return tuple(
            fresh_question(plan.law, measured, declared, sums.plus(drawn))
            for measured, declared, sums, drawn in zip(
                measured_items, groups, exact, noise, strict=True
            )
        )

    return measure


def measure_in_stages(
    plan: Plan, exact: Sequence[ExactSums], bits: BitSource
) -> Questions:
    """Put noise on the totals of each question, and then on its sums.

    Args:
        plan: A plan with a first stage, priced before the table was opened.
        exact: The raw sums of each question: one reading, for both stages.
        bits: Where noise is drawn from.

    Guarantee:
        The totals and the sums together are (epsilon, delta)-private at what the plan
        spends.
        Proof: docs/proofs/staged.md.
    """
    totals = noisy_totals(plan, exact, bits)
    released = []
    for question, sums, first in zip(realise(plan, totals), exact, totals, strict=True):
        groups = question.groups
        declared = groups if isinstance(groups, Groups) else None
        noise = draw_noise(plan.law, question.scales, _count(declared), bits)
        contrast = contrast_of(question.ratio, question.basis)
        mixtures = mixture_of(
            plan.layout(question).grid, plan.layout(question).raw_grid, contrast
        )
        values = sums.mixed(mixtures).plus(noise)
        released.append(fresh_question(plan.law, question, declared, values, first))
    return tuple(released)


def noisy_totals(
    plan: Plan, exact: Sequence[ExactSums], bits: BitSource
) -> list[tuple[int, ...]]:
    """Put Laplace noise on the two totals of each question: the first stage."""
    totals: list[tuple[int, ...]] = []
    firsts = () if plan.stage is None else plan.stage.firsts
    for sums, first in zip(exact, firsts, strict=True):
        noise = draw_noise(LAPLACE, [total.scale for total in first], 1, bits)
        noisy = sums.first_totals(TOTALS).plus(noise)
        totals.append(tuple(noisy[0].tolist()))
    return totals


def look_at(table: object, plan: AnyPlan) -> list[tuple[Reading | KeyCount, Schema]]:
    """Return every question of a plan with the schema of the table; ask none."""
    partitions = partitions_of(plan)
    questions: list[Reading | KeyCount] = [
        KeyCount(part.column, part.kind, unit_rule(plan.unit))
        for part in partitions
        if isinstance(part, PrivateKeys)
    ]
    questions += readings_of(plan, [_known_groups(part) for part in partitions])
    return [(question, _schema(table, question)) for question in questions]


class _NoColumn(KeyCount):
    """A question that reads no column, so that any schema will do."""

    @property
    def columns(self) -> list[str]:
        """No column."""
        return []

    def check_schema(self, types: Schema) -> None:
        """Accept every schema."""


def look_at_schema(table: object) -> Schema:
    """Return the names and types of a table's columns: its public schema, no row."""
    return _schema(connect(table), _NoColumn("", "text", None))


def _schema(table: object, question: Reading | KeyCount) -> Schema:
    return quietly(lambda: schema_for(table, question))[1]


def _open(table: object, reading: Reading) -> Callable[[], list[ExactSums]]:
    """Open the table for questions about the same groups."""
    return quietly(lambda: open_reading(table, reading))


def _open_keys(
    table: object, unit: PrivacyUnit, keys: PrivateKeys, key: str
) -> Callable[[], Groups]:
    """Open the table for finding the keys that enough units share."""
    counting = KeyCount(keys.column, keys.kind, unit_rule(unit, key))
    count = quietly(lambda: open_keys(table, counting))
    return lambda: name_keys(quietly(count), keys, unit, system_bits)


def _exact(
    plan: AnyPlan,
    groups: Sequence[Groups | None],
    queries: Sequence[Callable[[], list[ExactSums]]],
) -> list[ExactSums]:
    """Query the exact sums of every question; without groups there are none."""
    nothing = itertools.repeat(ExactSums(np.zeros((0, 1), dtype=np.int64)))
    answers = [
        iter(quietly(query)) if _count(declared) else nothing
        for query, declared in zip(queries, groups, strict=True)
    ]
    return [next(answers[place]) for place in places_of(plan)]


def _count(groups: Groups | None) -> int:
    return 1 if groups is None else groups.count


def _known_groups(partition: Partition) -> Groups | None:
    """Return the declared cells; none of them where keys are yet to be found."""
    if isinstance(partition, PrivateKeys):
        return partition.groups_of(())
    return partition


def quietly(step: Callable[[], Result]) -> Result:
    """Open or run the engine; what others say when they stop may quote a cell."""
    result, refusal = None, None
    with silence():
        try:
            result = step()
        except (DpratioError, KeyboardInterrupt, SystemExit) as error:
            refusal = error
        except BaseException:  # noqa: BLE001, S110 (a panic of Polars is no Exception)
            pass
    stop = last_interrupt()
    if stop is not None and not isinstance(refusal, KeyboardInterrupt):
        raise stop
    if refusal is not None:
        # What was handled when it was raised may be the engine's, and quote a cell.
        refusal.__context__ = refusal.__cause__ = None
        raise refusal
    if result is None:
        # Raised outside the handler, so that nothing is chained to it.
        raise EngineFailed(
            "the engine stopped while it read the table. Check that the files are "
            "whole and that memory suffices."
        )
    return result
