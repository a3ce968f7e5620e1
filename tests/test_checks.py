"""Bad arguments become sentences: the rule, what was given, what to do."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.checks import (
    import_extra,
    require,
    require_one_of,
    show_given,
    to_exact,
)
from dpratio.errors import InvalidInput, MissingExtra


def test_a_rule_that_holds_says_nothing() -> None:
    require(True, "never shown", None)  # noqa: FBT003
    require("truthy", "never shown", None)


def test_a_broken_rule_names_the_rule_the_value_and_the_way_out() -> None:
    with pytest.raises(InvalidInput) as caught:
        require(False, "two must exceed one", (2, 1), "Swap them.")  # noqa: FBT003
    assert str(caught.value) == "two must exceed one, got (2, 1). Swap them."


def test_a_rule_without_a_hint_ends_with_its_full_stop() -> None:
    with pytest.raises(InvalidInput) as caught:
        require([], "a list needs a member", [])
    assert str(caught.value) == "a list needs a member, got []."


def test_a_known_name_passes() -> None:
    require_one_of("even", ("even", "odd"), "strategy")


def test_a_misspelt_name_is_answered_with_the_near_one() -> None:
    with pytest.raises(InvalidInput) as caught:
        require_one_of("laplase", ("laplace", "gaussian"), "mechanism")
    assert str(caught.value) == (
        "unknown mechanism, got 'laplase'. Did you mean 'laplace'? "
        "Use one of: laplace, gaussian."
    )


@pytest.mark.parametrize("given_name", ["zzz", "", 3, None, [], True])
def test_a_name_unlike_any_is_answered_with_the_list(given_name: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        require_one_of(given_name, iter(("even", "odd")), "strategy")
    assert str(caught.value) == (
        f"unknown strategy, got {given_name!r}. Use one of: even, odd."
    )


def test_long_values_are_shortened_in_messages() -> None:
    assert show_given("x" * 10) == repr("x" * 10)
    assert show_given("x" * 78) == repr("x" * 78)
    shown = show_given("x" * 79)
    assert len(shown) == 80
    assert shown.endswith("…")


def test_a_whole_number_too_long_for_python_to_print_is_still_shown() -> None:
    """Python refuses to write integers of more than 4300 digits as text."""
    assert len(show_given(10**5000)) <= 80


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (" 0.1\n", Fraction(1, 10)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 10), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        ("1e-6", Fraction(1, 10**6)),
        (1e-6, Fraction(1, 10**6)),
        (3, Fraction(3)),
        (-2.5, Fraction(-5, 2)),
        ("-0", Fraction(0)),
    ],
)
def test_a_number_is_read_as_the_decimal_that_was_written(
    number: object, exact: Fraction
) -> None:
    assert to_exact(number, "epsilon") == exact


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(0.1)
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
def test_every_float_is_read_as_its_shortest_decimal(number: float) -> None:
    exact = to_exact(number, "epsilon")
    assert exact == Fraction(repr(number))
    assert float(exact) == number


@pytest.mark.parametrize("number", [True, False, None, [1], b"1", 1j, object])
def test_what_is_not_a_number_is_refused(number: object) -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be a number, got .*'1e-6'\.$"):
        to_exact(number, "delta")


@pytest.mark.parametrize(
    "number",
    [
        math.nan,
        math.inf,
        -math.inf,
        "nan",
        "sNaN",
        "inf",
        "one half",
        "",
        "1/2",
        "0x10",
        Decimal("sNaN"),
        Decimal("Infinity"),
        "1e99999999999999999999",
    ],
)
def test_what_is_not_finite_is_refused(number: object) -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be a finite number, got "):
        to_exact(number, "epsilon")


def test_an_endless_whole_number_is_refused_in_our_own_words() -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        to_exact(10**5000, "epsilon")


def test_a_package_that_is_there_is_imported() -> None:
    assert import_extra("math", "arrow") is math


def test_a_package_that_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtra) as caught:
        import_extra("no_such_package_here", "arrow")
    assert str(caught.value) == (
        "this needs the package 'no_such_package_here', which is not installed. "
        "Install it with: pip install '.[arrow]' in the repository, or with a wheel of "
        "dpratio in place of the dot"
    )
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (
            "raise ImportError('this needs NumPy 2.0\\n or newer.')",
            "this needs NumPy 2.0 or newer",
        ),
        ("import no_such_package_here", "No module named 'no_such_package_here'"),
        ("import math; math.no_such_name", "module 'math' has no attribute"),
        ("raise ImportError('very ' * 999)", "very very"),
        ("raise RuntimeError", "RuntimeError"),
    ],
)
def test_a_package_that_is_there_and_does_not_load_is_not_called_missing(
    written: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package_in_pieces.py").write_text(written, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtra) as caught:
        import_extra("package_in_pieces", "arrow")
    said = str(caught.value)
    assert said.startswith(
        "this needs the package 'package_in_pieces', which is installed but does not "
        f"load: {reason}"
    )
    assert said.endswith(
        ". Take versions that fit each other with: pip install --upgrade "
        "--upgrade-strategy eager '.[arrow]' in the repository, or with a wheel of "
        "dpratio in place of the dot"
    )
    assert "not installed" not in said
    assert len(said) < 480
    assert len(said.splitlines()) == 1
    assert caught.value.__suppress_context__


def test_a_part_of_a_package_that_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtra, match=r"'json\.no_such_part'.*is not installed"):
        import_extra("json.no_such_part", "arrow")


def test_a_frame_passed_by_mistake_shows_none_of_its_cells() -> None:
    import pandas as pd

    frame = pd.DataFrame({"score": [0.665421], "name": ["canary"]})
    cells = frame["score"].tolist() * 9
    for mistake in (frame, frame["score"], cells, {"a": cells}):
        shown = show_given(mistake)
        assert "665421" not in shown
        assert "canary" not in shown
    assert show_given(frame) == "a DataFrame"
    assert show_given((1.0, 0.0)) == "(1.0, 0.0)"
