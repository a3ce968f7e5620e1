"""A unit is cut or not: what every engine counts, known by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curator.cuts_for_tests import CUTS, PLANS, TABLE, cuts_of
from curator.table_sources import READABLE, SOURCES, mapping_of
from curator.tables_for_tests import ROW, asked, exact, plan_of
from dpratio.curator.release_sums import release_sums
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from tiers import quick_first


@pytest.mark.parametrize("name", PLANS)
def test_the_specification_counts_what_is_cut_by_hand(name: str) -> None:
    assert cuts_of(mapping_of(TABLE), name, "python") == CUTS[name]


@pytest.mark.parametrize("name", quick_first(PLANS, 3))
def test_every_source_counts_what_the_specification_does(
    name: str, tmp_path: Path
) -> None:
    expected = exact(mapping_of(TABLE), PLANS[name], "python")
    for source, engine in READABLE:
        found = exact(SOURCES[source](TABLE, tmp_path), PLANS[name], engine)
        assert found == expected, (source, engine)


def _count(rows: list[tuple[float, float]], plan: Any, engine: str) -> int:  # noqa: ANN401
    names = ("score", "label", "id")
    given = [(*each, "one") for each in rows]
    table = pa.table(
        {
            name: list(each)
            for name, each in zip(names, zip(*given, strict=True), strict=True)
        }
    )
    (row,) = exact(table if engine == "duckdb" else mapping_of(table), plan, engine)
    return row[-1] // ROW


@pytest.mark.parametrize("engine", ["python", "auto", "duckdb"])
def test_rows_that_add_up_to_a_bound_are_not_cut_by_their_rounding(
    engine: str,
) -> None:
    totals = {"score": Bounds(0, 0.3), "label": Bounds(0, 9)}
    unit = PrivacyUnit("id", totals=totals)
    plan = plan_of(Bounds(0, 1), Bounds(0, 1), unit=unit, clipping="measured")
    assert _count([(0.1, 0.5)] * 3, plan, engine) == 0
    assert _count([(0.1, 0.5)] * 3 + [(1e-6, 0.5)], plan, engine) == 1


@pytest.mark.parametrize("engine", ["python", "auto", "duckdb"])
def test_a_value_beyond_the_last_bin_is_not_cut_in_a_sum(engine: str) -> None:
    plan = plan_of(
        clipping="measured",
        groups=ScoreBins("age", 1),
        bounds={"age": Bounds(0, 10)},
    )
    table = pa.table({"score": [0.5, 2.0], "label": [1.0, 1.0], "age": [99.0, 5.0]})
    source = table if engine == "duckdb" else mapping_of(table)
    assert exact(source, plan, engine)[0][-1] == ROW


def test_nothing_is_watched_where_nothing_is_counted() -> None:
    assert asked(plan_of(Bounds(0, 5))).cut_letters == []
    assert asked(plan_of(Bounds(0, 5), clipping="measured")).cut_letters == ["s"]


def test_natural_bounds_are_not_counted_and_cost_nothing() -> None:
    plain = plan_of(Bounds(0, 1))
    natural = plan_of(Bounds(0, 1, natural=True), clipping="measured")
    assert natural.measurements == plain.measurements


def test_a_release_holds_one_more_sum_and_its_noise() -> None:
    plan = PLANS["rows by region"]
    release = release_sums(TABLE, plan, ledger=None)
    (question,) = release.questions
    assert question.planned.sums[-1].summand.label == "Σ c"
    assert question.values.shape == (2, len(plan.measurements[0].sums))


def test_two_stages_count_cuts_in_one_reading() -> None:
    """At this epsilon noise moves a count by a half once in 10⁹ releases."""
    plan = make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(-1, 2), "label": Bounds(0, 1, natural=True)},
        groups=Groups("region", ["a", "b"]),
        budget=Budget(1_000),
        stage=0.2,
        clipping="measured",
    )
    (question,) = release_sums(TABLE, plan, ledger=None).questions
    assert question.first is not None
    assert np.rint(question.values[:, -1] / ROW).tolist() == [2.0, 2.0]
