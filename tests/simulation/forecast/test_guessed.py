import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.simulation.forecast.guessed import guessed_population
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}


@pytest.mark.parametrize("correlation", [-0.4, 0.0, 0.5])
@pytest.mark.parametrize(
    ("population", "bounds"),
    [
        (
            Population(MeanSd(0.5, 0.22), MeanSd(0.45), MeanSd(1, 0.6)),
            {**UNIT, "w": Bounds(0.25, 3)},
        ),
        (
            Population(MeanSd(5, 8), MeanSd(-2, 1)),
            {"s": Bounds(-20, 100), "y": Bounds(-5, 3)},
        ),
    ],
)
def test_people_have_the_guessed_moments(
    population: Population, bounds: dict[str, Bounds], correlation: float
) -> None:
    wanted = Population(
        population.numerator, population.per, population.weight, correlation
    )
    people = guessed_population(wanted, bounds)(np.random.default_rng(1), 4, 100_000)
    for column, each in (
        (people.score, population.numerator),
        (people.label, population.per),
        (people.weight, population.weight),
    ):
        if each is not None and column is not None:
            assert column.mean() == pytest.approx(each.mean, rel=0.02)
            if each.sd is not None:
                assert column.std() == pytest.approx(each.sd, rel=0.02)
    found = np.corrcoef(people.score.ravel(), people.label.ravel())[0, 1]
    assert found == pytest.approx(correlation, abs=0.01)
    assert people.score.min() >= bounds["s"].lower
    assert people.score.max() <= bounds["s"].upper
    assert (people.weight is None) == (population.weight is None)


def test_weights_go_with_both_columns_as_guessed() -> None:
    population = Population(
        MeanSd(0.3, 0.16),
        MeanSd(0.3),
        MeanSd(1.2, 1.1),
        correlation=0.35,
        weight_with_numerator=0.1,
        weight_with_per=0.3,
    )
    bounds = {**UNIT, "w": Bounds(0.2, 12)}
    people = guessed_population(population, bounds)
    drawn = people(np.random.default_rng(1), 4, 100_000)
    assert drawn.weight is not None
    columns = [each.ravel() for each in (drawn.score, drawn.label, drawn.weight)]
    found = np.corrcoef(columns)
    for pair, wanted in (((0, 1), 0.35), ((0, 2), 0.1), ((1, 2), 0.3)):
        assert found[pair] == pytest.approx(wanted, abs=0.01)
    ratio = (drawn.weight * drawn.score).sum() / (drawn.weight * drawn.label).sum()
    assert people.ratio == population.ratio == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize(
    ("population", "said"),
    [
        (Population(MeanSd(1.5, 0.1), MeanSd(0.5)), "must lie inside its bounds"),
        (Population(MeanSd(0.5, 0.6), MeanSd(0.5)), "between 0 and 0.5"),
        (Population(MeanSd(0.5), MeanSd(0.5)), "sd of 'numerator' must lie"),
        (Population(MeanSd(0.5, 0.1), MeanSd(0.5, 0.1)), "Leave out the sd"),
        (
            Population(MeanSd(0.5, 0.1), MeanSd(0.01), correlation=0.9),
            "can only be correlated",
        ),
        (
            Population(MeanSd(0.5, 0.1), MeanSd(0.5), MeanSd(1, 1)),
            "disagree about weights",
        ),
    ],
)
def test_impossible_moments_are_refused(population: Population, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        guessed_population(population, UNIT)


def test_three_correlations_that_cannot_be_at_once_are_refused() -> None:
    columns = MeanSd(0.5, 0.1), MeanSd(0.5, 0.1), MeanSd(0.5, 0.1)
    bounds = {letter: Bounds(0, 1) for letter in "syw"}
    population = Population(*columns, 0.9, 0.9, -0.9)
    with pytest.raises(InvalidInput, match="three guessed correlations do not go tog"):
        guessed_population(population, bounds)
