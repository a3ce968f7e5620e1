"""Open a table for a plan and measure it once: the only path from rows to noise."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dpratio.curator.choose_engine import (
    connected,
    open_keys,
    open_table,
    schema_for,
)
from dpratio.curator.noise.draw_noise import draw_noise
from dpratio.curator.noise.entropy import system_bits
from dpratio.curator.noise.select_keys import name_keys
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import (
    ColumnType,
    KeyCount,
    Statement,
    statement_of,
    unit_rule,
)
from dpratio.curator.silence import silence
from dpratio.curator.staged import measure_in_stages
from dpratio.curator.stopping import interrupt_heard
from dpratio.errors import DpratioError, EngineFailed
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import Partition, PlannedQuestion
from dpratio.release.release import ReleasedQuestion, fresh_question
from dpratio.terms.dimensions import KINDS
from dpratio.terms.groups import Groups, PrivateKeys

__all__ = ["connect", "look_at", "open_for"]

Given = TypeVar("Given")
Questions = tuple[ReleasedQuestion, ...]


def connect(table: object, engine: str) -> object:
    """Connect to a table that lies elsewhere; give another as it is."""
    return _quietly(lambda: connected(table, engine))


def open_for(table: object, plan: Plan, engine: str) -> Callable[[], Questions]:
    """Open a table for every question of a plan, by its schema alone.

    Returns:
        What reads the rows and draws the noise, each time anew: call it once.

    Raises:
        SchemaRefused: When a column is missing or of the wrong type.
        FileRefused: When a file, its header or its footer cannot be read.
    """
    table = connect(table, engine)
    # What is connected has an engine by now: a frame of Polars is DuckDB's.
    engine = "auto" if engine == "ibis" else engine
    known = [_known_groups(each) for each in plan.partitions]
    finders = {
        at: _open_keys(table, plan, each, engine)
        for at, each in enumerate(plan.partitions)
        if isinstance(each, PrivateKeys)
    }
    ready = [
        _open(table, plan, question, known[question.partition], engine)
        for question in plan.questions
    ]

    def measure() -> Questions:
        stage = plan.stage
        if stage is not None:
            exact = [_quietly(ask) for ask in ready]
            return _quietly(lambda: measure_in_stages(plan, stage, exact, system_bits))
        found = {at: find() for at, find in finders.items()}
        questions = []
        for question, ask in zip(plan.questions, ready, strict=True):
            cells = known[question.partition]
            if question.partition in found:
                cells = found[question.partition]
                ask = _open(table, plan, question, cells, engine)  # noqa: PLW2901
            questions.append(
                fresh_question(
                    plan, question, cells, _noisy(plan, question, cells, ask)
                )
            )
        return tuple(questions)

    return measure


def look_at(
    table: object, plan: Plan, engine: str
) -> list[tuple[Statement | KeyCount, str, Mapping[str, ColumnType]]]:
    """Open a table for every question of a plan as `open_for` does; ask none.

    Returns:
        The questions, each with the engine that would answer it and the schema.
    """
    table = connect(table, engine)
    engine = "auto" if engine == "ibis" else engine
    keys = (each for each in plan.partitions if isinstance(each, PrivateKeys))
    asked: list[Statement | KeyCount] = [_counted(plan, each) for each in keys]
    for question in plan.questions:
        known = _known_groups(plan.partitions[question.partition])
        asked.append(statement_of(plan, question, known))
    return [
        (each, *_quietly(lambda each=each: schema_for(table, each, engine)))  # type: ignore[misc]
        for each in asked
    ]


def _open(
    table: object,
    plan: Plan,
    question: PlannedQuestion,
    groups: Groups | None,
    engine: str,
) -> Callable[[], ExactSums]:
    """Open the table for one question of the plan."""
    statement = statement_of(plan, question, groups)
    return _quietly(lambda: open_table(table, statement, engine))


def _open_keys(
    table: object, plan: Plan, keys: PrivateKeys, engine: str
) -> Callable[[], Groups]:
    """Open the table for finding the keys that enough units share."""
    asked = _counted(plan, keys)
    ask = _quietly(lambda: open_keys(table, asked, engine))
    return lambda: name_keys(_quietly(ask), keys, plan.unit, system_bits)


def _counted(plan: Plan, keys: PrivateKeys) -> KeyCount:
    return KeyCount(keys.column, keys.kind, unit_rule(plan, None))


def _noisy(
    plan: Plan,
    question: PlannedQuestion,
    groups: Groups | None,
    ask: Callable[[], ExactSums],
) -> NDArray[np.int64]:
    """Ask for the exact sums of one question and put noise on them."""
    count = 1 if groups is None else groups.count
    if count == 0:
        return np.zeros((0, len(question.sums)), dtype=np.int64)
    noise = draw_noise(plan.mechanism, question, count, system_bits)
    return _quietly(ask).plus(noise)


def _known_groups(partition: Partition) -> Groups | None:
    """Give the declared cells; none of them where keys are yet to be found."""
    if isinstance(partition, PrivateKeys):
        return Groups.found(partition.column, KINDS[partition.kind], ())
    return partition


def _quietly(step: Callable[[], Given]) -> Given:
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
