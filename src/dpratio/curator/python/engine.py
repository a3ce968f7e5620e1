"""The specification: every rule of `engine` in plain loops.

Other engines must equal it to the last integer.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from dpratio.curator.python.rows import RowTable
from dpratio.curator.reading.csv_lines import number_pattern
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.keys import (
    Placer,
    can_be_declared,
    id_text,
    key_from,
    key_reader,
    md5_of,
    placer_of,
    rank_of,
)
from dpratio.curator.reading.statement import (
    CellSum,
    KeyCount,
    Reading,
    Statement,
    UnitRule,
    smallest_factor,
)
from dpratio.plan.sensitivity.sums import Contrast, to_cell
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Key

_NUMBERS = (bool, int, float, Decimal, np.bool_, np.integer, np.floating)

Factors = dict[str, float]


def aggregate(table: RowTable, reading: Reading) -> list[ExactSums]:
    """Add up the cells of every group, for each statement by itself."""
    return [_aggregate(table, each) for each in reading.statements]


def _aggregate(table: RowTable, statement: Statement) -> ExactSums:
    counted = _counted_rows(table, statement)
    if statement.unit is not None:
        counted = _unit_totals(counted, statement.unit)
    if statement.counts_groups:
        groups = Counter(unit for unit, _, _ in counted)
        counted = ((unit, 0, {"s": float(many)}) for unit, many in groups.items())
    totals = [[0] * len(statement.sums) for _ in range(statement.cells)]
    for _, group, factors in counted:
        place = group
        if statement.ladder is not None:
            place = statement.ladder.place(factors.get("s"))
        made = _with_contrast(factors, statement.contrast)
        for index, cell in enumerate(_cells(made, statement.sums)):
            totals[place][index] += cell
    return ExactSums(np.array(totals, dtype=object).reshape(len(totals), -1))


def count_keys(table: RowTable, asked: KeyCount) -> dict[Key, int]:
    """Count the units of every key that a column holds."""
    read = key_reader(asked.keys, table.types[asked.column])
    seen: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for row in table.read(asked.columns):
        key = read(row[0])
        if key is None:
            continue
        if asked.unit is None:
            counts[key] = counts.get(key, 0) + 1
            continue
        unit = id_text(row[1], table.types[asked.unit.column].kind)
        if unit is not None:
            seen.setdefault(unit, set()).add(key)
    if asked.unit is not None:
        for key in _kept_keys(seen, asked.unit):
            counts[key] = counts.get(key, 0) + 1
    return {
        key_from(text, asked.kind): count
        for text, count in counts.items()
        if can_be_declared(text, asked.kind)
    }


def _kept_keys(seen: Mapping[str, set[str]], rule: UnitRule) -> Iterator[str]:
    """Give, for every unit, the keys in which it counts."""
    for unit, keys in seen.items():
        hashed = sorted(
            (md5_of(f"{rule.key}:{key}:{unit}"), key.encode()) for key in keys
        )
        yield from (key.decode() for _, key in hashed[: rule.most_groups])


def to_number(value: object, *, decimal: str | None = None) -> float | None:
    """Read a cell as a finite double, or give None if it is not one.

    Args:
        value: The cell.
        decimal: The decimal sign of a cell of text; without one, text is no number.

    Example:
        >>> to_number(True), to_number("0.5"), to_number("0.5", decimal=".")
        (1.0, None, 0.5)
    """
    if decimal is not None:
        number = _parse(str(value), decimal)
    elif isinstance(value, _NUMBERS) and not isinstance(value, np.timedelta64):
        try:
            number = float(value)
        except Exception:  # noqa: BLE001 (too large, or a class that stops)
            return None
    else:
        return None
    return number if math.isfinite(number) else None


def _parse(text: str, decimal: str) -> float:
    words = {"true": 1.0, "false": 0.0}
    if re.fullmatch(number_pattern(decimal), text):
        return float(text.replace(decimal, "."))
    return words.get(text.lower(), math.nan)


def _counted_rows(
    table: RowTable, statement: Statement
) -> Iterator[tuple[str | None, int, Factors]]:
    """Give the id, the group and the clipped numbers of every row that counts."""
    columns = statement.columns
    placers = [
        placer_of(each, table.types[each.column]) for each in statement.dimensions
    ]
    listed = {cell: at for at, cell in enumerate(statement.listed or ())}
    for values in table.read(columns):
        row = dict(zip(columns, values, strict=True))
        factors = _read_factors(row, statement, table)
        if factors is None and statement.ladder is not None and statement.unit is None:
            yield None, 0, {}
        if factors is None:
            continue
        place = _place_of(row, factors, statement, placers, listed)
        if place is None:
            continue
        unit = None
        if statement.unit is not None:
            unit = id_text(
                row[statement.unit.column], table.types[statement.unit.column].kind
            )
            if unit is None:
                continue
        if "m" in factors:
            factors["s"] = _settled(factors["s"] - factors["m"], statement.numerator)
        yield unit, place, factors


def _read_factors(
    row: Mapping[str, Any], statement: Statement, table: RowTable
) -> Factors | None:
    factors: Factors = {}
    watched, is_cut = statement.cut_letters, False
    is_counted = statement.ladder is not None and statement.unit is None
    for letter, column in statement.factor_columns.items():
        number = to_number(row[column], decimal=table.types[column].decimal)
        if number is None:
            return None
        bounds = statement.factor_bounds[letter]
        factors[letter] = _clip(number, bounds)
        is_cut |= letter in watched and factors[letter] != number
        if not (letter.startswith("b") or bounds.is_binary or is_counted):
            factors[letter] = _settled(factors[letter], bounds)
    return factors | ({"c": float(is_cut)} if statement.counts_cuts else {})


def _place_of(
    row: Mapping[str, Any],
    factors: Factors,
    statement: Statement,
    placers: Sequence[Placer],
    listed: Mapping[tuple[int, ...], int],
) -> int | None:
    """Give the place of a row's group, or None where it belongs to none."""
    places = []
    for at, each in enumerate(statement.dimensions):
        value = factors[f"b{at}"] if f"b{at}" in factors else row[each.column]
        place = placers[at](value)
        if place is None:
            return None
        places.append(place)
    if statement.listed is not None:
        return listed.get(tuple(places))
    code = 0
    for each, place in zip(statement.dimensions, places, strict=True):
        code = code * len(each.values) + place
    return code


