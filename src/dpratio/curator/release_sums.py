"""The one door between data and everyone else.

Floor: curator. Imports: plan, release, and the rest of this room.
"""

import contextlib
from collections.abc import Callable
from typing import TypeVar

from dpratio.checks import require
from dpratio.curator.choose_engine import open_table
from dpratio.curator.engine import statement_of
from dpratio.curator.entropy import fresh_id, system_bits
from dpratio.curator.noise import draw_noise
from dpratio.errors import DpratioError, EngineFailed
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.release import Release
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
        The release is (epsilon, delta)-differentially private under adding or
        removing one row, at the cost the plan states.
        Proof: docs/proofs/release.md.
    """
    require(isinstance(plan, Plan), "plan must be a Plan", type(plan).__name__)
    price(plan)
    ask = _quietly(lambda: open_table(table, statement_of(plan), engine))
    values = _quietly(ask).plus(draw_noise(plan, system_bits))
    return Release(fresh_id(), plan, values, made_by=f"dpratio {__version__}")


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
