"""Rolling up and merging go together: the parts add up to the whole."""

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from dpratio.release.roll_up import roll_up

from dpratio.errors import InvalidInput
from dpratio.release.noisy_sums import NoiseLayer
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.terms.dimensions import Keys, Periods
from dpratio.terms.groups import Groups
from release.derived_releases import TEXT
from release.releases_for_tests import GROUPS, add_up, plan_of, release_of


def test_sums_beyond_64_bits_are_refused() -> None:
    question = TEXT[0].questions[0]
    huge = replace(question, values=np.full((4, 5), 2**61))
    release = Release("0" * 32, TEXT[0].plan, (huge,), "dpratio")
    with pytest.raises(InvalidInput, match="cannot be added in 64 bits"):
        roll_up(release)
    with pytest.raises(InvalidInput, match="cannot be added in 64 bits"):
        add_up([release, Release("1" * 32, TEXT[0].plan, (huge,), "dpratio")])


def test_rolling_up_and_merging_may_change_places() -> None:
    given = [release_of(plan_of(GROUPS["crossed"]), seed) for seed in (1, 2)]
    first = roll_up(add_up(given), ["g"])
    second = add_up([roll_up(each, ["g"]) for each in given])
    assert first.questions[0].groups == second.questions[0].groups
    assert np.array_equal(first.questions[0].values, second.questions[0].values)
    assert [np.unique(each.counts).tolist() for each in first.questions[0].noise] == [
        [6]
    ]
    assert [np.unique(each.counts).tolist() for each in second.questions[0].noise] == [
        [6]
    ]


def test_different_releases_have_different_ids() -> None:
    given = [release_of(plan_of(GROUPS["crossed"]), seed) for seed in (1, 2)]
    fine = add_up(given)
    coarse = add_up([roll_up(each, ["g"]) for each in given])
    other = add_up([roll_up(each, ["h"]) for each in given])
    assert len({fine.id, coarse.id, other.id}) == 3


def test_the_questions_of_a_table_add_up_to_the_whole() -> None:
    """Exact sums of rows split by region and month: both ways give the whole."""
    from dpratio.curator.choose_engine import open_table
    from dpratio.curator.statements import statement_of

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
        ask = open_table(some, statement_of(plan, question, groups), "python")
        cells = 1 if groups is None else groups.count
        values = ask().plus(np.zeros((cells, len(question.sums)), dtype=np.int64))
        law = NoiseLayer("laplace", tuple(question.scales), np.ones(1, dtype=np.int64))
        return Release(
            name * 32, plan, (ReleasedQuestion(question, groups, values, (law,)),), "x"
        )

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
