"""What is added up, as one query: read, clip, place, add up by person, cap, add up.

The steps are those of `curator/reading/statement.py`, in their order of thought. The
letters of a statement are numbered with it: s0, y0, s1, y1. Where a row does not count
in a statement, its letters are missing there, and so is all that is made of them; a
missing cell is not added.
"""

from collections.abc import Mapping, Sequence

from dpratio.curator.reading.keys import LARGEST_ID, RANK_FACTOR, RANK_FIELD, rank_key
from dpratio.curator.reading.statement import (
    CellSum,
    KeyCount,
    Reading,
    Statement,
    UnitRule,
    row_reach,
)
from dpratio.curator.sql.dialect import Dialect
from dpratio.curator.sql.keys import Placing, is_text_key, key_of, placing_of
from dpratio.curator.sql.numbers import (
    cell_of,
    clip,
    is_outside,
    is_wide,
    less,
    place_between,
)
from dpratio.curator.sql.table import Table
from dpratio.plan.sensitivity.sums import to_cell
from dpratio.terms.bounds import Bounds

Columns = dict[str, str]

_FEW_ROWS = 4  # Of an id in a group.
_SHORT = 8  # Names that stand on one line.


def sums_query(table: Table, reading: Reading) -> str:
    """Return the query of the sums of every group that has rows.

    Its columns are the code of a group, and then the sums of every statement.
    """
    dialect, unit = table.dialect, reading.unit
    placing = placing_of(table, reading.first)
    steps = {
        **placing.tables,
        "rows_read": _read(table, reading, placing),
        **_clipped(table, reading, placing),
        "placed": _placed(table, reading, placing),
    }
    rows = "placed"
    if unit is not None:
        steps |= _people(table, reading, unit)
        rows = "people"
    code: Columns = {"code": "code"} if reading.first.dimensions else {"code": "0"}
    if reading.first.ladder is not None:
        ladder = reading.first.ladder
        place = place_between(dialect, "s0", ladder.edges, is_ladder=True)
        missing = ladder.place(None)
        code = {"code": f"CASE WHEN s0 IS NULL THEN {missing} ELSE {place} END"}
    steps["moments"] = select(
        code | _moments(dialect, reading), rows, fence=dialect.fence
    )
    cells, sums = _cells(dialect, reading)
    steps["cells"] = select({"code": "code"} | cells, "moments", fence=dialect.fence)
    is_grouped = bool(reading.first.dimensions) or reading.first.ladder is not None
    last = select(
        {"code": "code" if is_grouped else "0"} | sums,
        "cells",
        group_by=["code"] if is_grouped else [],
        margin="",
    )
    return with_steps(steps, last)


def _numbered(reading: Reading) -> list[tuple[int, Statement]]:
    return list(enumerate(reading.statements))


def _read(table: Table, reading: Reading, placing: Placing) -> str:
    """Read every column once: numbers, keys and ids."""
    columns = {
        f"n{index}": table.dialect.number(table.columns[column])
        for index, column in enumerate(reading.numbers)
    }
    columns |= placing.read
    if reading.unit is not None:
        columns["u"] = table.dialect.unit(table.columns[reading.unit.column])
    hidden = {name: table.hide.format(sql) for name, sql in columns.items()}
    return select(hidden, table.source, table.where, fence=table.dialect.fence)


