"""An exact look at how data are written: faults of their format, and nothing else.

It is not private. The ledger gets a line before the data are opened, and every release
that is charged afterwards says that its terms were set after a look.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dpratio.checks import refuse
from dpratio.curator.exact.cells import (
    Cells,
    DayCells,
    NumberCells,
    TextCells,
    WholeCells,
)
from dpratio.curator.exact.fault_words import FILE, ORDER_OF_KINDS, Fault, fault_of
from dpratio.curator.exact.lines import MISSING, FileLines
from dpratio.curator.ledger.account.source import source_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.looks import enter_look
from dpratio.curator.measure import quietly
from dpratio.curator.reading.csv_lines import lines_of
from dpratio.curator.reading.files import find_files
from dpratio.curator.reading.tables import as_source
from dpratio.curator.reading.variables import as_written, resolved
from dpratio.plan.plan import Plan
from dpratio.terms.dimensions import KINDS, Dimension, Keys, ScoreBins
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.source import CsvFile

__all__ = ["Look", "look_at_format", "require_text_files"]


@dataclass(frozen=True, slots=True)
class Look:
    """The faults that were found: columns and kinds, in an order of their own."""

    faults: tuple[Fault, ...]

    def said(self) -> list[str]:
        """Say each fault, its likely cause, and what to write in the study."""
        none = "No fault of format was found in the columns that the study names."
        return [str(each) for each in self.faults] or [none]


def require_text_files(table: object) -> CsvFile:
    """Give the CSV files that a table is; nothing is opened.

    Raises:
        InvalidInput: When it is anything else.
    """
    source = as_source(table)
    if not isinstance(source, CsvFile):
        hint = (
            "Other sources have types: see them with `dpratio check --schema`, and "
            "count what can be read with `dpratio check --rows`."
        )
        refuse("an exact look must be at CSV files", type(source).__name__, hint)
    return source


def look_at_format(
    table: object,
    plan: Plan,
    *,
    ledger: Ledger,
    scope: str | None = None,
    source: object = None,
    by: str = "",
) -> Look:
    """Look for faults of format in CSV files, on the record.

    Args:
        table: The files, as `release_sums` takes them.
        plan: What would be measured: its columns are looked at, and no other.
        ledger: Where the look is entered.
        scope: The dataset's scope; may be left out if there is only one.
        source: The source as the study has it.
        by: Who looks.

    Returns:
        Which faults there are: no value, no number of rows, no place.

    Raises:
        InvalidInput: When the table is no CSV file.
        LedgerRefused: When the scope admits no look; nothing was opened.
        FileRefused: When there is no file.
        EngineFailed: When a file cannot be read to its end.

    Guarantee:
        Nothing of the data is read before the look is in the ledger.
        Proof: docs/proofs/ledger.md.
    """
    declared = require_text_files(table)
    read = source_of(table, source)
    given = resolved(declared)
    files = as_written(declared, lambda: find_files(given.path))  # type: ignore[attr-defined]
    enter_look(ledger, read, scope=scope, by=by)  # type: ignore[arg-type]
    return quietly(lambda: _look(declared, files, plan))


def _look(source: CsvFile, files: list[str], plan: Plan) -> Look:
    wanted = _wanted(plan, source)
    found: set[tuple[str, str, str]] = set()
    for file in files:
        lines = FileLines(source, wanted)
        lines.see(lines_of(file))
        found |= {(FILE, kind, likely) for kind, likely in lines.kinds.items()}
        found |= {(name, MISSING, "") for name in lines.missing}
    for name, listed in wanted.items():
        found |= {(name, *fault) for each in listed for fault in each.faults()}
    names = [FILE, *wanted]
    ordered = sorted(
        found, key=lambda at: (names.index(at[0]), ORDER_OF_KINDS.index(at[1]), at[2])
    )
    return Look(tuple(fault_of(*each, source) for each in ordered))


def _wanted(plan: Plan, source: CsvFile) -> dict[str, list[Cells]]:
    """Say what the cells of every column that a plan reads must be."""
    wanted: dict[str, list[Cells]] = {}
    for question in plan.questions:
        for name in question.ratio.columns:
            bounds = plan.bounds[name]
            if not bounds.is_one and name not in wanted:
                wanted[name] = [NumberCells(source.decimal, bounds.is_binary)]
    for partition in plan.partitions:
        if isinstance(partition, PrivateKeys):
            kind = KINDS[partition.kind]
            wanted.setdefault(partition.column, []).extend(_keys(kind, (), source))
        for each in getattr(partition, "dimensions", ()):
            if each.column not in wanted or not isinstance(each, ScoreBins):
                wanted.setdefault(each.column, []).extend(_cells(each, source))
    if plan.unit.column is not None:
        wanted.setdefault(plan.unit.column, [])
    return wanted


def _cells(dimension: Dimension, source: CsvFile) -> Iterator[Cells]:
    if isinstance(dimension, ScoreBins):
        yield NumberCells(source.decimal)
    elif isinstance(dimension, Keys):
        yield from _keys(dimension.kind, dimension.values, source)
    else:
        yield DayCells(source.dates)


def _keys(kind: type, declared: tuple[object, ...], source: CsvFile) -> Iterator[Cells]:
    if kind is KINDS["date"]:
        yield DayCells(source.dates)
    elif kind is str:
        yield TextCells.of(declared)
    else:
        yield WholeCells(kind)
