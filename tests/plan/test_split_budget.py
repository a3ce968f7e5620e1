"""Parts share epsilon under Laplace noise, and μ² under Gaussian noise."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.settle import (
    Allowance,
    _root_below,
    allowances,
    cells_of,
    first_allowances,
    left_for_sums,
    private_keys,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

KEYS = PrivateKeys("k", Budget("0.25", "1e-7"))


def study_of(weights: tuple[Fraction, ...] = (Fraction(1),)) -> Study:
    groups = [None, Groups("g", ["a", "b", "c"]), KEYS]
    return Study(
        [
            Question(Ratio("s", per="y"), groups=groups[at % 3], budget_share=weight)
            for at, weight in enumerate(weights)
        ],
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1, "1e-6"),
        strategy="even",
    )


def given_to(law: NoiseLaw, weights: tuple[Fraction, ...]) -> list[Allowance]:
    study = study_of(weights)
    return allowances(study, law, left_for_sums(study, law, found=[KEYS]))


THIRDS = (Fraction(1, 3), Fraction(2, 3))


@pytest.mark.parametrize("law", LAWS.values())
def test_epsilon_and_delta_are_divided_by_weight(law: NoiseLaw) -> None:
    delta = Fraction(0) if law == LAPLACE else Fraction("9e-7")
    shares = given_to(law, THIRDS)
    assert [each.epsilon for each in shares] == [w * Fraction(3, 4) for w in THIRDS]
    assert [each.delta for each in shares] == [w * delta for w in THIRDS]
    assert [each.cells for each in shares] == [1, 3]
    # Under Laplace noise they add up to epsilon, under Gaussian noise in squares.
    whole = GAUSSIAN.largest_ratio(Fraction(3, 4), Fraction("9e-7"))
    if law == LAPLACE:
        whole = Fraction(3, 4)
    total = law.total(each.ratio for each in shares)
    assert total <= whole**law.power
    assert float(total / whole**law.power) == pytest.approx(1, rel=1e-12)
    assert given_to(law, (Fraction(1),))[0].ratio == whole


def test_keys_are_paid_first() -> None:
    study = study_of((Fraction(1), Fraction(1), Fraction(1)))
    assert private_keys(study) == [KEYS]
    assert left_for_sums(study, LAPLACE) == (Fraction(3, 4), Fraction(0))
    assert left_for_sums(study, GAUSSIAN, found=[KEYS], first=Fraction(1, 4)) == (
        Fraction(1, 4),
        Fraction("8e-7"),
    )
    cells = [cells_of(question.groups) for question in study.questions]
    assert cells == [1, 3, None]


def test_a_first_stage_is_divided_by_weight_and_has_no_delta() -> None:
    shares = first_allowances(study_of(THIRDS), Fraction(1, 5))
    assert [(each.law, each.delta, each.cells) for each in shares] == [
        (LAPLACE, Fraction(0), 1),
        (LAPLACE, Fraction(0), 3),
    ]
    for each, weight in zip(shares, THIRDS, strict=True):
        assert each.epsilon == each.ratio == weight / 5


@given(
    epsilon=st.sampled_from(["0.01", "1", "20"]),
    delta=st.sampled_from(["1e-12", "1e-6", "0.5"]),
)
def test_what_is_affordable_is_certified_and_nearly_the_most(
    epsilon: str, delta: str
) -> None:
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    whole = GAUSSIAN.largest_ratio(**share)
    assert GAUSSIAN.affords(whole, **share)
    assert not GAUSSIAN.affords(whole * (1 + Fraction(1, 10**9)), **share)


@given(weight=st.fractions(Fraction(1, 10**9), 1))
def test_a_root_is_bounded_from_below_and_closely(weight: Fraction) -> None:
    root = _root_below(weight)
    assert root * root <= weight
    assert float(root * root / weight) == pytest.approx(1, rel=1e-12)
    assert _root_below(Fraction(1)) == 1


@pytest.mark.parametrize(
    ("law", "left", "match"),
    [
        (LAPLACE, (0, 0), "^finding keys leaves nothing of epsilon"),
        (LAPLACE, (-1, 0), "^finding keys leaves nothing of epsilon"),
        (GAUSSIAN, (1, 0), "^finding keys leaves nothing of delta"),
        (GAUSSIAN, (1, -1), "^finding keys leaves nothing of delta"),
    ],
)
def test_nothing_left_for_sums_is_refused(
    law: NoiseLaw, left: tuple[int, int], match: str
) -> None:
    with pytest.raises(InvalidInput, match=match):
        allowances(study_of(), law, (Fraction(left[0]), Fraction(left[1])))