def _clipped(table: Table, reading: Reading, placing: Placing) -> dict[str, str]:
    """Clip numbers, and say whether a bound that is watched cut one."""
    dialect = table.dialect
    names = {column: f"n{index}" for index, column in enumerate(reading.numbers)}
    columns: Columns = {}
    tests: dict[str, str] | None = {} if dialect.tests_first else None
    for number, statement in _numbered(reading):
        for letter, column in statement.factor_columns.items():
            bounds, is_bin = statement.factor_bounds[letter], letter.startswith("b")
            # A bin is the same in all statements.
            name = letter if is_bin else f"{letter}{number}"
            is_factor = not (is_bin or reading.keeps_missing)
            columns[name] = clip(
                dialect, names[column], bounds, is_factor=is_factor, tests=tests
            )
        if statement.counts_cuts:
            outside = []
            for letter in statement.cut_letters:
                bounds = statement.factor_bounds[letter]
                cell = names[statement.factor_columns[letter]]
                outside.append(is_outside(dialect, cell, bounds.lower, bounds.upper))
            columns[f"c{number}"] = f"({' OR '.join(outside) or 'false'})"
    passed = [*placing.read, *(["u"] if reading.unit is not None else [])]
    columns |= {name: name for name in passed}
    steps, source = {}, "rows_read"
    if tests:
        all_columns = {name: name for name in (*names.values(), *passed)}
        named = {name: test for test, name in tests.items()}
        steps["tested"], source = select(all_columns | named, source), "tested"
    return steps | {"clipped": select(columns, source, fence=dialect.fence)}


def _placed(table: Table, reading: Reading, placing: Placing) -> str:
    """Give rows the code of their group, and drop those that belong to none.

    Rows of people that do not count are dropped too, or are missing in a statement.
    Where rows are the units, nothing is dropped for a missing letter, which would cost
    more: a product of all letters is missing by itself. See `_whole`.
    """
    dialect, unit = table.dialect, reading.unit
    columns: Columns = {}
    where = list(placing.tests)
    for number, statement in _numbered(reading):
        letters = [a for a in "syw" if a in statement.factor_bounds]
        written = {a: f"{a}{number}" for a in letters}
        if "m" in statement.factor_bounds:
            other, bounds = f"m{number}", statement.numerator
            written["s"] = less(dialect, written["s"], other, bounds)
        if statement.counts_cuts:
            written["c"] = f"c{number}"
        there = _all_there(statement, number)
        if unit is not None and not reading.is_masked:
            where.append(there)
        for letter, sql in written.items():
            is_masked = unit is not None and reading.is_masked
            masked = f"CASE WHEN {there} THEN {sql} END" if is_masked else sql
            columns[f"{letter}{number}"] = masked
    if unit is not None:
        columns["u"] = "u"
        where.append("u IS NOT NULL")
    if reading.first.dimensions:
        columns["code"] = placing.code
    tests = [dialect.condition(" AND ".join(where))] if where else []
    end = dialect.gather if _is_gathered(reading) else ""
    return select(columns, f"clipped{placing.joins}", tests, fence=end or dialect.fence)


def _is_gathered(reading: Reading) -> bool:
    """Whether rows of an id are better sent to one place than added up where they are.

    Groups of an id are chosen in one place. If ids have few rows in a group, by the
    public bounds of a total against those of a row, adding up first spares little.
    """
    unit = reading.unit
    return (
        unit is not None
        and reading.first.groups > unit.most_groups
        and all(
            total.bounds.reach <= _FEW_ROWS * row_reach(statement, letter)
            for statement in reading.statements
            for letter, total in statement.unit.totals.items()  # type: ignore[union-attr]
        )
    )


def _all_there(statement: Statement, number: int, letters: str = "sywm") -> str:
    """Return the test whether no number of a row is missing."""
    there = [
        f"{a}{number} IS NOT NULL" for a in letters if a in statement.factor_bounds
    ]
    return " AND ".join(there)


# --- People ---------------------------------------------------------------------------


