"""Each status answers for its own intervals, with errors that know how few they are."""

import math

import numpy as np
import pytest

from dpratio.analyst.tables.estimates import STATUSES
from dpratio.simulation.coverage.by_status import (
    StatusFigures,
    StatusTable,
    judge_statuses,
    told,
)


def test_a_few_intervals_that_all_cover_do_not_show_a_coverage_of_one() -> None:
    """Wilson's interval for 10 of 10 is 0.7225 to 1."""
    few = StatusFigures(repetitions=100, given=10, covering=10)
    assert (few.share, few.coverage) == (0.1, 1.0)
    assert few.coverage_error == pytest.approx((1 - 0.7225) / 2, abs=1e-4)
    assert few.share_error == pytest.approx((0.1744 - 0.0552) / 2, abs=1e-4)


def test_a_status_that_does_not_occur_has_no_coverage() -> None:
    none = StatusFigures(repetitions=100, given=0, covering=0)
    assert none.share == 0
    assert math.isnan(none.coverage)
    assert math.isnan(none.coverage_error)


def test_intervals_are_told_apart_by_status_and_by_their_ends() -> None:
    lower = np.array([0.9, 1.2, -np.inf, 1.3, np.nan])
    upper = np.array([1.1, 1.4, np.inf, np.inf, np.nan])
    status = np.array([list(STATUSES).index(each) for each in STATUS_OF_ROWS], np.int8)
    found = judge_statuses(lower, upper, status, truth=1.0)
    counts = {name: (each.given, each.covering) for name, each in found.items()}
    assert counts == {
        "bounded": (2, 1),
        "ok": (1, 1),
        "variance_floored": (1, 0),
        "weak": (0, 0),
        "unbounded": (2, 1),
        "half_line": (1, 0),
        "disconnected": (0, 0),
    }


STATUS_OF_ROWS = ("ok", "variance_floored", "unbounded", "half_line", "unbounded")


def test_people_see_one_column_for_each_status_that_occurs() -> None:
    ok = {name: StatusFigures(100, 100 * (name == "ok"), 0) for name in STATUSES}
    all_ok = {"bounded": StatusFigures(100, 100, 95), **ok}
    some = all_ok | {"half_line": StatusFigures(100, 20, 18)}
    plain = StatusTable(({"n": 1} | told(all_ok), {"n": 2} | told({})))
    assert list(plain.shown()) == ["n"]
    hard = StatusTable(({"n": 1} | told(some), {"n": 2} | told({})))
    assert list(hard.shown()) == [
        "n",
        "bounded: share, coverage",
        "ok: share, coverage",
        "half_line: share, coverage",
    ]
    assert hard.shown()["half_line: share, coverage"] == [
        "0.200 ± 0.078, 0.900 ± 0.137",
        "–",
    ]
    assert len(hard.columns()) == 1 + 4 * 7
