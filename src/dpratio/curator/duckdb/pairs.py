"""Products across pairs of groups in DuckDB's SQL: people who are in both."""

from dpratio.curator.duckdb.numbers import cell_of
from dpratio.curator.reading.statement import Statement

__all__ = ["paired_step"]


def paired_step(statement: Statement) -> str:
    """Give each person's cells in every pair of groups that it is in.

    ``code`` is the place of the pair from here on. Nobody has two totals in one group,
    so nobody is in a pair twice.
    """
    places = ", ".join(
        f"({place}, {first}, {second})"
        for place, (first, second) in enumerate(statement.pairs)
    )
    cells = [
        f"{cell_of([f'one.{a}0', f'other.{b}0'], each.step)} AS cell0_{at}"
        for at, each in enumerate(statement.sums)
        for a, b in [each.factors]
    ]
    rows = "greatest(one.n_rows0, other.n_rows0) AS n_rows0"
    return (
        f"SELECT pair.place AS code, {rows}, {', '.join(cells)} "
        f"FROM (VALUES {places}) AS pair(place, first, second) "
        "JOIN made AS one ON one.code = pair.first "
        "JOIN made AS other ON other.code = pair.second AND other.u = one.u"
    )
