"""A binary column that another is taken off is neither 0 nor 1 any more."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.curator import measure as room
from dpratio.curator.release_sums import release_sums
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from tiers import quick_first

LAWS = [("joint", ("ratio",)), ("even", ("ratio",)), ("joint", ("ratio", "spread"))]


def plan_of(strategy: str, answers: tuple[str, ...], taken: Bounds) -> Plan:
    return make_plan(
        Ratio("s", per="y", minus="m"),
        bounds={"s": Bounds.binary(), "m": taken, "y": Bounds.binary()},
        budget=Budget(1),
        strategy=strategy,
        mechanism="laplace",
        answers=answers,
    )


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_law: object, scales: Any, count: int, _bits: object) -> Any:  # noqa: ANN401
        return np.zeros((count, len(scales)), dtype=np.int64)

    monkeypatch.setattr(room, "draw_noise", nothing)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("strategy", "answers"), LAWS)
@pytest.mark.parametrize("taken", [Bounds(0, 1), Bounds.binary(), Bounds(0.3, 0.7)])
def test_engines_agree_on_differences_of_a_binary_column(
    strategy: str, answers: tuple[str, ...], taken: Bounds
) -> None:
    rng = np.random.default_rng(3)
    table = {
        "s": rng.integers(0, 2, 500),
        "m": rng.random(500),
        "y": rng.integers(0, 2, 500),
    }
    plan = plan_of(strategy, answers, taken)
    lists = release_sums(table, plan, ledger=None)
    frame = release_sums(pd.DataFrame(table), plan, ledger=None)
    assert lists.questions == frame.questions


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("strategy", "answers"), quick_first(LAWS))
def test_one_row_moves_no_sum_further_than_planned(
    strategy: str, answers: tuple[str, ...]
) -> None:
    plan = plan_of(strategy, answers, Bounds(0.3000000357627869, 0.7))

    @settings(max_examples=25)
    @given(
        rows=st.lists(
            st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(0, 1)), min_size=1
        )
    )
    def check(rows: list[tuple[int, float, int]]) -> None:
        frame = pd.DataFrame(rows, columns=["s", "m", "y"])
        held = [
            np.asarray(release_sums(each, plan, ledger=None).questions[0].values)
            for each in (frame, frame.iloc[1:])
        ]
        (one,), (less,) = (each.tolist() for each in held)
        moved = np.abs(np.subtract(one, less))
        assert (moved <= [each.sensitivity for each in plan.measurements[0].sums]).all()

    check()


def test_a_number_of_thousands_of_digits_is_no_key_and_stops_nothing() -> None:
    from dpratio.curator.reading.keys import key_text

    assert key_text(10**4000) == "1" + "0" * 4000
    assert key_text(10**4300) is None
    assert key_text(-(10**9999)) is None
