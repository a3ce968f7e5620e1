"""What a ratio may be without cuts, and if what, in words."""

import numpy as np

from dpratio.analyst.tables.without_cuts import WithoutCuts

OPEN = "Some spent may lie far beyond the bounds"


def said(
    *ends: tuple[float, float], rows: int = 1, kept: tuple[str, ...] = ()
) -> list[str]:
    reach = dict(zip(("spent", "orders"), ends, strict=False))
    found = np.full(rows, 2.31), np.full(rows, 3.05)
    return WithoutCuts(*found, 0.95, reach, kept, is_part=rows > 1).said()


def test_an_interval_says_if_what() -> None:
    (line,) = said((0, 4096))
    assert line == (
        "Without cuts: 95 % interval 2.31 to 3.05, if every spent lies within 0 to "
        "4,096; noise hides what lies beyond."
    )


def test_two_columns_are_both_named() -> None:
    (line,) = said((-0.5, 16), (0, 8))
    assert "every spent lies within −0.5 to 16 and every orders lies" in line


def test_many_rows_are_in_their_columns() -> None:
    first, second = said((0, 16), rows=2)
    assert first.startswith("Without cuts: uncut_lower to uncut_upper, if every")
    assert second.startswith("The histogram is of all rows together")


def test_a_side_without_an_end_is_said() -> None:
    line, reason = said((0, np.inf))
    assert "if every spent lies above 0" in line
    assert reason.startswith(OPEN)
    assert "lies below 16" in said((-np.inf, 16))[0]
    line, reason = said((-np.inf, np.inf))
    assert "if" not in line
    assert reason.startswith(OPEN)


def test_cuts_that_stay_are_said() -> None:
    lines = said((0, 16), kept=("orders", "weight"))
    assert lines[-1] == "No histogram tells what the bounds of orders and weight cut."
