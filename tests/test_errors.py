"""The tree of errors is what its drawing says."""

import re

import pytest

from dpratio import errors
from dpratio.errors import DpratioError, InvalidInput, MissingExtra

WARNINGS = ["GivenAgain"]
NAMES = [name for name in errors.__all__ if name not in {"DpratioError", *WARNINGS}]


def kind(name: str) -> type[DpratioError]:
    found: type[DpratioError] = getattr(errors, name)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_error_hangs_on_the_root(name: str) -> None:
    assert DpratioError in kind(name).__mro__[1:]
    with pytest.raises(DpratioError, match="the rule"):
        raise kind(name)("the rule")


def test_all_errors_are_listed_and_in_order() -> None:
    children = {child.__name__ for child in DpratioError.__subclasses__()}
    assert children == set(NAMES)
    assert errors.__all__ == sorted(errors.__all__)


def test_exit_codes_are_distinct_and_leave_0_1_and_2_to_the_shell() -> None:
    codes = [kind(name).exit_code for name in NAMES]
    assert len(set(codes)) == len(codes)
    assert min(codes) > 2
    assert max(codes) < 126
    assert DpratioError.exit_code == 1


def test_the_drawing_at_the_top_shows_every_error_with_its_code() -> None:
    drawn = re.findall(r"[├└]── (\w+) .*exit (\d+)", errors.__doc__ or "")
    assert {name: int(code) for name, code in drawn} == {
        name: kind(name).exit_code for name in NAMES
    }


def test_errors_can_be_caught_by_the_names_python_has_for_them() -> None:
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(MissingExtra, ImportError)


def test_a_warning_is_no_error() -> None:
    for name in WARNINGS:
        found = getattr(errors, name)
        assert issubclass(found, UserWarning)
        assert not issubclass(found, DpratioError)