def _unit_totals(
    rows: Iterable[tuple[str | None, int, Factors]], rule: UnitRule
) -> Iterator[tuple[str | None, int, Factors]]:
    """Add up the rows of each id and group, clip, and keep so many groups of each."""
    totals: dict[str, dict[int, dict[str, int]]] = {}
    for unit, place, factors in rows:
        weight = factors.get("w", 1.0)
        held = totals.setdefault(str(unit), {})
        own = held.setdefault(place, dict.fromkeys(rule.totals, 0))
        for letter, total in rule.totals.items():
            own[letter] += to_cell(weight * factors[letter], total.step)
        if "c" in factors:
            # However many rows are cut, it is one unit.
            own["c"] = max(own.get("c", 0), int(factors["c"]))
    for unit, held in totals.items():
        ranked = sorted(held, key=lambda place: rank_of(rule.key, unit, place))
        for place in ranked[: rule.most_groups]:
            yield unit, place, _clipped_totals(held[place], rule)


def _clipped_totals(own: Mapping[str, int], rule: UnitRule) -> Factors:
    factors = {
        letter: max(total.lowest, min(total.highest, own[letter])) * total.step
        for letter, total in rule.totals.items()
    }
    if "c" in own:
        is_cut = any(
            total.can_cut and not total.uncut[0] <= own[letter] <= total.uncut[1]
            for letter, total in rule.totals.items()
        )
        factors["c"] = float(own["c"] or is_cut)
    return factors


def _with_contrast(factors: Factors, contrast: Contrast | None) -> Factors:
    if contrast is None:
        return factors
    weight = factors.get("w", 1.0)
    scaled = contrast.centre * factors["y"]
    z = weight * (factors["s"] - scaled)
    h = weight * (factors["s"] + scaled if contrast.has_numerator else factors["y"])
    limit = math.inf if contrast.limit is None else contrast.limit
    made = {**factors, "z": min(max(z, -limit), limit), "h": h}
    if "c" in factors and abs(z) > contrast.uncut:
        made["c"] = 1.0
    return made


def _clip(number: float, bounds: Bounds) -> float:
    if bounds.is_one:
        return 1.0
    if bounds.is_binary:
        return 1.0 if number >= 0.5 else 0.0  # noqa: PLR2004
    return min(max(number, bounds.lower), bounds.upper)


def _settled(number: float, bounds: Bounds) -> float:
    """Give a factor of a product: zero where it is far too small for a cell."""
    return number if abs(number) >= smallest_factor(bounds) else 0.0


def _cells(factors: Mapping[str, float], sums: Sequence[CellSum]) -> Iterator[int]:
    for each in sums:
        product = 1.0
        for factor in each.factors:
            product *= factors[factor]
        yield to_cell(product, each.step)