def _people(table: Table, reading: Reading, unit: UnitRule) -> dict[str, str]:
    """Add up the rows of each id and group, keep so many groups, and clip.

    A total is missing where an id has no rows for a statement, or too many groups.
    """
    dialect = table.dialect
    code: Columns = {"code": "code"} if reading.first.dimensions else {}
    columns: Columns = {"u": "u", **code}
    is_capped = reading.first.groups > unit.most_groups
    for number, statement in _numbered(reading):
        weight = [f"w{number}"] if "w" in statement.factor_bounds else []
        for letter, total in statement.unit.totals.items():  # type: ignore[union-attr]
            largest = row_reach(statement, letter) / total.step + 1
            cell = cell_of(dialect, [*weight, f"{letter}{number}"], total.step, largest)
            columns[f"t{letter}{number}"] = dialect.total(cell, is_wide(largest))
        if statement.counts_cuts:
            # However many rows of a unit are cut, it is one unit.
            columns[f"tc{number}"] = f"bool_or(c{number})"
        if is_capped and reading.is_masked:
            columns[f"rows{number}"] = f"count(s{number})"
    steps = {
        "totals": select(columns, "placed", group_by=["u", *code], fence=dialect.fence)
    }
    if reading.first.counts_groups:
        many = {"s0": dialect.as_double("count(*)")}
        steps["people"] = select(many, "totals", group_by=["u"], fence=dialect.fence)
        return steps
    source, kept = "totals", list[str]()
    if is_capped:
        steps |= _capped(table, reading, unit, columns)
        source = "capped"
    people = dict(code)
    for number, statement in _numbered(reading):
        clipped = _clipped_totals(dialect, number, statement)
        if is_capped and reading.is_masked:
            test = f"nth{number} <= {unit.most_groups}"
            clipped = {
                name: f"CASE WHEN {test} THEN {sql} END"
                for name, sql in clipped.items()
            }
        people |= clipped
    if is_capped and not reading.is_masked:
        kept = [f"nth <= {unit.most_groups}"]
    steps["people"] = select(people, source, kept, fence=dialect.fence)
    return steps


def _clipped_totals(dialect: Dialect, number: int, statement: Statement) -> Columns:
    """Clip totals in whole cells, and say whether a row or a total was cut."""
    columns, outside = {}, []
    for letter, total in statement.unit.totals.items():  # type: ignore[union-attr]
        name, least, most = f"t{letter}{number}", total.lowest, total.highest
        whole = (
            f"CASE WHEN {name} > {most} THEN {most} "
            f"WHEN {name} < {least} THEN {least} ELSE {name} END"
        )
        step = dialect.double(total.step)
        columns[f"{letter}{number}"] = f"{dialect.as_double(whole)} * {step}"
        if total.can_cut:
            low, high = total.uncut
            outside.append(f"{name} NOT BETWEEN {low} AND {high}")
    if statement.counts_cuts:
        # A row that counts nowhere here is neither cut nor uncut.
        tests = " OR ".join([f"tc{number}", *outside])
        columns[f"c{number}"] = f"CASE WHEN tc{number} IS NOT NULL THEN {tests} END"
    return columns


def _capped(
    table: Table, reading: Reading, unit: UnitRule, columns: Columns
) -> dict[str, str]:
    """Number the groups of each id by their ranks, those with rows of a statement.

    No two groups of one id have the same rank, so just so many are kept.
    """
    passed = {name: name for name in columns}
    window = "OVER (PARTITION BY u ORDER BY rank)"
    nth = {"nth": f"row_number() {window}"}
    if reading.is_masked:
        nth = {
            f"nth{number}": (
                f"sum(CASE WHEN rows{number} > 0 THEN 1 ELSE 0 END) {window}"
            )
            for number, _ in _numbered(reading)
        }
    fence = table.dialect.fence
    rank = {"rank": _rank(table, unit)}
    return {
        "ranked": select(passed | rank, "totals", fence=fence),
        "capped": select(passed | nth, "ranked", fence=fence),
    }


def _rank(table: Table, unit: UnitRule) -> str:
    """Rank a group of an id, as `keys.rank_of` does."""
    field, start = RANK_FIELD - 1, rank_key(unit.key)
    # A database may give the remainder the sign of its number.
    number = (
        f"(({_number_of_id(table, unit)}) % {field} + {field + start}) % {field} + 1"
    )
    spread = f"(CAST(code AS BIGINT) * {RANK_FACTOR} + {start}) % {RANK_FIELD}"
    return f"({number}) * ({spread}) % {RANK_FIELD}"


