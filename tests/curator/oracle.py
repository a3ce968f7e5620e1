"""The specification: every rule of `curator/reading/statement.py` in plain loops.

Every engine must equal it to the last integer. It reads a mapping of column names to
lists, or the lines of CSV files, and shares no rule of a cell with the package.
"""

import bisect
import datetime as dt
import glob
import gzip
import hashlib
import math
import os
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import (
    CellSum,
    KeyCount,
    Reading,
    Statement,
    UnitRule,
)
from dpratio.plan.sensitivity.sums import Contrast, to_cell
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Key, Keys, Periods, ScoreBins, period_of
from dpratio.terms.source import CsvFile

__all__ = [
    "add_up",
    "clip",
    "count_keys",
    "day_in",
    "lines_of",
    "number_of",
    "split_line",
    "to_cells",
    "with_contrast",
]

Cell = Any
Numbers = dict[str, float]
Source = Mapping[str, Sequence[Cell]] | CsvFile

_NUMBERS = (bool, int, float, Decimal, np.bool_, np.integer, np.floating)
_TRUTHS = (bool, np.bool_)
_FIELD = 2**31 - 1  # of ranks


def add_up(table: Source, reading: Reading) -> list[ExactSums]:
    """The sums of each statement by itself."""
    return [_add_up(table, statement) for statement in reading.statements]


def _add_up(table: Source, statement: Statement) -> ExactSums:
    counted = _counted_rows(table, statement)
    if statement.unit is not None:
        counted = _totals(counted, statement.unit)
    if statement.counts_groups:
        groups = Counter(unit for unit, _, _ in counted)
        counted = ((unit, 0, {"s": float(many)}) for unit, many in groups.items())
    sums = [[0] * len(statement.sums) for _ in range(statement.cells)]
    for _, place, numbers in counted:
        row = place
        if statement.ladder is not None:
            row = statement.ladder.place(numbers.get("s"))
        made = with_contrast(numbers, statement.contrast)
        for index, cell in enumerate(to_cells(made, statement.sums)):
            sums[row][index] += cell
    return ExactSums(np.array(sums, dtype=object).reshape(len(sums), -1))


def count_keys(table: Source, asked: KeyCount) -> dict[Key, int]:
    """How many units each key of a column has."""
    file = table if isinstance(table, CsvFile) else None
    counts: Counter[str] = Counter()
    keys_of: dict[str, set[str]] = {}
    for row in _rows(table):
        key = _key_of(row[asked.column], asked.kind, file)
        if key is None or (file is not None and key == ""):
            continue
        if asked.unit is None:
            counts[key] += 1
        else:
            unit = _id_of(row[asked.unit.column], file)
            if unit is not None:
                keys_of.setdefault(unit, set()).add(key)
    for unit, keys in keys_of.items():
        assert asked.unit is not None
        rule = asked.unit
        hashed = sorted(
            (_md5(f"{rule.key}:{key}:{unit}"), key.encode()) for key in keys
        )
        counts.update(key.decode() for _, key in hashed[: rule.most_groups])
    read: dict[str, Any] = {
        "integer": int,
        "boolean": "true".__eq__,
        "date": dt.date.fromisoformat,
        "text": str,
    }
    found = {key: count for key, count in counts.items() if "\x00" not in key}
    if asked.kind == "integer":
        found = {key: count for key, count in found.items() if abs(int(key)) < 2**63}
    return {read[asked.kind](key): count for key, count in found.items()}


def _counted_rows(
    table: Source, statement: Statement
) -> Iterator[tuple[str, int, Numbers]]:
    """The id, the group and the clipped numbers of every row that counts."""
    file = table if isinstance(table, CsvFile) else None
    unit: str | None = ""
    place_of = _placer(statement, file)
    for row in _rows(table):
        numbers = _clipped(row, statement, file)
        if numbers is None:
            if statement.ladder is not None and statement.unit is None:
                yield "", 0, {}
            continue
        place = place_of(row, numbers)
        if statement.unit is not None:
            unit = _id_of(row[statement.unit.column], file)
        if place is None or unit is None:
            continue
        if "m" in numbers:
            less = numbers["s"] - numbers["m"]
            numbers["s"] = _settled(less, statement.numerator)
        yield unit, place, numbers


def _clipped(
    row: Mapping[str, Cell], statement: Statement, file: CsvFile | None
) -> Numbers | None:
    numbers: Numbers = {}
    is_cut = False
    is_counted = statement.ladder is not None and statement.unit is None
    for letter, column in statement.factor_columns.items():
        number = number_of(row[column], None if file is None else file.decimal)
        if number is None:
            return None
        bounds = statement.factor_bounds[letter]
        numbers[letter] = clip(number, bounds)
        is_cut |= letter in statement.cut_letters and numbers[letter] != number
        if not (letter.startswith("b") or bounds.is_binary or is_counted):
            numbers[letter] = _settled(numbers[letter], bounds)
    return numbers | ({"c": float(is_cut)} if statement.counts_cuts else {})


