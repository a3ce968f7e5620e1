"""Releases around different guesses are merged: their sums stand side by side."""

import itertools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dpratio.release.roll_up import roll_up

from dpratio.errors import InvalidInput
from dpratio.plan.price import price
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.release.files import release_to_bytes
from dpratio.release.release import Release
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from plan.staged_plans import staged_plan
from release.derived_releases import survives
from release.guesses_for_tests import GUESSES, around, in_basis
from release.releases_for_tests import (
    GROUPS,
    add_up,
    plan_of,
    release_of,
    staged_release,
)

THREE = [around(guess, seed) for seed, guess in enumerate(GUESSES, 1)]


def held(release: Release) -> dict[Any, list[list[int]]]:
    (question,) = release.questions
    return {each.kind: each.values.tolist() for each in question.sums}


def test_sums_of_each_guess_are_kept_and_those_of_one_guess_add_up(
    tmp_path: Path,
) -> None:
    again = around(GUESSES[1], seed=9, budget=Budget("0.5"))
    whole = add_up([*THREE, again])
    (question,) = whole.questions
    assert len(question.beside) == 2
    wanted: dict[Any, list[list[int]]] = {}
    for each in THREE:
        wanted |= held(each)
    (kind,) = held(again)
    first, second = THREE[1].questions[0].values, again.questions[0].values
    wanted[kind] = (first + second).tolist()
    assert held(whole) == wanted
    layers = {each.kind: each.noise for each in question.sums}
    assert sorted(len(each) for each in layers.values()) == [1, 1, 2]
    assert len(layers[kind]) == 2
    assert survives(whole, tmp_path)


def test_the_order_and_the_steps_of_merging_do_not_matter() -> None:
    given = [*THREE, around(GUESSES[0], seed=5, budget=Budget("0.5"))]
    whole = add_up(given)
    for order in itertools.permutations(given):
        first, second, third, fourth = order
        assert add_up(order) == whole
        assert add_up([add_up([first, second]), third, fourth]) == whole
        assert add_up([add_up([first, second]), add_up([third, fourth])]) == whole
        assert add_up([add_up([add_up([first, second]), third]), fourth]) == whole


def test_what_was_spent_is_stated_whatever_the_guesses() -> None:
    budgets = [Budget(1), Budget("0.5"), Budget(2)]
    given = [
        around(guess, seed, budget=budget)
        for seed, (guess, budget) in enumerate(zip(GUESSES, budgets, strict=True))
    ]
    whole = add_up(given)
    assert whole.cost == Budget("3.5")
    assert whole.cost_if_disjoint == Budget(2)
    assert price(whole.plan).epsilon == Fraction("3.5")
    said = str(whole)
    assert "5 noisy sums each, made from 3 other releases and measured in 3 ways, " in (
        said
    )
    assert "around guesses from 0.5 to 2; epsilon 3.5, delta 0 in all; epsilon 2" in (
        said
    )
    assert "measured in" not in str(add_up([THREE[0], around(GUESSES[0], seed=8)]))


def test_two_bases_of_one_guess_stay_apart(tmp_path: Path) -> None:
    """Names and steps may be the same where h is not; a first stage chooses either."""
    given = [in_basis(basis, seed) for seed, basis in enumerate(("sum", "denominator"))]
    whole = add_up(given)
    (question,) = whole.questions
    assert {each.contrast.basis for each in question.sums if each.contrast} == {
        "sum",
        "denominator",
    }
    assert "measured in 2 ways, around the guess 1;" in str(whole)
    assert survives(whole, tmp_path)


def test_first_stages_may_find_different_guesses(tmp_path: Path) -> None:
    plan = staged_plan(groups=GROUPS["text"])
    totals = [(50_000, 20_000), (60_000, 20_000), (50_000, 10)]
    given = [staged_release(plan, each, seed=at) for at, each in enumerate(totals, 1)]
    whole = add_up(given)
    (question,) = whole.questions
    assert len(question.sums) == 3
    assert question.first is None
    assert whole.cost == Budget(3)
    assert survives(whole, tmp_path)
    for order in itertools.permutations(given):
        assert add_up([add_up(order[:2]), order[2]]) == whole
    plain = release_of(
        plan_of(
            GROUPS["text"],
            ratio=given[0].questions[0].ratio,
            bounds=plan.bounds,
            stage=0,
        ),
        7,
    )
    assert len(add_up([whole, plain]).questions[0].sums) == 3


