"""Units with ids as expressions: their totals, their groups, the keys they share."""

import datetime as dt

import ibis

from dpratio.curator.reading.keys import LARGEST_ID, RANK_FACTOR, RANK_FIELD, rank_key
from dpratio.curator.reading.statement import KeyCount, Reading, UnitRule
from dpratio.curator.reading.whole_doubles import row_reach
from dpratio.curator.warehouse.dialect import Dialect, Value, double
from dpratio.curator.warehouse.keys import key_of
from dpratio.curator.warehouse.numbers import (
    LEAST_TERM,
    PIECES,
    cell_of,
    clip,
    cut,
    joined,
    only_where,
    pieces_of,
)
from dpratio.plan.sensitivity.sums import Total
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Keys

_FEW_ROWS = 4


def unit_totals(
    dialect: Dialect,
    rows: Value,
    reading: Reading,
    unit: UnitRule,
    *,
    in_doubles: bool,
) -> Value:
    """Add up the rows of each id and group, keep so many groups, and clip.

    A total is missing where an id has no rows for a statement, or too many groups.
    """
    totals = {
        f"{letter}{nth}": (total, f"w{nth}" if "w" in each.factor_bounds else None)
        for nth, each in enumerate(reading.statements)
        for letter, total in each.unit.totals.items()  # type: ignore[union-attr]
    }
    cells = {}
    for name, (total, weight) in totals.items():
        factors = [rows[each] for each in (weight, name) if each is not None]
        cells[name] = cell_of(dialect, factors, total.step, LEAST_TERM)
    watched = {
        f"c{nth}": each
        for nth, each in enumerate(reading.statements)
        if each.counts_cuts
    }
    cells |= {name: rows[name] for name in watched}
    code = ["code"] if reading.first.dimensions else []
    is_capped = reading.first.groups > unit.most_groups
    is_gathered = is_capped and _have_few_rows(reading)
    id_read = dialect.gathered(rows.u) if is_gathered else rows.u
    counted = rows.select(*code, u=id_read, **cells)
    many = {
        f"n_rows{nth}": counted[f"s{nth}"].count()
        if reading.is_masked
        else counted.count()
        for nth in range(len(reading.statements))
    }
    sums: dict[str, Value] = {}
    for name in totals:
        sums |= _sums(dialect, counted[name], name, in_doubles=in_doubles)
    # However many rows of a unit are cut, it is one unit.
    sums |= {f"t{name}": counted[name].max() for name in watched}
    held = counted.group_by("u", *code).aggregate(**many, **sums)
    if reading.first.counts_groups:
        once = held.group_by("u").aggregate(
            n_rows0=held.n_rows0.max(), many=held.count()
        )
        return once.select("n_rows0", s0=once.many * double(1.0))
    if is_capped:
        held = held.mutate(hashed=_hashed(dialect, held.u))
        held = held.mutate(rank=_rank(dialect, held, unit))
        if reading.is_masked:
            held = held.mutate(**_nth_of_each(held, list(many)))
        else:
            held = _first(held, unit.most_groups, [held.rank])
    added = {name: _total(held, name, in_doubles) for name in totals}
    made = {
        name: _clipped(dialect, added[name], total)
        for name, (total, _) in totals.items()
    }
    for name, asks in watched.items():
        outside = [
            _beyond(added[f"{letter}{name[1:]}"], total)
            for letter, total in asks.unit.totals.items()  # type: ignore[union-attr]
            if total.can_cut
        ]
        made[name] = cut(outside, held[f"t{name}"])
    clipped = {}
    for name, whole in made.items():
        if is_capped and reading.is_masked:
            is_kept = held[f"nth{name[1:]}"] <= unit.most_groups
            clipped[name] = only_where(is_kept, whole)
        else:
            clipped[name] = whole
    return held.select(*code, *many, **clipped)


def _have_few_rows(reading: Reading) -> bool:
    """Tell whether ids are said to have few rows in a group: adding up spares little.

    By public bounds: of a total, against those of a row.
    """
    return all(
        total.bounds.reach <= _FEW_ROWS * row_reach(each, letter)
        for each in reading.statements
        for letter, total in each.unit.totals.items()  # type: ignore[union-attr]
    )


