"""Sums of disjoint cells add up, and so does their noise; the rest is refused."""

import datetime as dt
import itertools
import re
from typing import Any

import numpy as np
import pytest

from curator import oracle
from dpratio.curator.statements import readings_of
from dpratio.errors import InvalidInput
from dpratio.release.combine import roll_up
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Key, Keys, Periods, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from dpratio.version import __version__
from plan.staged_plans import staged_plan
from release.releases_for_tests import (
    BOUNDS,
    CROSSED,
    GROUPS,
    RELEASES,
    TEXT,
    TOTALS,
    add_up,
    plan_of,
    release_of,
    staged_release,
    survives,
)


def test_cells_are_added_up_over_the_columns_that_are_not_kept() -> None:
    cube = CROSSED.questions[0].values.reshape(2, 3, 5)
    by_first = roll_up(CROSSED, ["g"])
    assert by_first.questions[0].keys == ("b", "a")
    assert np.array_equal(by_first.questions[0].values, cube.sum(axis=1))
    by_second = roll_up(CROSSED, "h")
    assert by_second.questions[0].keys == (1, None, 3)
    assert np.array_equal(by_second.questions[0].values, cube.sum(axis=0))
    whole = roll_up(CROSSED)
    assert whole.questions[0].groups is None
    assert np.array_equal(whole.questions[0].values, cube.sum(axis=(0, 1))[None])
    turned = roll_up(CROSSED, ["h", "g"])
    assert set(turned.questions[0].keys) == set(
        itertools.product([1, None, 3], ["b", "a"])
    )
    for release in (by_first, by_second, whole, turned):
        assert survives(release)


def test_rolled_up_in_two_steps_is_rolled_up_at_once() -> None:
    twice, once = roll_up(roll_up(CROSSED, ["g"])), roll_up(CROSSED)
    assert twice.questions == once.questions
    assert twice.sources == once.sources == (CROSSED.id,)


def test_the_noise_of_a_rolled_up_cell_is_that_of_its_cells() -> None:
    (layer,) = roll_up(CROSSED, ["g"]).questions[0].noise
    assert layer.counts == (3, 3)
    assert layer.scales == CROSSED.questions[0].noise[0].scales
    listed = RELEASES["groups: listed"]
    assert roll_up(listed, ["g"]).questions[0].noise[0].counts == (1, 2)
    assert roll_up(listed).questions[0].noise[0].counts == (3,)


def test_keys_are_mapped_to_coarser_ones() -> None:
    text = TEXT[0]
    mapping: dict[Key, Key] = {"b": "x", "é\u2028": "y", "": "x", "a": "y"}
    rolled = roll_up(text, ["g"], into={"g": mapping})
    assert rolled.questions[0].keys == ("x", "y")
    assert np.array_equal(
        rolled.questions[0].values,
        text.questions[0].values[[0, 1]] + text.questions[0].values[[2, 3]],
    )
    by_function = roll_up(text, ["g"], into={"g": lambda key: mapping[key]})
    assert by_function == rolled
    assert survives(rolled)
    to_years = roll_up(
        RELEASES["groups: periods"],
        ["d"],
        into={"d": lambda day: day.year},  # type: ignore[union-attr]
    )
    assert to_years.questions[0].keys == (2025, 2026)
    assert survives(to_years)


def test_a_derived_release_names_itself_by_what_it_was_made_from() -> None:
    rolled = roll_up(CROSSED, ["g"])
    assert re.fullmatch("[0-9a-f]{32}", rolled.id)
    assert rolled == roll_up(CROSSED, ["g"])
    others = [roll_up(CROSSED), roll_up(CROSSED, ["h"]), CROSSED]
    assert len({each.id for each in (rolled, *others)}) == 4
    assert rolled.made_by == f"dpratio {__version__}"
    assert rolled.sources == (CROSSED.id,)


def test_one_question_of_several_is_rolled_up() -> None:
    several = RELEASES["several parts"]
    rolled = roll_up(several, ["h"], question=2)
    assert rolled == roll_up(several, ["h"], question=several.questions[1].name)
    assert len(rolled.questions) == 1
    assert rolled.is_simulated
    cube = several.questions[1].values.reshape(2, 3, 5)
    assert np.array_equal(rolled.questions[0].values, cube.sum(axis=0))
    assert survives(rolled)


def test_a_question_keeps_what_belongs_to_it_and_the_cost_of_all() -> None:
    two = RELEASES["two ratios of unequal width"]
    for number in (3, 4):
        rolled = roll_up(two, question=number)
        assert survives(rolled)
        assert rolled.cost == two.cost
    own = RELEASES["questions with totals of their own"]
    (question,) = roll_up(own, question=2).measured.measurements
    assert question.question.totals == {"score": Bounds(0, 9)}


def test_counts_of_cuts_are_rolled_up() -> None:
    release = RELEASES["cuts counted"]
    (before,), (after,) = release.questions, roll_up(release).questions
    assert after.values[0, -1] == before.values[:, -1].sum()
    assert after.noise[0].counts == (4,)


@pytest.mark.parametrize("to", [["d"], ["score"], []])
def test_bins_are_rolled_up_and_kept(to: list[str]) -> None:
    rolled = roll_up(RELEASES["groups: months and bins"], to)
    assert len(rolled.questions[0].values) == {"d": 3, "score": 2}.get("".join(to), 1)
    assert survives(rolled)


