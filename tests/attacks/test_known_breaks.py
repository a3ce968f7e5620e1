"""No row of the table of breaks is without its tests, their sources and a mutant."""

from attacks.known_breaks import KNOWN_BREAKS, rows_of_mutants, rows_of_tests


def test_every_row_has_a_test() -> None:
    assert {row for row, _, _ in rows_of_tests()} == set(KNOWN_BREAKS)


def test_every_test_states_where_the_failure_is_known_from() -> None:
    assert [name for _, name, said in rows_of_tests() if "Source:" not in said] == []


def test_every_row_has_a_mutant() -> None:
    assert {row for row, _ in rows_of_mutants()} == set(KNOWN_BREAKS)
