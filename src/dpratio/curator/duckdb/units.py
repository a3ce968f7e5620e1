"""Units with ids in DuckDB's SQL: their totals, their groups, the keys they share."""

from dpratio.curator.duckdb.keys import id_of, key_of
from dpratio.curator.duckdb.numbers import cell_of, double, sum_of
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
from dpratio.curator.reading.statement import KeyCount, Statement, UnitRule
from dpratio.terms.dimensions import Key

__all__ = ["count_keys", "unit_steps"]


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


def unit_steps(
    statement: Statement, unit: UnitRule, *, in_doubles: bool
) -> dict[str, str]:
    """Add up the rows of each id and group, keep so many groups, and clip."""
    times = "w * " if "w" in statement.factor_bounds else ""
    code = ["code"] if statement.dimensions else []
    by = ", ".join(["u", *code])
    totals = [
        f"{sum_of(cell_of([f'{times}{letter}'], each.step), in_doubles=in_doubles)} "
        f"AS t{letter}"
        for letter, each in unit.totals.items()
    ]
    steps = {
        "totals": (
            f"SELECT {by}, count(*) AS n_rows, {', '.join(totals)} "
            f"FROM placed GROUP BY {by}"
        )
    }
    source = "totals"
    if statement.cells > unit.most_groups:
        # No two groups of one id have the same rank, so just so many are kept.
        most = unit.most_groups
        least = "min(rank)" if most == 1 else f"list_max(min(rank, {most}))"
        steps["ranked"] = f"SELECT *, {_rank(unit)} AS rank FROM totals"
        steps["last"] = f"SELECT u, {least} AS last_rank FROM ranked GROUP BY u"
        steps["capped"] = (
            "SELECT * FROM ranked JOIN last USING (u) WHERE rank <= last_rank"
        )
        source = "capped"
    clipped = [
        f"CAST(CASE WHEN t{letter} > {each.highest} THEN {each.highest} "
        f"WHEN t{letter} < {each.lowest} THEN {each.lowest} ELSE t{letter} END "
        f"AS DOUBLE) * {double(each.step)} AS {letter}"
        for letter, each in unit.totals.items()
    ]
    steps["units"] = f"SELECT {', '.join([*clipped, *code, 'n_rows'])} FROM {source}"
    return steps


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
