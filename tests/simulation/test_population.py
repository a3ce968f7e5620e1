import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.simulation.population import PaperPopulation


@pytest.mark.parametrize("ratio", [1.1, 1.0, 2.0, 0.5])
def test_invented_people_have_the_moments_of_the_paper(ratio: float) -> None:
    people = PaperPopulation(ratio)(np.random.default_rng(5), 100, 10_001)
    score, label = people.score.astype(float), people.label.astype(float)
    assert people.weight is not None
    weight = people.weight.astype(float)
    assert score.shape == (100, 10_001)
    assert score.mean() == pytest.approx(0.5 * min(ratio, 1), abs=0.002)
    assert score.sum() / label.sum() == pytest.approx(ratio, rel=0.01)
    assert weight.mean() == pytest.approx(1.0001, abs=0.005)
    assert (weight**2).mean() == pytest.approx(1.6236, abs=0.01)
    assert (weight.min(), weight.max()) == (np.float32(1 / 3), 3.0)
    if ratio == 1.1:
        assert ((score - 1.1 * label) ** 2).mean() == pytest.approx(0.25, abs=0.002)


def test_scores_follow_the_beta_law() -> None:
    from scipy.stats import beta, kstest

    people = PaperPopulation()(np.random.default_rng(3), 1, 200_000)
    assert kstest(people.score[0], beta(2, 2).cdf).pvalue > 1e-9


def test_the_same_seed_invents_the_same_people() -> None:
    first, second = (PaperPopulation()(np.random.default_rng(1), 2, 10) for _ in "ab")
    assert np.array_equal(first.score, second.score)


def test_the_first_people_and_equal_weights_are_views_of_the_same_people() -> None:
    people = PaperPopulation()(np.random.default_rng(1), 2, 10)
    assert people.first(4).score.shape == (2, 4)
    assert people.without_weight().first(4).weight is None


@pytest.mark.parametrize("ratio", [0.0, -1.0, 101.0, float("nan")])
def test_impossible_people_are_refused(ratio: float) -> None:
    with pytest.raises(InvalidInput, match=r"between 0\.01 and 100"):
        PaperPopulation(ratio)
