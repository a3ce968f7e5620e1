"""Open a table for a plan and measure it once: the only path from rows to noise."""

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
from dpratio.curator.noise.draw_noise import draw_noise
from dpratio.curator.noise.entropy import system_bits
from dpratio.curator.noise.select_keys import name_keys
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import ColumnType, KeyCount, Reading
from dpratio.curator.silence import silence
from dpratio.curator.staged import measure_in_stages
from dpratio.curator.statements import partitions_of, places_of, readings_of, unit_rule
from dpratio.curator.stopping import interrupt_heard
from dpratio.errors import DpratioError, EngineFailed
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.release.release import ReleasedQuestion, fresh_question
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Partition
from dpratio.terms.unit import PrivacyUnit

if TYPE_CHECKING:
    from dpratio.plan.histograms import Histogram
    from dpratio.plan.measurement import Measurement

Given = TypeVar("Given")
Questions = tuple[ReleasedQuestion, ...]


def connect(table: object, engine: str) -> object:
    """Connect to a table that lies elsewhere; give another as it is."""
    return quietly(lambda: connected(table, engine))


def open_for(table: object, plan: AnyPlan, engine: str) -> Callable[[], Questions]:
    """Open a table for every question of a plan, by its schema alone.

    Returns:
        What reads the rows and draws the noise, each time anew: call it once.

    Raises:
        SchemaRefused: When a column is missing or of the wrong type.
        FileRefused: When a file, its header or its footer cannot be read.
    """
    table = connect(table, engine)
    partitions = partitions_of(plan)
    known = [_known_groups(part) for part in partitions]
    finders = {
        place: _open_keys(table, plan.unit, part, engine)
        for place, part in enumerate(partitions)
        if isinstance(part, PrivateKeys)
    }
    ready = [_open(table, reading, engine) for reading in readings_of(plan, known)]

    def measure() -> Questions:
        keys = {place: find() for place, find in finders.items()}
        cells = [keys.get(place, groups) for place, groups in enumerate(known)]
        asks = [
            _open(table, reading, engine) if place in keys else ready[place]
            for place, reading in enumerate(readings_of(plan, cells))
        ]
        if isinstance(plan, Plan) and plan.stage is not None:
            exact = _exact(plan, cells, asks)
            return quietly(lambda: measure_in_stages(plan, exact, system_bits))
        measured_items: Sequence[Measurement | Histogram] = plan.measurements
        groups = [cells[place] for place in places_of(plan)]
        noise = [
            draw_noise(plan.law, measured.scales, _count(declared), system_bits)
            for measured, declared in zip(measured_items, groups, strict=True)
        ]
        exact = _exact(plan, cells, asks)
        return tuple(
            fresh_question(plan.law, measured, declared, sums.plus(drawn))
            for measured, declared, sums, drawn in zip(
                measured_items, groups, exact, noise, strict=True
            )
        )

    return measure


def look_at(
    table: object, plan: AnyPlan, engine: str
) -> list[tuple[Reading | KeyCount, str, Mapping[str, ColumnType]]]:
    """Open a table for every question of a plan as `open_for` does; ask none.

    Returns:
        The questions, each with the engine that would answer it and the schema.
    """
    table = connect(table, engine)
    partitions = partitions_of(plan)
    asked: list[Reading | KeyCount] = [
        _counted(part, plan.unit)
        for part in partitions
        if isinstance(part, PrivateKeys)
    ]
    asked += readings_of(plan, [_known_groups(part) for part in partitions])
    return [
        (each, *quietly(lambda each=each: schema_for(table, each, engine)))  # type: ignore[misc]
        for each in asked
    ]


class _Nothing(KeyCount):
    """A question that reads no column, so that any schema will do."""

    @property
    def columns(self) -> list[str]:
        """None."""
        return []

    def check_schema(self, types: Mapping[str, ColumnType]) -> None:
        """Refuse nothing."""


def look_at_schema(table: object) -> Mapping[str, ColumnType]:
    """Give the names and types of a table's columns: its public schema, and no row."""
    asked = _Nothing("", "text", None)
    return quietly(lambda: schema_for(connect(table, "auto"), asked, "auto"))[1]


def _open(
    table: object, reading: Reading, engine: str
) -> Callable[[], list[ExactSums]]:
    """Open the table for questions about the same groups."""
    return quietly(lambda: open_reading(table, reading, engine))


def _open_keys(
    table: object, unit: PrivacyUnit, keys: PrivateKeys, engine: str
) -> Callable[[], Groups]:
    """Open the table for finding the keys that enough units share."""
    asked = _counted(keys, unit)
    ask = quietly(lambda: open_keys(table, asked, engine))
    return lambda: name_keys(quietly(ask), keys, unit, system_bits)


def _counted(keys: PrivateKeys, unit: PrivacyUnit) -> KeyCount:
    return KeyCount(keys.column, keys.kind, unit_rule(unit))


def _exact(
    plan: AnyPlan,
    groups: Sequence[Groups | None],
    asks: Sequence[Callable[[], list[ExactSums]]],
) -> list[ExactSums]:
    """Ask for the exact sums of every question; without groups there are none."""
    nothing = itertools.repeat(ExactSums(np.zeros((0, 1), dtype=np.int64)))
    found = [
        iter(quietly(ask)) if _count(declared) else nothing
        for ask, declared in zip(asks, groups, strict=True)
    ]
    return [next(found[place]) for place in places_of(plan)]


def _count(groups: Groups | None) -> int:
    return 1 if groups is None else groups.count


def _known_groups(partition: Partition) -> Groups | None:
    """Give the declared cells; none of them where keys are yet to be found."""
    if isinstance(partition, PrivateKeys):
        return partition.groups_of(())
    return partition


def quietly(step: Callable[[], Given]) -> Given:
    """Open or run the engine; what others say when they stop may quote a cell."""
    given, refusal = None, None
    with silence():
        try:
            given = step()
        except (DpratioError, KeyboardInterrupt, SystemExit) as error:
            refusal = error
        except BaseException:  # noqa: BLE001, S110 (a panic of Polars is no Exception)
            pass
    stop = interrupt_heard()
    if stop is not None and not isinstance(refusal, KeyboardInterrupt):
        raise stop
    if refusal is not None:
        # What was handled when it was raised may be the engine's, and quote a cell.
        refusal.__context__ = refusal.__cause__ = None
        raise refusal
    if given is None:
        # Raised outside the handler, so that nothing is chained to it.
        raise EngineFailed(
            "the engine stopped while it read the table. Check that the files are "
            "whole and that memory suffices."
        )
    return given