def _placer(statement: Statement, file: CsvFile | None) -> Callable[..., int | None]:
    """From a row to the place of its group, or None where it is in none."""
    dimensions = statement.dimensions
    known = [
        {_key_text(key): at for at, key in enumerate(d.values)} for d in dimensions
    ]
    listed = {cell: at for at, cell in enumerate(statement.listed or ())}

    def place_of(row: Mapping[str, Cell], numbers: Numbers) -> int | None:
        places: list[Any] = []
        for index, dimension in enumerate(dimensions):
            if isinstance(dimension, ScoreBins):
                places.append(_bin_of(numbers[f"b{index}"], dimension.edges))
            else:
                key = _declared(row[dimension.column], dimension, file)
                places.append(known[index].get(key))
        if None in places or statement.listed is not None:
            return listed.get(tuple(places))
        code = 0
        for dimension, place in zip(dimensions, places, strict=True):
            code = code * len(dimension.values) + place
        return code

    return place_of


def _bin_of(value: float, edges: tuple[float, ...]) -> int | None:
    if not edges[0] <= value <= edges[-1]:
        return None
    return min(bisect.bisect_right(edges, value), len(edges) - 1) - 1


def _declared(
    cell: Cell, dimension: Keys | Periods, file: CsvFile | None
) -> str | None:
    """The text of a key; what is unreadable or missing is the key None."""
    if isinstance(dimension, Periods):
        day = _day_of(cell, file)
        return None if day is None else str(period_of(day, dimension.every))
    kinds = {str: "text", int: "integer", bool: "boolean", dt.date: "date"}
    key = _key_of(cell, kinds[dimension.kind], file)
    is_missing = key == "" and file is not None and None in dimension.values
    return None if is_missing else key


def _key_text(key: Key) -> str | None:
    if isinstance(key, bool):
        return "true" if key else "false"
    return None if key is None else str(key)


def _totals(
    rows: Iterable[tuple[str, int, Numbers]], rule: UnitRule
) -> Iterator[tuple[str, int, Numbers]]:
    """Add up the rows of each id and group, clip, and keep so many groups of each."""
    totals: dict[str, dict[int, dict[str, int]]] = {}
    for unit, place, numbers in rows:
        groups = totals.setdefault(unit, {})
        own = groups.setdefault(place, dict.fromkeys(rule.totals, 0))
        for letter, total in rule.totals.items():
            own[letter] += to_cell(numbers.get("w", 1.0) * numbers[letter], total.step)
        if "c" in numbers:  # However many rows are cut, it is one unit.
            own["c"] = max(own.get("c", 0), int(numbers["c"]))
    for unit, groups in totals.items():
        ranked = sorted(groups, key=lambda place: _rank_of(rule.key, unit, place))
        for place in ranked[: rule.most_groups]:
            yield unit, place, _clipped_totals(groups[place], rule)


def _clipped_totals(own: Mapping[str, int], rule: UnitRule) -> Numbers:
    numbers = {
        letter: max(total.lowest, min(total.highest, own[letter])) * total.step
        for letter, total in rule.totals.items()
    }
    if "c" in own:
        is_cut = any(
            total.can_cut and not total.uncut[0] <= own[letter] <= total.uncut[1]
            for letter, total in rule.totals.items()
        )
        numbers["c"] = float(own["c"] or is_cut)
    return numbers


def _rank_of(key: str, unit: str, place: int) -> int:
    """So many of the smallest count; no two groups of an id share a rank."""
    start = int(_md5(key)[:15], 16) % (_FIELD - 1)
    is_whole = re.fullmatch("0|-?[1-9][0-9]{0,17}", unit)
    number = int(unit) if is_whole else int(_md5(unit)[:15], 16)
    spread = (place * 1_103_515_245 + start) % _FIELD
    return ((number + start) % (_FIELD - 1) + 1) * spread % _FIELD


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def with_contrast(numbers: Numbers, contrast: Contrast | None) -> Numbers:
    """The numbers of a row with its z and h."""
    if contrast is None:
        return numbers
    weight = numbers.get("w", 1.0)
    scaled = contrast.centre * numbers["y"]
    z = weight * (numbers["s"] - scaled)
    h = weight * (numbers["s"] + scaled if contrast.has_numerator else numbers["y"])
    limit = math.inf if contrast.limit is None else contrast.limit
    made = {**numbers, "z": min(max(z, -limit), limit), "h": h}
    if "c" in numbers and abs(z) > contrast.uncut:
        made["c"] = 1.0
    return made


def clip(number: float, bounds: Bounds) -> float:
    """A number within its bounds; of binary ones 0 or 1."""
    if bounds.is_one:
        return 1.0
    if bounds.is_binary:
        return 1.0 if number >= 0.5 else 0.0
    return min(max(number, bounds.lower), bounds.upper)


def _settled(number: float, bounds: Bounds) -> float:
    """A factor of a product: zero where it is far too small for a cell."""
    return number if abs(number) >= bounds.reach * 2.0**-100 else 0.0


def to_cells(numbers: Mapping[str, float], sums: Sequence[CellSum]) -> Iterator[int]:
    """The cell of a row in each sum."""
    for total in sums:
        product = 1.0
        for factor in total.factors:
            product *= numbers[factor]
        yield to_cell(product, total.step)


