"""Questions about the same groups are read at once, and each as by itself."""

from pathlib import Path

import pytest

from curator.table_sources import READABLE, SOURCES, write_csv
from curator.tables_for_tests import exact, exact_together
from curator.together_for_tests import PLANS, TABLE, require_same_together
from dpratio.curator.measure import open_for
from dpratio.curator.reading.statement import Reading
from dpratio.curator.sql import ask
from dpratio.curator.sql.query import sums_query
from dpratio.curator.sql.table import Table
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from tiers import quick_first


@pytest.mark.parametrize("name", quick_first(reversed(PLANS), 2))
def test_a_row_counts_in_each_question_as_if_it_were_the_only_one(
    name: str, tmp_path: Path
) -> None:
    for source, engine in READABLE:
        require_same_together(SOURCES[source](TABLE, tmp_path), PLANS[name], engine)
    file = write_csv(TABLE, tmp_path, "plain")
    found = exact_together(file, PLANS[name], "duckdb")
    each = range(len(PLANS[name].measurements))
    assert found == [exact(file, PLANS[name], "python", question=at) for at in each]


def test_questions_about_the_same_groups_are_one_statement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The weights of questions are theirs, and so is the order in the release."""
    asked: list[str] = []

    def noted(table: Table, reading: Reading) -> str:
        asked.append(sums_query(table, reading))
        return asked[-1]

    monkeypatch.setattr(ask, "sums_query", noted)
    ratios = [Ratio("a", per="d", guess=1), Ratio("c", per="d", guess=1)]
    groups = [None, Groups("region", ["north", "south"])]
    plan = make_plan(
        [Question(each, groups=by) for each in ratios for by in groups],
        bounds={"a": Bounds(-1, 1), "c": Bounds(0, 2), "d": Bounds(0, 3)},
        budget=Budget(1e6),
    )
    released = open_for(TABLE, plan)()
    assert len(asked) == 2
    assert [each.planned for each in released] == list(plan.measurements)
    for at, each in enumerate(released):
        expected = exact(TABLE, plan, "python", question=at)
        assert len(each.values) == len(expected)
        for noisy, sums in zip(each.values.tolist(), expected, strict=True):
            for cell, total in zip(noisy, sums, strict=True):
                assert abs(cell - total) < 100 + abs(total) / 1000