def _nth_of_each(held: Value, many: list[str]) -> dict[str, Value]:
    """Number the groups of each id by their ranks, those with rows of a statement."""
    window = ibis.window(
        group_by=held.u, order_by=held.rank, preceding=None, following=0
    )
    return {
        f"nth{nth}": ibis.cases((held[name] > 0, 1), else_=0).sum().over(window)
        for nth, name in enumerate(many)
    }


def counted_keys(dialect: Dialect, table: Value, asked: KeyCount) -> Value:
    """Count the units of every key that a column holds; text is in hexadecimal."""
    read = {"k": key_of(dialect, table, asked.keys)}
    rule = asked.unit
    if rule is not None:
        read["u"] = dialect.unit(table[rule.column])
    rows = table.select(**read)
    held = rows.filter(*(rows[name].notnull() for name in read))
    if rule is not None:
        once = held.distinct()
        key, unit = _key_text(dialect, once.k, asked.keys), _text(dialect, once.u)
        once = once.mutate(digest=dialect.digest(rule.key, key, unit))
        held = _first(once, rule.most_groups, [once.digest, once.k])
    counts = held.group_by("k").aggregate(units=held.count())
    key = dialect.hexed(_key_text(dialect, counts.k, asked.keys))
    return counts.select(key=key, units=counts.units)


def _first(rows: Value, most: int, order: list[Value]) -> Value:
    """Keep so many rows of each id."""
    ranked = rows.mutate(nth=ibis.row_number().over(group_by="u", order_by=order))
    return ranked.filter(ranked.nth < most)


def _sums(
    dialect: Dialect, cell: Value, letter: str, *, in_doubles: bool
) -> dict[str, Value]:
    if in_doubles:
        return {f"t{letter}": cell.sum()}
    pieces = pieces_of(dialect, cell)
    return {f"t{letter}{at}": each.sum() for at, each in enumerate(pieces)}


def _total(held: Value, letter: str, in_doubles: bool) -> Value:  # noqa: FBT001
    if in_doubles:
        return held[f"t{letter}"]
    return joined([held[f"t{letter}{at}"] for at in range(PIECES)])


def _clipped(dialect: Dialect, total: Value, rule: Total) -> Value:
    whole = clip(dialect, total, Bounds(float(rule.lowest), float(rule.highest)))
    return whole * double(rule.step)


def _beyond(total: Value, rule: Total) -> Value:
    """Tell where a total lies further out than rounding takes it."""
    lowest, highest = (double(float(each)) for each in rule.uncut)
    return (total < lowest) | (total > highest)


def _rank(dialect: Dialect, held: Value, rule: UnitRule) -> Value:
    """Rank a group of an id, as `keys.rank_of` does."""
    field, start = RANK_FIELD - 1, rank_key(rule.key)
    # A database may give the remainder the sign of its number.
    number = _id_number(dialect, held) % field + field + start
    spread = (held.code * RANK_FACTOR + start) % RANK_FIELD
    return (number % field + 1) * spread % RANK_FIELD


def _hashed(dialect: Dialect, unit: Value) -> Value:
    """Hash an id whose number is that of a text."""
    hashed = dialect.hashed(_text(dialect, unit))
    if not unit.type().is_integer():
        return hashed
    return ibis.cases((~unit.between(-LARGEST_ID, LARGEST_ID), hashed))


def _id_number(dialect: Dialect, held: Value) -> Value:
    unit, hashed = held.u, held.hashed
    if not unit.type().is_integer():
        return dialect.text_number(unit, hashed)
    small = unit.between(-LARGEST_ID, LARGEST_ID)
    large = dialect.text_number(_text(dialect, unit), hashed)
    return ibis.cases((small, dialect.whole(unit)), else_=large)


def _text(dialect: Dialect, value: Value) -> Value:
    return dialect.text(value.cast("string")) if value.type().is_integer() else value


def _key_text(dialect: Dialect, key: Value, keys: Keys) -> Value:
    """Write a key as the bytes of its text."""
    if keys.kind is dt.date:
        return dialect.iso_day(key)
    if keys.kind is bool:
        true, false = (dialect.text(ibis.literal(word)) for word in ("true", "false"))
        return ibis.cases((key == 1, true), else_=false)
    return _text(dialect, key)