def test_cells_are_rolled_up_around_every_guess(tmp_path: Path) -> None:
    terms: dict[str, Any] = {"groups": GROUPS["crossed"]}
    given = [around(guess, seed, **terms) for seed, guess in enumerate(GUESSES)]
    rolled = roll_up(add_up(given), ["g"])
    assert (
        rolled.questions == add_up([roll_up(each, ["g"]) for each in given]).questions
    )
    assert [each.values.shape for each in rolled.questions[0].sums] == [(2, 5)] * 3
    assert survives(rolled, tmp_path)
    assert survives(roll_up(rolled), tmp_path)


def test_sums_of_the_columns_themselves_add_up_whatever_the_guess() -> None:
    """A joint plan measures no contrast: the guess is not in its sums."""
    given = [
        around(guess, seed, strategy="joint") for seed, guess in enumerate(GUESSES)
    ]
    (question,) = add_up(given).questions
    assert not question.beside
    total = sum(each.questions[0].values for each in given)
    assert np.array_equal(question.values, total)


def test_means_are_merged_around_different_guesses(tmp_path: Path) -> None:
    terms = {"answers": ("ratio", "means")}
    given = [around(guess, seed, **terms) for seed, guess in enumerate(GUESSES)]
    assert survives(add_up(given), tmp_path)
    with pytest.raises(InvalidInput, match="must hold the same sums"):
        add_up([given[0], THREE[1]])


def test_each_question_has_its_own_guesses(tmp_path: Path) -> None:
    ratios = [
        [Ratio("score", per="label", guess=guess), Ratio("label", per="score", guess=1)]
        for guess in (0.5, 1.0)
    ]
    groups = [None, GROUPS["text"]]
    given = [
        release_of(plan_of(groups, ratio=each), seed)
        for seed, each in enumerate(ratios)
    ]
    whole = add_up(given)
    assert [len(each.beside) for each in whole.questions] == [1, 0, 1, 0]
    assert survives(whole, tmp_path)


def test_values_clipped_around_two_guesses_are_refused() -> None:
    given = [
        release_of(
            plan_of(ratio=Ratio("score", per="label", guess=guess, residual_bound=0.5)),
            seed,
        )
        for seed, guess in enumerate((0.5, 1.0, 1.0))
    ]
    with pytest.raises(InvalidInput) as refused:
        add_up(given[:2])
    assert str(refused.value) == (
        "releases with a residual bound are merged around one guess, got 1.0. A "
        "residual bound is a promise about one guess. Give all plans that guess."
    )
    assert not add_up(given[1:]).questions[0].beside


def test_sums_stand_beside_others_only_where_they_were_merged() -> None:
    merged = add_up(THREE[:2])
    (question,) = merged.questions
    with pytest.raises(InvalidInput, match="belong to releases that were merged"):
        replace(
            THREE[0], questions=(replace(question, asked=merged.plan.measurements[0]),)
        )
    with pytest.raises(InvalidInput, match="if their guesses or lattices differ"):
        replace(question, beside=question.sums)
    with pytest.raises(InvalidInput, match="values must have 4 rows"):
        replace(
            question,
            beside=(replace(question.beside[0], values=np.ones((1, 5), np.int64)),),
        )
    joint = around(1.0, 1, strategy="joint").questions[0]
    five = replace(question.beside[0], values=np.zeros_like(joint.values))
    with pytest.raises(InvalidInput, match="z and h of a focused plan"):
        replace(joint, beside=(five,))
    assert not question.beside[0].values.flags.writeable
    assert hash(question.beside[0]) == hash(add_up(THREE[:2]).questions[0].beside[0])


def in_many_ways(ways: int) -> Release:
    """As if releases around so many guesses had been merged."""
    given = [(1.25, 1), (1.5, 2)]
    merged = add_up([around(guess, seed, groups=None) for guess, seed in given])
    (question,) = merged.questions
    beside = [
        replace(question.beside[0], contrast=Contrast(1.25 + at / 2048))
        for at in range(ways - 1)
    ]
    return replace(merged, questions=(replace(question, beside=tuple(beside)),))


def test_a_file_has_room_for_many_guesses(tmp_path: Path) -> None:
    assert survives(in_many_ways(181), tmp_path)


def test_a_release_of_one_guess_has_nothing_beside_its_sums() -> None:
    same = [around(1.0, seed) for seed in (1, 2)]
    assert b"beside" not in release_to_bytes(add_up(same))