def _number_of_id(table: Table, unit: UnitRule) -> str:
    """Return the number of an id: its own, or one from a hash of its text."""
    dialect, is_text = table.dialect, table.columns[unit.column].is_text
    text = dialect.text("u", is_text)
    number, test = "u", f"u BETWEEN {-LARGEST_ID} AND {LARGEST_ID}"
    if is_text:
        number, test = dialect.whole(text), dialect.is_whole(text)
    return f"CASE WHEN {test} THEN {number} ELSE {dialect.hash(text)} END"


# --- Moments and cells ----------------------------------------------------------------


def _moments(dialect: Dialect, reading: Reading) -> Columns:
    """Make the columns that products are taken of."""
    columns: Columns = {}
    for number, statement in _numbered(reading):
        letters = "syw" if statement.unit is None else "sy"
        made = {a: f"{a}{number}" for a in letters if a in statement.factor_bounds}
        made |= _contrast(dialect, number, statement)
        used = {factor for part in statement.sums for factor in part.factors or "s"}
        for letter in used:
            sql = made[letter]
            if statement.unit is None and statement.ladder is None:
                sql = _whole(statement, number, letter, sql)
            columns[f"{letter}{number}"] = sql
    return dict(sorted(columns.items()))


def _whole(statement: Statement, number: int, factor: str, sql: str) -> str:
    """Return a factor, missing where another number of its row is.

    A product of all letters is missing by itself, and so is one with a factor of all
    letters: only factors of other products need a test.
    """
    letters = {a for a in "syw" if a in statement.factor_bounds}
    is_whole = all(
        set().union(*(_letters_of(part, statement) for part in item.factors)) >= letters
        for item in statement.sums
        if factor in (item.factors or "s")
    )
    others = letters - _letters_of(factor, statement)
    if is_whole or not others:
        return sql
    there = _all_there(statement, number, "".join(sorted(others)))
    return f"CASE WHEN {there} THEN {sql} END"


def _letters_of(factor: str, statement: Statement) -> set[str]:
    """Return the letters that a factor is made of: it is missing where one is."""
    contrast = statement.contrast
    if factor == "z" or (factor == "h" and contrast and contrast.has_numerator):
        return {"s", "y", "w"}
    return {"h": {"y", "w"}, "c": set()}.get(factor, {factor})


def _contrast(dialect: Dialect, number: int, statement: Statement) -> Columns:
    """Return z and h, and whether a unit was cut; a limit on z cuts too."""
    contrast, cut = statement.contrast, f"c{number}"
    made = {"c": cut} if statement.counts_cuts else {}
    if contrast is None:
        return made
    is_weighted = "w" in statement.factor_bounds and statement.unit is None
    times, scaled = f"w{number} * " if is_weighted else "", f"y{number}"
    if contrast.centre != 1:  # Once y is y, to the last bit.
        scaled = f"{dialect.double(contrast.centre)} * {scaled}"
    z, total = f"{times}(s{number} - {scaled})", f"y{number}"
    if contrast.has_numerator:
        total = f"(s{number} + {scaled})"
    made |= {"z": z, "h": f"{times}{total}"}
    if contrast.limit is not None:
        limit = Bounds(-contrast.limit, contrast.limit)
        made["z"] = clip(dialect, f"({z})", limit, is_factor=False)
        if statement.counts_cuts:
            beyond = is_outside(dialect, f"({z})", -contrast.uncut, contrast.uncut)
            made["c"] = f"({beyond} OR {cut})"
    return made


def _cells(dialect: Dialect, reading: Reading) -> tuple[Columns, Columns]:
    """Return the cells, each distinct product once, and the sums of them."""
    cells: Columns = {}
    sums: Columns = {}
    for number, statement in _numbered(reading):
        named: dict[tuple[tuple[str, ...], float], str] = {}
        for index, item in enumerate(statement.sums):
            factors = [f"{factor}{number}" for factor in item.factors]
            if item.factors in {(), ("c",)}:
                total = _counted(dialect, reading, item, number, cells)
            else:
                wide = is_wide(item.largest_cell)
                key = item.factors, item.step
                name = named.setdefault(key, f"cell{number}_{len(named)}")
                cells[name] = cell_of(dialect, factors, item.step, item.largest_cell)
                total = dialect.result(dialect.total(name, wide), wide)
            sums[f"sum{number}_{index}"] = total
    return cells, sums


