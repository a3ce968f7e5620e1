"""Which rows count in DuckDB's SQL, and their numbers, clipped.

A number that is missing or not finite is a missing letter. Where rows are the units,
nothing is dropped for it: all that is made of a missing letter is missing too, and a
missing cell is not added. That costs less than a test of each row, and no arithmetic is
done on a number before it is clipped. Where rows are first added up by ids, they are
dropped.
"""

from collections.abc import Mapping, Sequence

from dpratio.curator.duckdb.numbers import clip, double, is_inside, is_outside
from dpratio.curator.duckdb.table import DuckTable
from dpratio.curator.reading.statement import CellSum, Reading, Statement


def letters_of(statement: Statement) -> list[str]:
    """List the letters of a statement that sums are made of."""
    return [letter for letter in "syw" if letter in statement.factor_bounds]


def kept_steps(
    table: DuckTable, reading: Reading, passed: Sequence[str]
) -> dict[str, str]:
    """Clip the numbers of rows; where units have ids, keep rows that some count."""
    names = {column: f"n{at}" for at, column in enumerate(reading.numbers)}
    inside: dict[str, str] = {}
    clipped = {}
    is_told = reading.unit is not None and reading.is_masked
    for nth, each in enumerate(reading.statements):
        for letter, column in each.factor_columns.items():
            number = _number(table, each, letter, names[column], inside)
            if letter.startswith("b"):  # A bin is the same in all statements.
                clipped[letter] = number
            elif is_told:
                clipped[f"{letter}{nth}"] = f"CASE WHEN is{nth} THEN {number} END"
            else:
                clipped[f"{letter}{nth}"] = number
        if each.counts_cuts:
            cut = _is_cut(each, names)
            clipped[f"c{nth}"] = f"CASE WHEN is{nth} THEN {cut} END" if is_told else cut
    told, where = dict(zip(inside.values(), inside, strict=True)), ""
    if reading.unit is not None:
        tests = [_is_counted(table, each, names) for each in reading.statements]
        where = tests[0]
        if reading.is_masked:
            told |= {f"is{nth}": test for nth, test in enumerate(tests)}
            where = f"({' OR '.join(f'is{nth}' for nth in range(len(tests)))})"
        where = f" WHERE {where} AND u IS NOT NULL"
    columns = [f"{number} AS {name}" for name, number in clipped.items()]
    # Worked out for all rows at once: inside a CASE, DuckDB takes twice as long.
    tested = ", ".join(["*", *(f"{test} AS {name}" for name, test in told.items())])
    return {
        "tested": f"SELECT {tested} FROM given_rows",
        "kept": f"SELECT {', '.join([*columns, *passed])} FROM tested{where}",
    }


def masked_letters(nth: int, statement: Statement) -> dict[str, str]:
    """Make letters missing where another is, so that no sum counts half a row.

    A product of all letters is missing by itself. Of any other one letter is enough,
    and a sum without letters asks whether the first one is there.
    """
    needed = [a for a in "sywm" if a in statement.factor_bounds]
    written = written_letters(nth, statement)
    found = {}
    for each in statement.sums:
        reach = _reach(each, statement)
        if reach.issuperset(needed):
            continue
        letter = next((a for a in "wsyc" if a in reach and a in written), "s")
        others = [a for a in needed if a not in _reach_of(letter, statement)]
        if others:
            there = " AND ".join(f"{a}{nth} IS NOT NULL" for a in others)
            found[letter] = f"CASE WHEN {there} THEN {written[letter]} END"
    return written | found


def written_letters(nth: int, statement: Statement) -> dict[str, str]:
    """Write the letters from which sums are made; m is taken off s."""
    letters = [*letters_of(statement), *(["c"] if statement.counts_cuts else [])]
    written = {letter: f"{letter}{nth}" for letter in letters}
    if "m" in statement.factor_bounds:
        written["s"] = f"s{nth} - m{nth}"
    return written


def _reach(total: CellSum, statement: Statement) -> set[str]:
    """List the letters that a summand is made of: it is missing where one is."""
    parts = [_reach_of(each, statement) for each in total.factors]
    return {letter for part in parts for letter in part}


def _reach_of(factor: str, statement: Statement) -> set[str]:
    contrast = statement.contrast
    if factor == "s":
        return {"s", "m"}
    if factor == "z":
        return {"s", "m", "y", "w"}
    if factor == "h" and contrast is not None:
        return {"y", "w", *(("s", "m") if contrast.has_numerator else ())}
    return {factor}


def _number(
    table: DuckTable,
    statement: Statement,
    letter: str,
    number: str,
    inside: dict[str, str],
) -> str:
    """Clip the number of a letter, or round it to 0 or 1; note what is asked of it."""
    bounds, column = statement.factor_bounds[letter], statement.factor_columns[letter]
    is_whole = _is_whole(table, column)
    if bounds.is_one:
        if _is_read_by_others(statement, column):
            return double(1.0)  # Missing where they are: see `masked_letters`.
        test = f"{number} IS NOT NULL" if is_whole else f"isfinite({number})"
        return f"CASE WHEN {test} THEN {double(1.0)} END"
    if bounds.is_binary:
        one = f"CAST({number} >= 0.5::DOUBLE AS DOUBLE)"
        return one if is_whole else f"CASE WHEN isfinite({number}) THEN {one} END"
    test = is_inside(number, bounds)
    return clip(number, bounds, inside.setdefault(test, f"in{len(inside)}"))


def _is_read_by_others(statement: Statement, column: str) -> bool:
    bounds = statement.factor_bounds
    numbers = {a: each for a, each in statement.factor_columns.items() if a in "sywm"}
    return any(each == column and not bounds[a].is_one for a, each in numbers.items())


def _is_whole(table: DuckTable, column: str) -> bool:
    """Tell whether no number of a column can be NaN: pandas has it for missing ones."""
    kind, handed_over = table.types[column].kind, table.columns[column][1]
    return kind in {"integer", "boolean"} and handed_over != "DOUBLE"


def _is_cut(statement: Statement, names: Mapping[str, str]) -> str:
    """Say 1 where a bound that is watched moves a number of the row, else 0."""
    outside = [
        is_outside(
            names[statement.factor_columns[letter]],
            statement.factor_bounds[letter].lower,
            statement.factor_bounds[letter].upper,
        )
        for letter in statement.cut_letters
    ]
    return f"CAST({' OR '.join(outside) or 'false'} AS DOUBLE)"


def _is_counted(
    table: DuckTable, statement: Statement, names: Mapping[str, str]
) -> str:
    """Tell of a row whether its numbers are all there and finite.

    x − x is 0 for a finite x and NaN for any other, so one test does for all.
    """
    columns = statement.factor_columns.values()
    whole = [column for column in columns if _is_whole(table, column)]
    zeros = [
        f"({names[column]} - {names[column]})"
        for column in columns
        if column not in whole
    ]
    tests = [f"{names[column]} IS NOT NULL" for column in whole]
    if zeros:
        tests.append(f"isfinite({' + '.join(zeros)})")
    return " AND ".join(tests)
