"""Adjusted p-values against references, and the levels of their intervals."""

import numpy as np
import pytest

from dpratio.analyst.comparison.adjust import ADJUSTMENTS, adjusted, family_level

PVALUES = np.array([0.012, 0.001, 0.2, 0.045, 0.021])


def test_benjamini_and_hochbergs_are_those_of_scipy() -> None:
    from scipy.stats import false_discovery_control

    many = np.random.default_rng(1).random(200) ** 2
    for pvalues in (PVALUES, many):
        wanted = false_discovery_control(pvalues)
        assert adjusted(pvalues, "benjamini_hochberg") == pytest.approx(wanted)


def test_holms_are_those_worked_by_hand() -> None:
    # 0.001·5, 0.012·4, 0.021·3, 0.045·2, 0.2·1, each at least the one before.
    wanted = [0.048, 0.005, 0.2, 0.09, 0.063]
    assert adjusted(PVALUES, "holm") == pytest.approx(wanted)
    assert adjusted(np.array([0.03, 0.02, 0.9]), "holm") == pytest.approx(
        [0.06, 0.06, 0.9]
    )
    # 0.021·1 is less than 0.02·2: what is less clear is found no earlier.
    assert adjusted(np.array([0.021, 0.01, 0.02]), "holm") == pytest.approx(
        [0.04, 0.03, 0.04]
    )


def test_bonferronis_are_multiples_up_to_one() -> None:
    wanted = [0.06, 0.005, 1.0, 0.225, 0.105]
    assert adjusted(PVALUES, "bonferroni") == pytest.approx(wanted)


def test_nothing_changes_without_adjustment_or_comparisons() -> None:
    assert adjusted(PVALUES, "none") is PVALUES
    assert family_level(PVALUES, "none", 0.9) == 0.9
    for adjust in ADJUSTMENTS:
        assert len(adjusted(np.array([]), adjust)) == 0
        assert family_level(np.array([]), adjust, 0.9) == 0.9


def test_intervals_that_hold_at_once_are_made_at_the_shared_level() -> None:
    for adjust in ("bonferroni", "holm"):
        assert family_level(PVALUES, adjust, 0.95) == pytest.approx(1 - 0.05 / 5)


def test_intervals_after_selection_are_made_at_the_level_of_what_was_found() -> None:
    # Benjamini & Hochberg find three of five at 0.05: 0.021·5/3 = 0.035.
    assert family_level(PVALUES, "benjamini_hochberg", 0.95) == pytest.approx(
        1 - 3 * 0.05 / 5
    )
    none = np.array([0.5, 0.9])
    assert family_level(none, "benjamini_hochberg", 0.95) == pytest.approx(0.975)


def test_what_is_found_is_just_what_its_interval_level_rejects() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        pvalues = rng.random(8) ** 3
        for adjust in ("bonferroni", "benjamini_hochberg"):
            found = adjusted(pvalues, adjust) < 0.05
            single = 1 - family_level(pvalues, adjust, 0.95)
            assert np.array_equal(found, pvalues < single)
