"""Units with ids in DuckDB's SQL: their totals, their groups, the keys they share."""

from dpratio.curator.duckdb.keys import id_of, key_of
from dpratio.curator.duckdb.numbers import cell_of, double, is_outside, sum_of
from dpratio.curator.duckdb.table import DuckTable, literal
from dpratio.curator.reading.keys import (
    LARGEST_ID,
    RANK_FACTOR,
    RANK_FIELD,
    WHOLE_ID,
    can_be_declared,
    key_from,
    rank_key,
)
from dpratio.curator.reading.statement import KeyCount, Reading, Statement, UnitRule
from dpratio.terms.groups import Key


def count_keys(table: DuckTable, asked: KeyCount) -> dict[Key, int]:
    """Count the units of every key that a column holds."""
    read = [f"{key_of(table, asked.keys)} AS k"]
    tests = ["k IS NOT NULL"]
    if asked.unit is not None:
        read.append(f"{id_of(table, asked.unit.column)} AS u")
        tests.append("u IS NOT NULL")
    rows = (
        f"given_rows AS (SELECT {', '.join(read)} FROM {table.source}), "
        f"held AS (SELECT * FROM given_rows WHERE {' AND '.join(tests)})"
    )
    source = "held"
    if asked.unit is not None:
        text = _text_of("k")
        hashed = (
            f"md5({literal(asked.unit.key + ':')} || {text} || ':' || {_text_of('u')})"
        )
        rows += (
            ", once AS (SELECT DISTINCT u, k FROM held), ranked AS (SELECT k, "
            f"row_number() OVER (PARTITION BY u ORDER BY {hashed}, {text}) AS rank "
            "FROM once)"
        )
        source = f"ranked WHERE rank <= {asked.unit.most_groups}"
    query = (
        f"WITH {rows} SELECT {_text_of('k')} AS key, count(*) AS units "
        f"FROM {source} GROUP BY k"
    )
    found = table.fetch(query, {})
    pairs = zip(found["key"].tolist(), found["units"].tolist(), strict=True)
    return {
        key_from(str(key), asked.kind): int(count)
        for key, count in pairs
        if can_be_declared(str(key), asked.kind)
    }


def unit_steps(reading: Reading, unit: UnitRule, *, in_doubles: bool) -> dict[str, str]:
    """Add up the rows of each id and group, keep so many groups, and clip."""
    code = ["code"] if reading.first.dimensions else []
    by = ", ".join(["u", *code])
    counted = "s{}" if reading.is_masked else "*"
    totals, units = [], [*code]
    for nth, each in enumerate(reading.statements):
        times = f"w{nth} * " if "w" in each.factor_bounds else ""
        totals.append(f"count({counted.format(nth)}) AS n_rows{nth}")
        units.append(f"n_rows{nth}")
        for letter, total in each.unit.totals.items():  # type: ignore[union-attr]
            name = f"{letter}{nth}"
            cell = cell_of([f"{times}{name}"], total.step)
            totals.append(f"{sum_of(cell, in_doubles=in_doubles)} AS t{name}")
            units.append(
                f"CAST(CASE WHEN t{name} > {total.highest} THEN {total.highest} "
                f"WHEN t{name} < {total.lowest} THEN {total.lowest} ELSE t{name} END "
                f"AS DOUBLE) * {double(total.step)} AS {name}"
            )
        if each.counts_cuts:
            # However many rows of a unit are cut, it is one unit.
            totals.append(f"max(c{nth}) AS tc{nth}")
            units.append(f"{_is_cut(nth, each)} AS c{nth}")
    steps = {"totals": f"SELECT {by}, {', '.join(totals)} FROM placed GROUP BY {by}"}
    source = "totals"
    if reading.first.groups > unit.most_groups:
        steps |= _capped(reading, unit)
        source = "capped"
    steps["units"] = f"SELECT {', '.join(units)} FROM {source}"
    if reading.first.counts_groups:
        many = "max(n_rows0) AS n_rows0, CAST(count(*) AS DOUBLE) AS s0"
        steps["units"] = f"SELECT {many} FROM {source} GROUP BY u"
    return steps


def _is_cut(nth: int, statement: Statement) -> str:
    """Say 1 where a row or a total of a unit was cut, else 0; none stays missing."""
    outside = [
        is_outside(f"t{letter}{nth}", *map(float, total.uncut))
        for letter, total in statement.unit.totals.items()  # type: ignore[union-attr]
        if total.can_cut
    ]
    tests = " OR ".join([f"tc{nth} > 0", *outside])
    return f"CASE WHEN {tests} THEN 1::DOUBLE WHEN tc{nth} = 0 THEN 0::DOUBLE END"


def _capped(reading: Reading, unit: UnitRule) -> dict[str, str]:
    """Keep so many groups of each id, in each statement of those that it has there.

    A total is missing where an id has no rows for a statement, or too many groups.
    """
    # No two groups of one id have the same rank, so just so many are kept.
    most = unit.most_groups
    steps = {"ranked": f"SELECT *, {_rank(unit)} AS rank FROM totals"}
    if not reading.is_masked:
        least = "min(rank)" if most == 1 else f"list_max(min(rank, {most}))"
        steps["last"] = f"SELECT u, {least} AS last_rank FROM ranked GROUP BY u"
        steps["capped"] = (
            "SELECT * FROM ranked JOIN last USING (u) WHERE rank <= last_rank"
        )
        return steps
    last, kept = [], []
    for nth, each in enumerate(reading.statements):
        ranks = f"min(rank, {most}) FILTER (WHERE n_rows{nth} > 0)"
        last.append(f"list_max({ranks}) AS last{nth}")
        kept.append(f"n_rows{nth}")
        kept += [
            f"CASE WHEN rank <= last{nth} THEN t{letter}{nth} END AS t{letter}{nth}"
            for letter in _added(each)
        ]
    steps["last"] = f"SELECT u, {', '.join(last)} FROM ranked GROUP BY u"
    steps["capped"] = f"SELECT code, {', '.join(kept)} FROM ranked JOIN last USING (u)"
    return steps


def _added(statement: Statement) -> list[str]:
    """List what is held of each unit and group."""
    totals = list(statement.unit.totals)  # type: ignore[union-attr]
    return [*totals, "c"] if statement.counts_cuts else totals


def _rank(unit: UnitRule) -> str:
    """Rank a group of an id, as `keys.rank_of` does."""
    field = RANK_FIELD - 1
    text = _text_of("u")
    hashed = f"CAST('0x' || md5({text})[1:15] AS BIGINT)"
    whole = f"regexp_full_match({text}, {literal(WHOLE_ID)})"
    number = f"CASE WHEN {whole} THEN CAST({text} AS BIGINT) ELSE {hashed} END"
    small = f"TRY_CAST(u AS HUGEINT) BETWEEN {-LARGEST_ID} AND {LARGEST_ID}"
    given = (
        f"CASE WHEN typeof(u) = 'BLOB' THEN {number} "
        f"WHEN {small} THEN u::BIGINT ELSE {hashed} END"
    )
    start = rank_key(unit.key)
    place = f"((({given} % {field}) + {field} + {start}) % {field} + 1)::BIGINT"
    spread = f"(code::BIGINT * {RANK_FACTOR} + {start}) % {RANK_FIELD}"
    return f"({place} * ({spread})) % {RANK_FIELD}"


def _text_of(name: str) -> str:
    """Write a key or an id as text; that of text is kept as bytes."""
    blob = f"decode(CAST({name} AS BLOB))"
    return f"CASE WHEN typeof({name}) = 'BLOB' THEN {blob} ELSE {name}::VARCHAR END"