def number_of(cell: Cell, decimal: str | None = None) -> float | None:
    """A finite double, or None; text is a number in files of text alone."""
    number = math.nan
    if decimal is not None:
        digits = rf"([0-9]+({re.escape(decimal)}[0-9]*)?|{re.escape(decimal)}[0-9]+)"
        if re.fullmatch(rf"[ \t]*[+-]?{digits}([eE][+-]?[0-9]+)?[ \t]*", cell):
            number = float(cell.replace(decimal, "."))
        number = {"true": 1.0, "false": 0.0}.get(cell.lower(), number)
    elif isinstance(cell, _NUMBERS) and not isinstance(cell, np.timedelta64):
        try:
            number = float(cell)
        except Exception:  # noqa: BLE001 (too large, or a class that stops)
            return None
    return number if math.isfinite(number) else None


def _key_of(cell: Cell, kind: str, file: CsvFile | None) -> str | None:
    """A key as text. A text "1", a number 1 and a truth are three keys."""
    if kind == "date":
        day = _day_of(cell, file)
        return None if day is None else day.isoformat()
    if file is not None:
        forms = {"integer": "0|-?[1-9][0-9]{0,18}", "boolean": "true|false"}
        text = cell.lower() if kind == "boolean" else cell
        return text if re.fullmatch(forms.get(kind, "(?s:.*)"), text) else None
    if isinstance(cell, _TRUTHS):
        return str(bool(cell)).lower() if kind == "boolean" else None
    is_whole = isinstance(cell, int | np.integer) and not isinstance(
        cell, np.timedelta64
    )
    if is_whole and kind == "integer":
        return str(int(cell))
    return _text_of(cell) if kind == "text" else None


def _id_of(cell: Cell, file: CsvFile | None) -> str | None:
    if file is not None:
        return cell or None
    return _key_of(cell, "integer", None) or _text_of(cell)


def _text_of(cell: Cell) -> str | None:
    if isinstance(cell, uuid.UUID):
        return str(cell)
    is_text = isinstance(cell, str) and not re.search("[\ud800-\udfff]", cell)
    return str(cell) if is_text else None


def _day_of(cell: Cell, file: CsvFile | None) -> dt.date | None:
    """The UTC day of a date or a time, or of a text that begins with one."""
    if isinstance(cell, str):
        return day_in(cell, "YYYY-MM-DD" if file is None else file.dates)
    if isinstance(cell, dt.datetime):
        aware = cell.tzinfo is not None
        try:
            return (cell.astimezone(dt.UTC) if aware else cell).date()
        except OverflowError:
            return None
    return cell if isinstance(cell, dt.date) else None


def day_in(text: str, form: str) -> dt.date | None:
    """The day that a text begins with, in its declared form."""
    digits = {"YYYY": "{4}", "MM": "{2}", "DD": "{2}", "M": "{1,2}", "D": "{1,2}"}

    def group(part: re.Match[str]) -> str:
        return f"(?P<{part[0][0]}>[0-9]{digits[part[0]]})"

    pattern = re.sub("Y+|M+|D+", group, form.replace(".", r"\."))
    match = re.fullmatch(f"(?s:{pattern}(?:[ T].*)?)", text)
    try:
        return match and dt.date(*(int(match[part]) for part in "YMD"))
    except ValueError:
        return None


def _rows(table: Source) -> Iterator[dict[str, Cell]]:
    if isinstance(table, CsvFile):
        yield from lines_of(table)
    else:
        named = {str(name): cells for name, cells in table.items()}
        for row in zip(*named.values(), strict=True):
            yield dict(zip(named, row, strict=True))


def lines_of(file: CsvFile) -> Iterator[dict[str, Cell]]:
    """The rows of CSV files: each line stands alone, and a broken one is none."""
    exists = Path(file.path).is_file()
    names = [file.path] if exists else glob.glob(file.path)  # noqa: PTH207
    for name in sorted({os.path.realpath(each) for each in names}):
        data = Path(name).read_bytes()
        data = gzip.decompress(data) if name.endswith(".gz") else data
        header = file.columns
        for line in re.split(rb"\r\n|\r|\n", data):
            cells = split_line(line, file)
            if header is None:
                header = tuple(cells or ())
            elif cells is not None and len(cells) == len(header):
                yield dict(zip(header, cells, strict=True))


def split_line(line: bytes, file: CsvFile) -> list[str] | None:
    """The cells of a line, or None where it is none."""
    try:
        text = line.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    if not text or len(text) > 1_000_000 or "\x01" in text:
        return None
    between, quote = re.escape(file.delimiter), re.escape(file.quote)
    if not quote or file.quote not in text:
        return text.split(file.delimiter)
    cell = f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}|[^{between}{quote}]*"
    if not re.fullmatch(f"(?s:(?:{cell})(?:{between}(?:{cell}))*)", text):
        return None
    cells = re.findall(f"(?s:{between}({cell}))", file.delimiter + text)
    return [
        (cell[1:-1] if cell.startswith(file.quote) else cell).replace(
            file.quote * 2, file.quote
        )
        for cell in cells
    ]
