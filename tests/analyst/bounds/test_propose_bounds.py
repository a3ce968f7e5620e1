"""Proposals from a release of histograms: what is said, and what is not."""

from dataclasses import replace

import numpy as np
import pytest

from analyst.bounds.releases_for_tests import ONE, released
from curator.histograms_for_tests import study_of
from dpratio.analyst.bounds.propose_bounds import (
    choose_bounds,
    count_beyond,
    half_width,
    propose_bounds,
)
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import HistogramPlan, plan_bounds
from dpratio.release.combine import merge
from dpratio.release.files import example_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit

KNOWN = [{"7 to 8": 900, "14 to 16": 90, "not finite": 7}, {"around 0": 950}]


def test_each_histogram_has_a_row() -> None:
    found = propose_bounds(released(KNOWN), budget=ONE)
    assert found.bounds == {"spent": Bounds(0, 16)}
    assert len(found) == 2
    assert [row["status"] for row in found.to_dicts()] == ["ok", "too_little_known"]
    assert found.to_dicts()[1]["upper"] is None
    said = str(found)
    assert "SIMULATED" in said
    assert "no cell is filled beyond noise" in said


def test_a_total_of_two_histograms_gets_bounds_that_hold_both() -> None:
    terms = {"unit": PrivacyUnit("user"), "groups": [None, Groups("region", ["n"])]}
    some, more = {"7 to 8": 900}, {"-8 to -7": 900}
    found = propose_bounds(released([some, {}, more, {}], **terms), budget=ONE)
    names = ["spent", "orders", "spent by region", "orders by region"]
    assert found.columns()["name"] == names
    assert found.bounds == {"spent": Bounds(-8, 8)}
    far = {"4096 or above": 900}
    assert not propose_bounds(released([some, {}, far, {}], **terms), budget=ONE).bounds


def test_lines_are_those_of_a_study_file_which_reads_them_as_they_are() -> None:
    found = propose_bounds(released(KNOWN), budget=ONE)
    assert found.bounds == {"spent": Bounds(0, 16)}
    assert found.lines() == ["spent = [0.0, 16.0]"]
    odd = replace(found.rows[0], found=replace(found.rows[0].found, counted='a - "b'))
    (line,) = replace(found, rows=(odd,)).lines()
    study = 'ratio = { numerator = "s", per = "y" }\nprivacy = { epsilon = 1 }'
    read = parse_study(f"{study}\n[bounds]\n{line}").bounds
    assert read == {'a - "b': Bounds(0, 16)}


def test_bounds_are_of_the_columns_that_were_counted_whatever_they_are_called() -> None:
    release = released(KNOWN)
    questions = tuple(
        replace(each, planned=replace(each.histogram, name=name))
        for each, name in zip(release.questions, ["orders", "spent"], strict=True)
    )
    histograms = tuple(each.histogram for each in questions)
    plan = HistogramPlan(
        release.plan.unit, release.plan.bounds, Budget(release.cost.epsilon), histograms
    )
    lying = replace(release, plan=plan, questions=questions)
    assert propose_bounds(lying, budget=ONE).bounds == {"spent": Bounds(0, 16)}


def test_numbers_beyond_the_limits_are_told() -> None:
    found = propose_bounds(released([{"4096 or above": 900}, {}]), budget=ONE)
    assert [each.status for each in found.rows] == ["beyond_limits", "too_little_known"]
    assert "widen the limits" in str(found)


def test_how_many_lie_beyond_has_an_interval() -> None:
    release = released(KNOWN)
    estimate, low, high = count_beyond(release, "spent", 0, 8)
    assert estimate == 90
    assert 0 < low < 90 < high
    narrow = count_beyond(release, 1, -4096, 4096, level=0.5)
    assert narrow[2] < count_beyond(release, 1, -4096, 4096)[2]
    assert count_beyond(release, "spent", -1, 0)[0] == 990
    assert count_beyond(release, "spent", 0, 5.5)[0] == 990  # 5.5 is taken for 5


def test_the_interval_covers_what_noise_does() -> None:
    """2,000 draws: 0.95 within four of their standard errors."""
    rng, scale = np.random.default_rng(5), 2.0
    for cells in (1, 2, 10, 60):
        drawn = rng.laplace(0, scale, (2000, cells)).sum(axis=1)
        covered = np.mean(np.abs(drawn) <= half_width(cells, scale, 0.95))
        assert abs(covered - 0.95) < 0.02


def test_choices_are_listed_for_each_side() -> None:
    release = released([{"-2 to -1.75": 500, "7 to 8": 900}, {}])
    found = choose_bounds(release, "spent", budget=ONE)
    bounds = [row["bound"] for row in found.to_dicts()]
    below, above = (
        [row for row in found.to_dicts() if sign * row["bound"] > 0] for sign in (-1, 1)
    )
    assert (below[0]["bound"], above[0]["bound"]) == (-2, 8)
    assert bounds == [row["bound"] for row in below + above]
    for rows in (below, above):
        together = [row["width"] + 2 * row["bias"] for row in rows]
        assert [row["together"] for row in rows] == together
        assert max(together) <= 1.5 * min(together)
    assert len(found) == len(bounds)
    assert "Bounds of spent" in str(found)
    assert len(choose_bounds(release, "orders", budget=ONE)) == 0


def test_whoever_counts_more_often_needs_more_noise() -> None:
    little = Budget("0.01")
    rows = choose_bounds(released(KNOWN), 1, budget=little).to_dicts()
    unit = PrivacyUnit(neighbours="change-one")
    twice = choose_bounds(released(KNOWN, unit=unit), 1, budget=little).to_dicts()
    assert twice[0]["width"] > 1.8 * rows[0]["width"]


def test_people_are_found_where_they_are() -> None:
    """Far more people than noise: the bound that is proposed holds them all."""
    spent = np.random.default_rng(1).uniform(1, 50, 50_000)
    table = {"spent": spent, "orders": np.ones(50_000)}
    study = study_of(bounds={"orders": Bounds(0, 4)})
    release = release_sums(table, plan_bounds(study, budget=ONE), ledger=None)
    found = propose_bounds(release, budget=ONE)
    assert found.bounds == {"spent": Bounds(0, 56)}


def test_other_releases_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"release of histograms.*plan_bounds"):
        propose_bounds(example_release(), budget=ONE)
    with pytest.raises(InvalidInput, match="release of histograms"):
        choose_bounds("bounds.json", budget=ONE)  # type: ignore[arg-type]
    release = released(KNOWN)
    other = replace(release, id="1" * 32)
    with pytest.raises(InvalidInput, match="not merged"):
        count_beyond(merge([release, other], units_are_disjoint=True), 1, 0, 1)


def test_bad_options_are_refused() -> None:
    release = released(KNOWN)
    with pytest.raises(InvalidInput, match="must be a Budget"):
        propose_bounds(release, budget=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="level must"):
        propose_bounds(release, budget=ONE, level=95)
    with pytest.raises(InvalidInput, match="two numbers, the smaller first"):
        count_beyond(release, 1, 5, 1)
    with pytest.raises(InvalidInput, match="two numbers, the smaller first"):
        count_beyond(release, 1, 0, float("inf"))
