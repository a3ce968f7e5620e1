"""Tables for spreadsheets, programs and documents."""

import csv
import datetime as dt
import io
import json
import math
from typing import Any

from dpratio.checks import require_one_of
from dpratio.tabular import Tabular, harmless

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
