import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.study.population import invent_people


def test_invented_people_have_the_moments_of_the_paper() -> None:
    people = invent_people(1_000_000, ratio=1.1, rng=np.random.default_rng(5))
    assert people.score.mean() == pytest.approx(0.5, abs=0.002)
    assert people.score.sum() / people.label.sum() == pytest.approx(1.1, abs=0.01)
    assert people.weight.mean() == pytest.approx(1.0001, abs=0.005)
    assert (people.weight**2).mean() == pytest.approx(1.6236, abs=0.01)
    assert (people.weight.min(), people.weight.max()) == (1 / 3, 3.0)
    residual = people.score - 1.1 * people.label
    assert (residual**2).mean() == pytest.approx(0.25, abs=0.002)


def test_the_same_seed_invents_the_same_people() -> None:
    first, second = (
        invent_people(10, ratio=1.2, rng=np.random.default_rng(1)) for _ in range(2)
    )
    assert np.array_equal(first.score, second.score)


@pytest.mark.parametrize(("count", "ratio"), [(0, 1.1), (10, 0.9)])
def test_impossible_people_are_refused(count: int, ratio: float) -> None:
    with pytest.raises(InvalidInput, match="must be at least 1"):
        invent_people(count, ratio=ratio, rng=np.random.default_rng(1))
