"""Products across pairs of groups as an expression: people who are in both."""

from dpratio.curator.reading.statement import Statement
from dpratio.curator.warehouse.dialect import Dialect, Value
from dpratio.curator.warehouse.keys import public_table
from dpratio.curator.warehouse.numbers import cell_of, least_factor

__all__ = ["paired"]


def paired(
    dialect: Dialect, units: Value, statement: Statement
) -> tuple[Value, list[list[str]]]:
    """Give each person's cells in every pair of groups that it is in, and their names.

    ``code`` is the place of the pair from here on. Nobody has two totals in one group,
    so nobody is in a pair twice.
    """
    first, second = zip(*statement.pairs, strict=True)
    columns = {"place": range(len(first)), "one": first, "other": second}
    pairs = public_table(columns)
    letters = sorted({letter for each in statement.sums for letter in each.factors})
    one, other = (_named(units, letters, end) for end in ("one", "other"))
    both = pairs.join(one, pairs.one == one.code_one)
    both = both.join(
        other, [both.other == other.code_other, both.u_one == other.u_other]
    )
    least = least_factor(statement.contrast)
    cells = {
        f"cell0_{at}": cell_of(
            dialect, [both[f"{a}_one"], both[f"{b}_other"]], each.step, least
        )
        for at, each in enumerate(statement.sums)
        for a, b in [each.factors]
    }
    more = both.n_rows_one > both.n_rows_other
    rows = more.ifelse(both.n_rows_one, both.n_rows_other)
    return both.select(code=both.place, n_rows0=rows, **cells), [list(cells)]


def _named(units: Value, letters: list[str], end: str) -> Value:
    """Name what is read of a person in one group of a pair."""
    named = {"u": "u", "code": "code", "n_rows": "n_rows0"}
    named |= {letter: f"{letter}0" for letter in letters}
    held = units.view()
    return held.select(**{f"{name}_{end}": held[at] for name, at in named.items()})