def test_bins_of_a_column_beside_the_ratio_are_rolled_up() -> None:
    groups = Groups.cross(Keys("g", ["a", "b"]), ScoreBins("age", [0, 18, 99]))
    plan = plan_of(groups, bounds={**BOUNDS, "age": Bounds(0, 120)})
    for to in (["g"], ["age"], []):
        assert survives(roll_up(release_of(plan), to))


def test_found_keys_are_rolled_up_and_what_finding_cost_is_kept() -> None:
    found = RELEASES["found: text"]
    rolled = roll_up(found)
    assert np.array_equal(
        rolled.questions[0].values, found.questions[0].values.sum(axis=0)[None]
    )
    assert survives(rolled)
    assert (rolled.plan.epsilon, rolled.plan.delta) == (
        found.plan.epsilon,
        found.plan.delta,
    )


@pytest.mark.parametrize(
    ("release", "given", "field"),
    [
        (CROSSED, {"to": ["z"]}, "to"),
        (CROSSED, {"to": ["g"], "into": {"h": {}}}, "into"),
        (CROSSED, {"to": ["g"], "into": {"g": {"b": "x"}}}, "into"),
        (CROSSED, {"question": 2}, "question"),
        (RELEASES["groups: whole"], {}, "question"),
        (RELEASES["found none: text"], {}, "question"),
        (RELEASES["found none: text"], {"to": ["g"]}, "question"),
        (RELEASES["two ratios of unequal width"], {}, "question"),
        (RELEASES["groups: bins"], {"to": ["score"], "into": {"score": str}}, "into"),
        (CROSSED.plan, {}, "release"),
    ],
)
def test_what_cannot_be_rolled_up_is_refused(
    release: Any,  # noqa: ANN401
    given: dict[str, Any],
    field: str,
) -> None:
    with pytest.raises(InvalidInput) as refused:
        roll_up(release, **given)
    assert refused.value.field == field


def test_cells_that_share_people_are_not_added_up() -> None:
    unit = PrivacyUnit("id", totals=TOTALS, most_groups=2)
    shared = release_of(plan_of(GROUPS["text"], unit=unit))
    with pytest.raises(InvalidInput) as refused:
        roll_up(shared)
    assert str(refused.value).startswith("cells that share units cannot be rolled up")
    alone = PrivacyUnit("id", totals=TOTALS)
    assert roll_up(release_of(plan_of(GROUPS["text"], unit=alone))).sources


def test_the_questions_of_a_table_add_up_to_the_whole() -> None:
    """Exact sums of rows split by region and month: both ways give the whole."""
    chance = np.random.default_rng(5)
    days = [dt.date(2026, 1, 1) + dt.timedelta(days=int(d)) for d in range(90)]
    table = {
        "score": chance.random(900).tolist(),
        "label": chance.integers(0, 2, 900).tolist(),
        "g": [("a", "b")[at % 2] for at in range(900)],
        "d": [days[at % 90] for at in range(900)],
    }
    months = Periods("d", "month", days[0], days[-1])
    split = Groups.cross(Keys("g", ["a", "b"]), months)

    def without_noise(
        groups: Groups | None, some: dict[str, Any], name: str
    ) -> Release:
        plan = plan_of(groups)
        (question,) = plan.measurements
        (reading,) = readings_of(plan, [groups])
        (exact,) = oracle.add_up(some, reading)
        cells = 1 if groups is None else groups.count
        values = exact.plus(np.zeros((cells, len(question.sums)), dtype=np.int64))
        fresh = fresh_question(plan.law, question, groups, values)
        return Release(name * 32, plan, (fresh,), "x")

    fine = without_noise(split, table, "1")
    for to, groups in (
        ([], None),
        (["g"], Groups("g", ["a", "b"])),
        (["d"], Groups.cross(months)),
    ):
        coarse = without_noise(groups, table, "2")
        assert np.array_equal(
            roll_up(fine, to).questions[0].values, coarse.questions[0].values
        )
    sites = [
        {name: column[start::2] for name, column in table.items()} for start in (0, 1)
    ]
    merged = add_up(
        [without_noise(split, sites[0], "3"), without_noise(split, sites[1], "4")]
    )
    assert np.array_equal(merged.questions[0].values, fine.questions[0].values)


def test_a_question_in_two_stages_is_rolled_up_with_its_own_totals() -> None:
    ratio = Ratio("spend", per="visits", guess=0.0)
    plan = staged_plan([Question(ratio), Question(ratio, groups=GROUPS["text"])])
    release = staged_release(plan, (50_000, 10), (50_000, 20_000))
    guesses = [question.ratio.guess for question in release.questions]
    assert guesses == [0.0, pytest.approx(2.5, abs=0.1)]
    rolled = roll_up(release, question=2)
    firsts = plan.stage.firsts[1:]  # type: ignore[union-attr]
    assert rolled.plan.stage.firsts == firsts  # type: ignore[union-attr]
    assert rolled.questions[0].ratio.guess == guesses[1]
    assert rolled.questions[0].first is None
    assert rolled.cost == release.cost
