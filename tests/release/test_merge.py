"""Releases of disjoint people are merged, with their noise; the rest is refused."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from curator.histograms_for_tests import people_plan, rows_plan, study_of
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import HistogramPlan, plan_bins
from dpratio.plan.laws import LAPLACE as LAPLACE_LAW
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import Contrast, MeasuredSum
from dpratio.release.combine import merge, roll_up
from dpratio.release.release import Release, fresh_question, require_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.staged_plans import staged_plan
from release.releases_for_tests import (
    BOUNDS,
    CROSSED,
    GROUPS,
    RELEASES,
    TEXT,
    TOTALS,
    add_up,
    around,
    ours,
    plan_of,
    release_of,
    staged_release,
    survives,
)

GUESSES = (0.5, 1.0, 2.0)


def text_of(seed: int, **terms: Any) -> Release:  # noqa: ANN401
    return release_of(plan_of(GROUPS["text"], **terms), seed)


def finding(epsilon: str, seed: int) -> Release:
    plan = plan_of(PrivateKeys("p", Budget(epsilon, "1e-7")), mechanism="laplace")
    return release_of(plan, seed, {0: Groups("p", ["x", "y"])})


def total_of(releases: Sequence[Release], number: int = 0) -> Any:  # noqa: ANN401
    return sum(release.questions[number].values for release in releases)


# --- Laws -----------------------------------------------------------------------------

LAPLACE, ANALYTIC, CLASSICAL = "laplace", "analytic_gaussian", "classical_gaussian"
STAGES = staged_plan(groups=GROUPS["text"])
TO_MERGE: dict[str, Callable[[], list[Release]]] = {
    "one plan": lambda: TEXT[:3],
    "two budgets": lambda: [*TEXT[:2], text_of(7, budget=Budget("0.5", "1e-6"))],
    "three laws": lambda: [
        text_of(seed, budget=Budget(2, "1e-6"), mechanism=law, strategy="even")
        for seed, law in enumerate((LAPLACE, ANALYTIC, CLASSICAL))
    ],
    "keys that were found": lambda: [
        finding(epsilon, seed) for seed, epsilon in enumerate(("0.25", "0.5", "0.25"))
    ],
    "three guesses and one again": lambda: [
        *(around(guess, seed) for seed, guess in enumerate(GUESSES)),
        around(GUESSES[1], 9, budget=Budget("0.5")),
    ],
    "cuts counted by some": lambda: [
        around(1.0, 1, clipping="measured"),
        around(1.5, 2, clipping="measured"),
        around(1.0, 3),
    ],
    "guesses of first stages": lambda: [
        staged_release(STAGES, totals, seed=seed)
        for seed, totals in enumerate(
            ((50_000, 20_000), (60_000, 20_000), (50_000, 10))
        )
    ],
}


@pytest.mark.parametrize("name", TO_MERGE)
def test_the_order_and_the_steps_of_merging_do_not_matter(name: str) -> None:
    releases = TO_MERGE[name]()
    whole = add_up(releases)
    assert survives(whole)
    for order in itertools.permutations(releases):
        first, second, *others = order
        assert add_up(order) == whole
        assert add_up([add_up([first, second]), *others]) == whole
        assert add_up([first, add_up([second, *others])]) == whole


@pytest.mark.parametrize("name", TO_MERGE)
def test_rolling_up_and_merging_may_change_places(name: str) -> None:
    releases = TO_MERGE[name]()
    rolled = roll_up(add_up(releases))
    parts = add_up([roll_up(release) for release in releases])
    assert rolled.questions == parts.questions
    assert (rolled.cost, rolled.cost_if_disjoint) == (
        parts.cost,
        parts.cost_if_disjoint,
    )
    assert rolled.id != parts.id
    assert survives(rolled)


# --- Values and noise -----------------------------------------------------------------


def test_merged_values_and_noise_add_up() -> None:
    merged = add_up(TEXT[:3])
    assert np.array_equal(merged.questions[0].values, total_of(TEXT[:3]))
    (layer,) = merged.questions[0].noise
    assert layer.counts == (3,)
    assert merged.sources == tuple(sorted(release.id for release in TEXT[:3]))
    assert not merged.is_simulated
    invented = release_of(plan_of(GROUPS["text"]), 9, is_simulated=True)
    assert add_up([TEXT[0], invented]).is_simulated


def test_noise_of_two_budgets_lies_in_two_layers() -> None:
    merged = add_up(TO_MERGE["two budgets"]())
    counts = [layer.counts for layer in merged.questions[0].noise]
    assert sorted(counts) == [(1,), (2,)]
    rolled = [layer.counts for layer in roll_up(merged).questions[0].noise]
    assert sorted(rolled) == [(4,), (8,)]


def test_questions_of_several_are_merged_each_for_itself() -> None:
    plan = plan_of([None, GROUPS["text"], PrivateKeys("p", Budget("0.25", "1e-7"))])
    found = {2: Groups("p", ["x", "y"])}
    releases = [release_of(plan, seed, found) for seed in (1, 2)]
    merged = add_up(releases)
    for number, question in enumerate(merged.questions):
        assert np.array_equal(question.values, total_of(releases, number))
    assert survives(merged)


@pytest.mark.parametrize("strategy", ["focused", "even"])
def test_counts_of_cuts_are_added_where_all_have_them(strategy: str) -> None:
    both = [text_of(seed, clipping="measured", strategy=strategy) for seed in (1, 2)]
    merged = add_up(both)
    assert ours(merged).study.clipping == "measured"
    assert np.array_equal(merged.questions[0].values, total_of(both))


def test_counts_of_cuts_are_left_out_where_one_has_none() -> None:
    """Sums around other guesses lose theirs too."""
    first, other, plain = TO_MERGE["cuts counted by some"]()
    merged = add_up([first, other, plain])
    (question,) = merged.questions
    assert ours(merged).study.clipping == "unmeasured"
    names = [measured.summand.name for measured in question.planned.sums]
    assert names == ["z", "h", "zz", "zh", "hh"]
    assert {len(sums.steps) for sums in question.sums} == {5}
    same = first.questions[0].values[:, :5] + plain.questions[0].values
    assert same.tolist() in [sums.values.tolist() for sums in question.sums]


# --- Costs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mechanism", "strategy"),
    [(LAPLACE, "focused"), (ANALYTIC, "focused"), (CLASSICAL, "even")],
    ids=[LAPLACE, ANALYTIC, CLASSICAL],
)
def test_a_merged_release_states_the_sum_of_all_costs(
    mechanism: str, strategy: str
) -> None:
    budgets = [Budget(1, "1e-6"), Budget(2, "1e-7"), Budget("0.5", "1e-6")]
    whole = add_up(
        [
            text_of(seed, budget=budget, mechanism=mechanism, strategy=strategy)
            for seed, budget in enumerate(budgets)
        ]
    )
    is_laplace = mechanism == LAPLACE
    assert whole.cost == Budget("3.5", 0 if is_laplace else Fraction("2.1e-6"))
    assert whole.cost_if_disjoint == Budget(2, 0 if is_laplace else "1e-6")
    assert price(ours(whole)).epsilon == Fraction("3.5")
    assert survives(whole)
    assert "in all; epsilon 2, delta" in str(whole)


def test_costs_of_several_laws_and_of_found_keys_add_up() -> None:
    laws = add_up(TO_MERGE["three laws"]())
    assert laws.cost == Budget(6, "2e-6")
    assert laws.plan.law.name == ANALYTIC
    assert len(laws.questions[0].noise) == 3
    keys = add_up(TO_MERGE["keys that were found"]())
    assert keys.cost == Budget(3, "3e-7")
    assert keys.cost_if_disjoint == Budget(1, "1e-7")
    assert len(ours(keys).private_keys) == 3
    assert add_up(TO_MERGE["guesses of first stages"]()).cost == Budget(3)


@pytest.mark.parametrize("budget", [Budget(900_000), Budget(1, "0.6")])
def test_costs_that_cannot_be_stated_together_are_refused(budget: Budget) -> None:
    law = ANALYTIC if budget.delta else LAPLACE
    plan = plan_of(GROUPS["text"], budget=budget, mechanism=law, strategy="joint")
    with pytest.raises(InvalidInput, match=r"epsilon must be|delta must be"):
        add_up([release_of(plan, seed) for seed in (1, 2)])


def test_all_ledger_heads_are_carried() -> None:
    heads = [str(number) * 64 for number in (3, 1, 2)]
    headed = [
        replace(release, ledger_head=head)
        for release, head in zip(TEXT, heads, strict=False)
    ]
    whole = add_up([*headed, TEXT[3]])
    assert whole.ledger_head is None
    assert whole.ledger_heads == whole.all_heads == tuple(sorted(heads))
    assert add_up([add_up(headed[:2]), headed[2]]).ledger_heads == whole.ledger_heads
    assert roll_up(whole).ledger_heads == whole.ledger_heads
    assert roll_up(headed[0]).ledger_heads == headed[0].all_heads == (heads[0],)
    assert survives(whole)


def test_a_title_stays_where_all_share_it() -> None:
    titled = [
        replace(release, plan=ours(release).titled("Loans")) for release in TEXT[:2]
    ]
    assert ours(add_up(titled)).title == "Loans"
    assert survives(add_up(titled))
    assert ours(add_up([*titled, TEXT[2]])).title is None
    assert ours(roll_up(titled[0])).title == "Loans"


# --- Guesses --------------------------------------------------------------------------


def sums_of(release: Release) -> dict[Any, list[list[int]]]:
    (question,) = release.questions
    return {sums.kind: sums.values.tolist() for sums in question.sums}


def test_sums_of_each_guess_are_kept_and_those_of_one_guess_add_up() -> None:
    *three, again = TO_MERGE["three guesses and one again"]()
    whole = add_up([*three, again])
    wanted: dict[Any, list[list[int]]] = {}
    for release in three:
        wanted |= sums_of(release)
    (kind,) = sums_of(again)
    wanted[kind] = total_of([three[1], again]).tolist()
    assert sums_of(whole) == wanted
    layers = {sums.kind: len(sums.noise) for sums in whole.questions[0].sums}
    assert sorted(layers.values()) == [1, 1, 2]
    assert layers[kind] == 2


def in_basis(basis: str, seed: int) -> Release:
    """A release around the guess 1 with either h, with any integers."""
    plan = plan_of(GROUPS["text"])
    question = replace(plan.measurements[0], basis=basis)
    grid = plan.layout(question).grid
    sums = tuple(
        MeasuredSum(summand, step, most, 10.0 * most)
        for summand, step, most in zip(
            grid.summands, grid.steps, grid.sensitivities, strict=True
        )
    )
    other = replace(plan, measurements=(replace(question, sums=sums),))
    price(other)
    return release_of(other, seed)


def test_two_bases_of_one_guess_stay_apart() -> None:
    """Names and steps may be the same where h is not; a first stage chooses either."""
    whole = add_up([in_basis("sum", 1), in_basis("denominator", 2)])
    contrasts = {sums.contrast for sums in whole.questions[0].sums}
    assert contrasts == {Contrast(1.0), Contrast(1.0, basis="denominator")}
    assert survives(whole)


def test_a_first_stage_and_a_plan_of_its_guess_add_up() -> None:
    whole = add_up(TO_MERGE["guesses of first stages"]())
    (question,) = whole.questions
    assert (len(question.sums), question.first) == (3, None)
    plain = plan_of(
        GROUPS["text"],
        ratio=staged_release(STAGES, (50_000, 20_000)).questions[0].ratio,
        bounds=STAGES.bounds,
        stage=0,
    )
    assert len(add_up([whole, release_of(plain, 7)]).questions[0].sums) == 3


def test_sums_of_the_columns_themselves_add_up_whatever_the_guess() -> None:
    """A joint plan measures no contrast: the guess is not in its sums."""
    releases = [around(guess, 1, strategy="joint") for guess in GUESSES]
    releases = [replace(part, id=str(at) * 32) for at, part in enumerate(releases)]
    (question,) = add_up(releases).questions
    assert len(question.sums) == 1
    assert np.array_equal(question.values, total_of(releases))


def test_each_question_has_its_own_guesses() -> None:
    releases = [
        release_of(
            plan_of(
                [None, GROUPS["text"]],
                ratio=[
                    Ratio("score", per="label", guess=guess),
                    Ratio("label", per="score", guess=1),
                ],
            ),
            seed,
        )
        for seed, guess in enumerate((0.5, 1.0))
    ]
    whole = add_up(releases)
    assert [len(question.sums) for question in whole.questions] == [2, 1, 2, 1]
    assert survives(whole)


# --- Histograms -----------------------------------------------------------------------


def counted(plan: HistogramPlan, identity: int) -> Release:
    """A release that counts as many in every cell as its identity says."""
    questions = []
    for question in plan.measurements:
        groups = question.groups
        values = np.full((groups.count, 1), identity)
        questions.append(fresh_question(LAPLACE_LAW, question, groups, values))
    return Release(f"{identity:032x}", plan, tuple(questions), "a test")


@pytest.mark.parametrize("plan", [rows_plan(), people_plan()])
def test_histograms_of_one_plan_add_up(plan: HistogramPlan) -> None:
    merged = add_up([counted(plan, 1), counted(plan, 2)])
    assert all((question.values == 3).all() for question in merged.questions)
    third = add_up([merged, counted(plan, 4)])
    assert all((question.values == 7).all() for question in third.questions)


def test_histograms_are_no_sums_and_name_what_reads_them() -> None:
    study = study_of(bounds={"spent": Bounds(0, 1)})
    bins = plan_bins(study, "spent", budget=Budget(1), cells=16)
    for plan, reader in ((rows_plan(), "propose_bounds"), (bins, "propose_bins")):
        with pytest.raises(InvalidInput, match=rf"Read it with .*{reader}"):
            require_release(counted(plan, 1))


# --- What is refused ------------------------------------------------------------------


def limited(guess: float, seed: int) -> Release:
    ratio = Ratio("score", per="label", guess=guess, residual_bound=0.5)
    return text_of(seed, ratio=ratio)


OWN = RELEASES["questions with totals of their own"]
OWN_PLAN, OWN_SECOND = ours(OWN), OWN.questions[1].measurement
OTHER_ASKED = replace(OWN_SECOND, question=replace(OWN_SECOND.question, totals={}))
OTHER_OWN = replace(OWN.questions[1], planned=OTHER_ASKED)
OTHERS: dict[str, list[tuple[Release, Release]]] = {
    "bounds": [
        (
            text_of(1, strategy="even"),
            text_of(2, bounds={**BOUNDS, "score": Bounds(0, 0.5)}, strategy="even"),
        )
    ],
    "unit": [(TEXT[0], text_of(11, unit=PrivacyUnit(neighbours="change-one")))],
    "strategy": [(TEXT[0], text_of(11, strategy="joint"))],
    "ratios": [
        (TEXT[0], limited(1.0, 11)),
        (TEXT[0], release_of(plan_of([None, GROUPS["text"]]), 11)),
    ],
    "totals": [
        (
            OWN,
            replace(
                OWN,
                id="0" * 32,
                plan=OWN_PLAN.measuring([OWN_PLAN.measurements[0], OTHER_ASKED]),
                questions=(OWN.questions[0], OTHER_OWN),
            ),
        )
    ],
    "sums": [(TEXT[0], text_of(11, answers=("ratio", "means")))],
    "groups": [(TEXT[0], release_of(plan_of(Groups("g", ["b", "a"])), 11))],
    "counts": [
        (counted(people_plan(), 1), counted(people_plan(groups=groups), 2))
        for groups in (
            None,
            Groups("region", ["north", "south", "west"]),
            Groups("city", ["north", "south"]),
        )
    ],
    "guess, with a residual bound": [(limited(0.5, 1), limited(1.0, 2))],
}


@pytest.mark.parametrize(
    ("name", "pair"), [(name, pair) for name, pairs in OTHERS.items() for pair in pairs]
)
def test_releases_that_measured_something_else_are_refused(
    name: str, pair: tuple[Release, Release]
) -> None:
    for releases in (pair, pair[::-1]):
        with pytest.raises(InvalidInput) as refused:
            add_up(releases)
        assert refused.value.field == name
        message = f"releases that are merged must have the same {name}. Make all"
        assert str(refused.value).startswith(message)


def test_a_residual_bound_may_be_merged_around_one_guess() -> None:
    merged = add_up([limited(1.0, 1), limited(1.0, 2)])
    assert len(merged.questions[0].sums) == 1


def test_releases_that_share_a_source_are_refused() -> None:
    first, second, third, _ = TEXT
    for releases in (
        [first, first],
        [add_up([first, second]), second],
        [add_up([first, second]), add_up([third, first])],
        [roll_up(CROSSED, ["g"]), roll_up(CROSSED, ["g"])],
    ):
        with pytest.raises(InvalidInput) as refused:
            add_up(releases)
        words = str(refused.value)
        assert words.startswith("releases that are merged must not share a source, got")
        assert words.endswith("The same people would count twice.")


@pytest.mark.parametrize("unit", [PrivacyUnit(), PrivacyUnit("id", totals=TOTALS)])
def test_releases_are_merged_only_on_the_promise_that_nobody_is_in_two(
    unit: PrivacyUnit,
) -> None:
    releases = [text_of(seed, unit=unit) for seed in (1, 2)]
    with pytest.raises(InvalidInput, match="no row and no person is in two of them"):
        merge(releases)
    for word in (False, 1, "yes"):
        with pytest.raises(InvalidInput, match="Say units_are_disjoint=True if that"):
            merge(releases, units_are_disjoint=word)  # type: ignore[arg-type]
    merged = merge(releases, units_are_disjoint=True)
    assert np.array_equal(merged.questions[0].values, total_of(releases))


@pytest.mark.parametrize("releases", [[], TEXT[:1], TEXT[0], "ab", [TEXT[0], 5], None])
def test_fewer_than_two_releases_are_refused(releases: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="merging needs two releases or more"):
        add_up(releases)


def test_sums_beyond_64_bits_are_refused() -> None:
    (question,) = TEXT[0].questions
    sums = (replace(question.sums[0], values=np.full((4, 5), 2**61)),)
    large = replace(question, sums=sums)
    huge = [replace(part, questions=(large,)) for part in TEXT[:2]]
    with pytest.raises(InvalidInput, match="cannot be added in 64 bits"):
        roll_up(huge[0])
    with pytest.raises(InvalidInput, match="cannot be added in 64 bits"):
        add_up(huge)
