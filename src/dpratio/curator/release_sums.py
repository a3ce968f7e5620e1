"""The one door between data and everyone else.

Floor: curator. Imports: plan, release, and the rest of this room.
"""

import contextlib
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require
from dpratio.curator.choose_engine import open_keys, open_table
from dpratio.curator.engine import KeyCount, statement_of, unit_rule
from dpratio.curator.entropy import fresh_id, system_bits
from dpratio.curator.exact import ExactSums
from dpratio.curator.noise import draw_noise
from dpratio.curator.select_keys import name_keys
from dpratio.errors import DpratioError, EngineFailed
from dpratio.plan.part import Part, Partition
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.release import Release, fresh_part
from dpratio.terms.dimensions import KINDS
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.version import __version__

__all__ = ["release_sums"]

Given = TypeVar("Given")


def release_sums(table: object, plan: Plan, *, engine: str = "auto") -> Release:
    """Add up a table as planned and release the sums with noise.

    Args:
        table: A path or glob of Parquet or CSV files, a `CsvFile`, a pandas, Polars
            or Arrow table, a DuckDB relation, or a mapping of columns to lists.
        plan: What to measure; it is priced again before the table is opened.
        engine: ``"auto"``, ``"duckdb"`` or ``"python"``.

    Returns:
        The release: safe to write, print and publish.

    Raises:
        PlanRefused: When the plan costs more than it says.
        SchemaRefused: When a column is missing or of the wrong type.
        FileRefused: When a file, its header or its footer cannot be read.
        EngineFailed: When the engine stops; nothing of the data is told.

    Guarantee:
        The release is (epsilon, delta)-differentially private for the unit and the
        neighbour relation of the plan, at the cost the plan states.
        Proof: docs/proofs/release.md.
    """
    require(isinstance(plan, Plan), "plan must be a Plan", type(plan).__name__)
    price(plan)
    known = [_known_groups(each) for each in plan.partitions]
    # The schema of every question is checked before a row is read.
    ready = [
        _open(table, plan, part, known[part.partition], engine) for part in plan.parts
    ]
    groups = [
        _find_keys(table, plan, each, engine)
        if isinstance(each, PrivateKeys)
        else cells
        for each, cells in zip(plan.partitions, known, strict=True)
    ]
    parts = []
    for part, ask in zip(plan.parts, ready, strict=True):
        cells = groups[part.partition]
        if cells is not known[part.partition]:
            ask = _open(table, plan, part, cells, engine)  # noqa: PLW2901
        parts.append(fresh_part(plan, part, cells, _noisy(plan, part, cells, ask)))
    return Release(fresh_id(), plan, tuple(parts), made_by=f"dpratio {__version__}")


def _open(
    table: object, plan: Plan, part: Part, groups: Groups | None, engine: str
) -> Callable[[], ExactSums]:
    """Open the table for one part of the plan."""
    statement = statement_of(plan, part, groups)
    return _quietly(lambda: open_table(table, statement, engine))


def _noisy(
    plan: Plan, part: Part, groups: Groups | None, ask: Callable[[], ExactSums]
) -> NDArray[np.int64]:
    """Ask for the exact sums of one part and put noise on them."""
    count = 1 if groups is None else groups.count
    if count == 0:
        return np.zeros((0, len(part.sums)), dtype=np.int64)
    noise = draw_noise(plan.mechanism, part, count, system_bits)
    return _quietly(ask).plus(noise)


def _known_groups(partition: Partition) -> Groups | None:
    """Give the declared cells; none of them where keys are yet to be found."""
    if isinstance(partition, PrivateKeys):
        return Groups.found(partition.column, KINDS[partition.kind], ())
    return partition


def _find_keys(table: object, plan: Plan, keys: PrivateKeys, engine: str) -> Groups:
    """Find the keys that enough units share."""
    asked = KeyCount(keys.column, keys.kind, unit_rule(plan, None))
    ask = _quietly(lambda: open_keys(table, asked, engine))
    return name_keys(_quietly(ask), keys, plan.unit, system_bits)


def _quietly(step: Callable[[], Given]) -> Given:
    """Open or run the engine; what others say when they stop may quote a cell."""
    given, refusal = None, None
    with contextlib.suppress(Exception):
        try:
            given = step()
        except DpratioError as error:
            refusal = error
    if refusal is not None:
        raise refusal
    if given is None:
        # Raised outside the handler, so that nothing is chained to it.
        raise EngineFailed(
            "the engine stopped while it read the table. Check that the files are "
            "whole and that memory suffices."
        )
    return given
