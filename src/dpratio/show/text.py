"""Tables for terminals, spreadsheets, programs and documents."""

import csv
import datetime as dt
import io
import json
import math
from typing import Any

from dpratio.checks import require_one_of
from dpratio.tabular import Tabular, harmless, printable

__all__ = ["FORMATS", "render", "rich_table"]

FORMATS = ("table", "csv", "json", "markdown")


def render(table: Tabular, layout: str) -> str:
    """Write a table as text.

    Args:
        table: Anything that has columns.
        layout: One of `FORMATS`. JSON has null where a number is not finite, and every
            text as it is; in the others texts are written as in `harmless`.
    """
    require_one_of(layout, FORMATS, "format")
    if layout == "markdown":
        return table.to_markdown()
    if layout == "json":
        rows = [
            {name: _finite(cell) for name, cell in row.items()}
            for row in table.to_dicts()
        ]
        return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False)
    if layout == "csv":
        return _to_csv(table)
    return table.to_text()


def rich_table(table: Tabular) -> Any:  # noqa: ANN401 (rich is imported here only)
    """Draw a table for a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=SIMPLE_HEAD, header_style="bold")
    columns = table.columns()
    for name, cells in columns.items():
        is_number = all(isinstance(cell, int | float) for cell in cells)
        drawn.add_column(
            Text(printable(name)), justify="right" if is_number else "left"
        )
    for row in zip(*table.shown().values(), strict=True):
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    return drawn


def _to_csv(table: Tabular) -> str:
    """Write CSV: texts are kept from acting as formulas, numbers are untouched."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = table.told()
    writer.writerow(harmless(name) for name in columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow(
            harmless(cell) if isinstance(cell, str) else cell for cell in row
        )
    return out.getvalue().removesuffix("\n")


def _finite(cell: Any) -> Any:  # noqa: ANN401 (any cell)
    if isinstance(cell, dt.date):
        return cell.isoformat()
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
