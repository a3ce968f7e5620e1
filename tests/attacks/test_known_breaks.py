"""No row of the table of breaks is without its tests and their sources."""

import re
from pathlib import Path

from attacks.known_breaks import KNOWN_BREAKS, rows_of_tests


def test_every_row_has_a_test() -> None:
    assert {row for row, _, _ in rows_of_tests()} == set(KNOWN_BREAKS)


def test_every_test_states_where_the_failure_is_known_from() -> None:
    assert [name for _, name, said in rows_of_tests() if "Source:" not in said] == []


def test_every_test_that_a_row_points_to_is_there() -> None:
    root = Path(__file__).parents[2]
    named = [re.findall(r"tests/[\w/]+\.py", said) for _, _, said in rows_of_tests()]
    assert [each for row in named for each in row if not (root / each).is_file()] == []