def _counted(
    dialect: Dialect, reading: Reading, item: CellSum, number: int, passed: Columns
) -> str:
    """Return how many there are, or were cut, in cells: each is as many as the next."""
    each = to_cell(1.0, item.step)
    if reading.first.ladder is not None:
        return f"count(*) * {each}"
    name = f"{''.join(item.factors) or 's'}{number}"
    passed[name] = name
    test = name if item.factors else f"{name} IS NOT NULL"
    return f"{dialect.count_if(test)} * {each}"


# --- Keys that are to be found --------------------------------------------------------


def keys_query(table: Table, asked: KeyCount) -> str:
    """Return the query of how many units every key has, keys in hexadecimal."""
    dialect, unit, fence = table.dialect, asked.unit, table.dialect.fence
    read = {"k": key_of(table, asked.keys)}
    if unit is not None:
        read["u"] = dialect.unit(table.columns[unit.column])
    hidden = {name: table.hide.format(sql) for name, sql in read.items()}
    passed = {name: name for name in read}
    steps = {"rows_read": select(hidden, table.source, table.where, fence=fence)}
    source, tests = "rows_read", [f"{name} IS NOT NULL" for name in read]
    text = _text_of_key(table, asked)
    if unit is not None:
        is_text = table.columns[unit.column].is_text
        own = [f"{unit.key}:", text, ":", dialect.text("u", is_text)]
        own[0], own[2] = dialect.literal(own[0]), dialect.literal(own[2])
        nth = "row_number() OVER (PARTITION BY u ORDER BY digest, k)"
        steps["once"] = select(passed, source, tests, distinct=True, fence=fence)
        hashed = {**passed, "digest": dialect.digest(own)}
        steps["hashed"] = select(hashed, "once", fence=fence)
        steps["ranked"] = select({"k": "k", "nth": nth}, "hashed", fence=fence)
        source, tests = "ranked", [f"nth <= {unit.most_groups}"]
    counted = {"k": "k", "units": "count(*)"}
    steps["counted"] = select(counted, source, tests, group_by=["k"], fence=fence)
    shown = {"key": dialect.hexed(text), "units": "units"}
    return with_steps(steps, select(shown, "counted", margin=""))


def _text_of_key(table: Table, asked: KeyCount) -> str:
    """Return a key as plain text."""
    dialect = table.dialect
    is_text = is_text_key(table, asked.keys)
    if asked.kind == "date":
        return dialect.iso_day("k")
    if asked.kind == "boolean" and not is_text:
        true, false = dialect.literal("true"), dialect.literal("false")
        return f"CASE WHEN k = 1 THEN {true} ELSE {false} END"
    return dialect.text("k", is_text)


# --- The form of a query --------------------------------------------------------------


def select(
    columns: Mapping[str, str],
    source: str,
    where: Sequence[str] = (),
    *,
    group_by: Sequence[str] = (),
    distinct: bool = False,
    fence: str = "",
    margin: str = "  ",
) -> str:
    """Return a SELECT, a line for each column; names are ours and need no quotes."""
    named = [
        name if name == sql else f"{sql} AS {name}" for name, sql in columns.items()
    ]
    if list(columns) == named and len(named) <= _SHORT:
        named = [", ".join(named)]
    listed = f",\n{margin}  ".join(named)
    lines = [
        f"SELECT{' DISTINCT' if distinct else ''}\n{margin}  {listed}",
        f"FROM {source}",
    ]
    if where:
        lines.append(f"WHERE {' AND '.join(where)}")
    if group_by:
        lines.append(f"GROUP BY {', '.join(group_by)}")
    if fence:
        lines.append(fence)
    return "\n".join(f"{margin}{line}" for line in lines)


def with_steps(steps: Mapping[str, str], last: str) -> str:
    """Return a query of named steps, each over those before it."""
    written = ",\n".join(f"{name} AS (\n{step}\n)" for name, step in steps.items())
    return f"WITH {written}\n{last}"
