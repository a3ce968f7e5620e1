"""A variable stands for a whole address, or begins a path."""

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.database import DatabaseTable
from dpratio.terms.source import variable_of_address, variable_of_path
from dpratio.terms.source_description import description_from_text, description_of


@pytest.mark.parametrize("url", ["${A}", "${ORDERS_DB2}", "${_x}"])
def test_an_address_may_stand_in_one_variable(url: str) -> None:
    assert variable_of_address(url) == url[2:-1]
    table = DatabaseTable(url, view="a.b", where="x > 5")
    assert (table.scheme, table.shown, table.is_file) == ("", "another address", False)
    described = description_of(table)
    assert str(described) == f"view 'a.b' at '{url}', rows where x > 5"
    assert description_from_text(described.text) == described


@pytest.mark.parametrize("url", ["${}", "${1}", "${A}x", "x${A}", "${A b}", "${A", 1])
def test_nothing_else_is_a_variable_of_an_address(url: object) -> None:
    if url == 1:
        assert variable_of_address(url) is None
        return
    with pytest.raises(InvalidInput, match="a variable must hold a whole address"):
        variable_of_address(url)


def test_a_path_begins_with_its_variable() -> None:
    assert variable_of_path("${LAKE}/a/{period}.parquet") == "LAKE"
    assert variable_of_path("a/{period}.parquet") is None
    for path in ("a/${B}", "${A}/${B}", "${1}/a", "${A"):
        with pytest.raises(InvalidInput, match="must begin with its one variable"):
            variable_of_path(path)
