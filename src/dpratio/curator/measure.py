"""Open a table for a plan and measure it once: the only path from rows to noise."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

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
from dpratio.curator.reading.statement import ColumnType, KeyCount, Reading, Statement
from dpratio.curator.silence import silence
from dpratio.curator.staged import measure_in_stages
from dpratio.curator.statements import statement_of, unit_rule
from dpratio.curator.stopping import interrupt_heard
from dpratio.errors import DpratioError, EngineFailed
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import Partition, PlannedQuestion
from dpratio.release.release import ReleasedQuestion, fresh_question
from dpratio.terms.dimensions import KINDS
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.unit import PrivacyUnit

__all__ = ["connect", "look_at", "look_at_schema", "open_for", "quietly"]

Given = TypeVar("Given")
Questions = tuple[ReleasedQuestion, ...]


def connect(table: object, engine: str) -> object:
    """Connect to a table that lies elsewhere; give another as it is."""
    return quietly(lambda: connected(table, engine))


def open_for(table: object, plan: Plan, engine: str) -> Callable[[], Questions]:
    """Open a table for every question of a plan, by its schema alone.

    Returns:
        What reads the rows and draws the noise, each time anew: call it once.

    Raises:
        SchemaRefused: When a column is missing or of the wrong type.
        FileRefused: When a file, its header or its footer cannot be read.
    """
    table = connect(table, engine)
    known = [_known_groups(each) for each in plan.partitions]
    finders = {
        at: _open_keys(table, plan.unit, each, engine)
        for at, each in enumerate(plan.partitions)
        if isinstance(each, PrivateKeys)
    }
    ready = {
        at: _open(table, each, engine) for at, each in _readings(plan, known).items()
    }

    def measure() -> Questions:
        found = {at: find() for at, find in finders.items()}
        cells = [found.get(at, each) for at, each in enumerate(known)]
        asks = {
            at: _open(table, each, engine) if at in found else ready[at]
            for at, each in _readings(plan, cells).items()
        }
        stage = plan.stage
        if stage is not None:
            exact = _exact(plan, cells, asks)
            return quietly(lambda: measure_in_stages(plan, stage, exact, system_bits))
        noise = [_noise(plan, each, cells[each.partition]) for each in plan.questions]
        exact = _exact(plan, cells, asks)
        return tuple(
            fresh_question(plan, each, cells[each.partition], sums.plus(drawn))
            for each, sums, drawn in zip(plan.questions, exact, noise, strict=True)
        )

    return measure


def look_at(
    table: object, plan: Plan, engine: str
) -> list[tuple[Reading | KeyCount, str, Mapping[str, ColumnType]]]:
    """Open a table for every question of a plan as `open_for` does; ask none.

    Returns:
        The questions, each with the engine that would answer it and the schema.
    """
    table = connect(table, engine)
    groups = [_known_groups(each) for each in plan.partitions]
    asked: list[Reading | KeyCount] = [
        _counted(each, plan.unit)
        for each in plan.partitions
        if isinstance(each, PrivateKeys)
    ]
    asked += _readings(plan, groups).values()
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


def _readings(plan: Plan, groups: Sequence[Groups | None]) -> dict[int, Reading]:
    """Say what is added up: one reading for all questions of a partition."""
    asked: dict[int, list[Statement]] = {}
    for each in plan.questions:
        statement = statement_of(plan, each, groups[each.partition])
        asked.setdefault(each.partition, []).append(statement)
    return {at: Reading(tuple(each)) for at, each in asked.items()}


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


def _noise(
    plan: Plan, question: PlannedQuestion, groups: Groups | None
) -> NDArray[np.int64]:
    """Draw the noise of one question, before its sums are asked for."""
    count = _count(groups)
    return draw_noise(plan.mechanism, question, count, system_bits)


def _exact(
    plan: Plan,
    groups: Sequence[Groups | None],
    asks: Mapping[int, Callable[[], list[ExactSums]]],
) -> list[ExactSums]:
    """Ask for the exact sums of every question; without groups there are none."""
    nothing = itertools.repeat(ExactSums(np.zeros((0, 1), dtype=np.int64)))
    found = {
        at: iter(quietly(ask)) if _count(groups[at]) else nothing
        for at, ask in asks.items()
    }
    return [next(found[each.partition]) for each in plan.questions]


def _count(groups: Groups | None) -> int:
    return 1 if groups is None else groups.count


def _known_groups(partition: Partition) -> Groups | None:
    """Give the declared cells; none of them where keys are yet to be found."""
    if isinstance(partition, PrivateKeys):
        return Groups.found(partition.column, KINDS[partition.kind], ())
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
