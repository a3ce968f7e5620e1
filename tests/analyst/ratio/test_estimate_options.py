"""Options of an estimate: what is refused, what is the default, what repeats."""

import inspect
import math
from typing import Any

import numpy as np
import pytest

from analyst.given import given_release
from analyst.ten_rows_released import answer, plan_of
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio


def test_log_intervals_need_bounds_that_cannot_be_negative() -> None:
    message = (
        "link 'log' needs a numerator and denominator that cannot be negative, "
        "got 'log'. Use link 'ratio'."
    )
    for bounds in ({"s": (-1, 2)}, {"y": (-1, 2)}):
        with pytest.raises(InvalidInput) as caught:
            answer(plan_of(**bounds), link="log")
        assert str(caught.value) == message
        answer(plan_of(**bounds))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "analytic"},
            r"^unknown method, got 'analytic'\. Did you mean 'ana",
        ),
        (
            {"link": "logs"},
            r"^unknown link, got 'logs'\. Did you mean 'log'\? Use one",
        ),
        ({"level": 0.0}, r"^level must lie between 0 and 1, got 0\.0\. 0\.95 is usual"),
        ({"level": 1.0}, "level must lie between 0 and 1"),
        ({"level": -0.5}, "level must lie between 0 and 1"),
        ({"level": 95}, "level must lie between 0 and 1, got 95"),
        ({"level": math.nan}, "level must lie between 0 and 1"),
        ({"level": "0.95"}, "level must lie between 0 and 1"),
        ({"level": True}, "level must lie between 0 and 1"),
        ({"draws": 1}, "draws must be at least 2, got 1"),
        ({"draws": 200.0}, "draws must be at least 2"),
        ({"draws": True}, "draws must be at least 2"),
        ({"rng": -1}, "rng"),
        ({"rng": "seed"}, "rng"),
        ({"rng": 1.5}, "rng"),
    ],
)
def test_an_option_that_is_not_one_is_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        answer(**{"method": "monte_carlo", **options})


def test_only_a_release_can_be_estimated() -> None:
    with pytest.raises(InvalidInput, match="Read it first"):
        estimate_ratios("loans.json")  # type: ignore[arg-type]


def test_a_seed_makes_monte_carlo_repeatable() -> None:
    def width(rng: int | np.random.Generator | None) -> float:
        return float(answer(method="monte_carlo", rng=rng).se_privacy[0])

    assert width(1) == width(1)
    assert width(1) == width(np.random.default_rng(1))
    assert width(1) != width(2)
    assert width(None) != width(None)
    generator = np.random.default_rng(1)
    assert width(generator) != width(generator)


def test_200_draws_are_the_default() -> None:
    assert inspect.signature(estimate_ratios).parameters["draws"].default == 200
    usual = answer(method="monte_carlo", rng=1)
    assert usual.se_privacy == answer(method="monte_carlo", rng=1, draws=200).se_privacy
    assert usual.se_privacy != answer(method="monte_carlo", rng=1, draws=201).se_privacy


def test_other_methods_draw_nothing() -> None:
    generator = np.random.default_rng(1)
    before = generator.bit_generator.state
    for method in ("analytical", "no_correction"):
        answer(method=method, rng=generator)
    assert generator.bit_generator.state == before


def test_log_intervals_need_every_ratio_to_be_positive() -> None:
    plan = make_plan(
        [Ratio("s", per="y"), Ratio("s", per="y", minus="t")],
        bounds={"s": Bounds(0, 1), "t": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1),
        clipping="unmeasured",
    )
    values = [np.full((1, 5), 2**30) for _ in plan.measurements]
    release = given_release(plan, *values)
    with pytest.raises(InvalidInput, match="link 'log' needs a numerator"):
        estimate_ratios(release, link="log")
    assert len(estimate_ratios(release)) == 2
