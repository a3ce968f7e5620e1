"""Populations and settings on which intervals fail first."""

import math

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.simulation.coverage.hard_cases import CASES, TOLERANCE, measure_cases
from dpratio.simulation.coverage.hard_people import RareLabels, SurprisingLabels


def test_labels_are_as_rare_as_was_asked() -> None:
    people = RareLabels(0.02)(np.random.default_rng(1), 100, 10_000)
    assert people.label.mean() == pytest.approx(0.02, rel=0.02)


def test_surprised_people_weigh_more() -> None:
    people = SurprisingLabels()(np.random.default_rng(1), 10, 10_000)
    assert people.weight is not None
    surprised = (people.label > 0) != (people.score > 0.5)
    means = [people.weight[chosen].mean() for chosen in (surprised, ~surprised)]
    assert means[0] > 2 * means[1]
    assert people.weight.min() >= np.float32(1 / 3)
    assert people.weight.max() <= 3


@pytest.mark.parametrize("name", CASES)
def test_every_case_covers_beside_fieller(name: str) -> None:
    """0.008 and five standard errors; only kish may fail where weights tell."""
    repetitions = 400
    for row in measure_cases([name], repetitions=repetitions, rng=1).to_dicts():
        level = row["level"]
        error = math.sqrt(level * (1 - level) / repetitions)
        assert row["floor"] == min(level, row["coverage_fieller"]) - TOLERANCE
        if row["strategy"] == "focused":
            assert row["coverage"] > level - TOLERANCE - 5 * error, row


def test_kish_fails_where_weights_follow_labels_and_linearised_does_not() -> None:
    rows = measure_cases(["weights_follow_labels"], repetitions=4_000, rng=1).to_dicts()
    linearised = [row for row in rows if row["strategy"] == "focused"]
    kish = [row for row in rows if row["strategy"] == "joint"]
    assert all(abs(row["coverage"] - 0.95) < 0.015 for row in linearised)
    assert all(row["coverage"] < 0.944 for row in kish)
    assert all(row["coverage_fieller"] < 0.935 for row in kish)


def test_the_weak_denominator_is_weak_and_its_sets_are_unbounded() -> None:
    rows = measure_cases(["weak_denominator"], repetitions=200, rng=1).to_dicts()
    assert all(row["denominator_sds"] < 4 for row in rows)
    assert all(row["unbounded"] > 0.05 for row in rows)


def test_an_unknown_case_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'rare_labels'"):
        measure_cases(["rare_label"])
    with pytest.raises(InvalidInput, match="at least one case"):
        measure_cases([])
