"""Histograms: the same counts on every engine, wherever a number lies."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, sums_by
from curator.agreement import require_alike
from curator.histograms_for_tests import (
    CORNERS,
    PEOPLE,
    corner_tables,
    groups_plan,
    people_plan,
    rows_plan,
    study_of,
)
from curator.table_sources import mapping_of
from curator.tables_for_tests import exact
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import HistogramPlan, plan_bounds
from dpratio.plan.ladder import Ladder
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

LADDER = Ladder()
KINDS = ("doubles", "floats", "integers", "decimals")


def held(counts: list[list[int]], ladder: Ladder = LADDER) -> dict[str, int]:
    """The cells that hold anything."""
    pairs = zip(ladder.labels, counts, strict=True)
    return {label: count for label, (count,) in pairs if count}


def test_a_number_at_an_edge_lies_in_the_cell_further_from_zero() -> None:
    table = {"spent": [1.0, -1.0, 2.0, -2.0, 3.9], "orders": [1] * 5}
    assert held(exact(table, rows_plan(), "python")) == {
        "-2.5 to -2": 1,
        "-1.25 to -1": 1,
        "1 to 1.25": 1,
        "2 to 2.5": 1,
        "3.5 to 4": 1,
    }


def test_zero_what_lies_beyond_and_what_is_no_number_have_their_own_cells() -> None:
    far = [1e300, -1e300, 2.0**40, -(2.0**40)]
    near = [0.0, -0.0, 5e-324, -5e-324, 2.0**-21]
    none = [float("nan"), float("inf"), -float("inf"), None, "7", 10**400]
    table = {"spent": [*far, *near, *none]}
    table["orders"] = [1] * len(table["spent"])
    assert held(exact(table, rows_plan(), "python")) == {
        "-1099511627776 or below": 2,
        "around 0": len(near),
        "1099511627776 or above": 2,
        "not finite": len(none),
    }


def test_every_row_is_counted_once() -> None:
    table = mapping_of(corner_tables()["doubles"])
    for at in range(2):
        counts = exact(table, rows_plan(), "python", question=at)
        assert sum(count for (count,) in counts) == len(CORNERS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_every_engine_counts_corners_alike(engine: str, kind: str) -> None:
    table, plan = corner_tables()[kind], rows_plan()
    for at in range(2):
        wanted = sums_by("python", table, plan, question=at)
        assert sums_by(engine, table, plan, question=at) == wanted


def test_every_source_is_counted_alike(tmp_path: Path) -> None:
    require_alike(corner_tables()["doubles"], rows_plan(), tmp_path)


PLANS: dict[str, HistogramPlan] = {
    "one group each": people_plan(),
    "two groups each": people_plan(most_groups=2),
    "weights": people_plan(weight="weight"),
    "no groups": people_plan(groups=None),
    "listed groups": people_plan(
        groups=Groups(["region", "region2"], [("north", "a"), ("south", "a")])
    ),
}


@pytest.mark.parametrize("kind", PLANS)
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_every_engine_counts_totals_alike(engine: str, kind: str) -> None:
    plan = PLANS[kind]
    table = PEOPLE.append_column("region2", [["a"] * PEOPLE.num_rows])
    for at in range(2):
        wanted = sums_by("python", table, plan, question=at)
        assert sums_by(engine, table, plan, question=at) == wanted


def test_people_are_counted_once_by_the_groups_that_they_are_in() -> None:
    """Most count in two groups at most: here nobody is left out of a third."""
    regions = ("north", "south", "elsewhere", "south")
    rows: list[tuple[str | None, str]] = [("ann", each) for each in regions]
    rows += [("bob", "north"), ("bob", "nowhere"), ("cid", "south"), ("cid", "north")]
    rows += [("dot", "nowhere"), (None, "north"), ("eve", "north")]
    table = {
        "user": [who for who, _ in rows],
        "region": [where for _, where in rows],
        "spent": [float("nan") if who == "eve" else 1.0 for who, _ in rows],
        "orders": [1.0] * len(rows),
    }
    ladder = Ladder(0, 2, steps=1)
    assert held(exact(table, groups_plan(), "python", question=1), ladder) == {
        "1 to 2": 1,
        "2 to 4": 2,
    }


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_every_engine_counts_groups_of_people_alike(engine: str) -> None:
    wanted = sums_by("python", PEOPLE, groups_plan(), question=1)
    assert sum(count for (count,) in wanted) == 10
    assert sums_by(engine, PEOPLE, groups_plan(), question=1) == wanted


def test_totals_of_people_are_made_in_each_group() -> None:
    plan = people_plan(most_groups=2)
    assert held(exact(mapping_of(PEOPLE), plan, "python"), Ladder(0, 40)) == {
        "-1099511627776 or below": 1,  # dot in the south
        "around 0": 2,  # bob, whose rows cancel; ida, whose clipped rows cancel
        "1 to 1.25": 1,  # ann in the north
        "1.75 to 2": 1,  # eve: rows count in whole cells
        "3 to 3.5": 1,  # ann in the south
        "4 to 5": 2,  # fay, but for a row that is no number; kim
        "5 to 6": 1,  # jon
        "1099511627776 or above": 2,  # cid twice
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_small_rows_add_up_to_a_total_that_is_seen(engine: str) -> None:
    """A thousand rows below the lowest power of two lie in the cell of their sum."""
    plan = plan_bounds(
        study_of(unit=PrivacyUnit("user")), budget=Budget(1), columns=["spent"]
    )
    table = pa.table(
        {"user": ["ann"] * 1000, "spent": [0.0002] * 1000, "orders": [1.0] * 1000}
    )
    assert held(sums_by(engine, table, plan), Ladder(-8, 32)) == {
        "0.1875 to 0.21875": 1
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_a_person_are_counted_without_a_column_of_ones(engine: str) -> None:
    study = Study(
        Ratio("spent", per="rows"),
        bounds={},
        budget=Budget(1),
        unit=PrivacyUnit("user"),
    )
    plan = plan_bounds(study, budget=Budget(1), columns=["rows"])
    spent = pa.array([0.0, 7.0, None, 9.0, float("nan")])
    table = pa.table({"user": ["ann", "ann", "ann", "bob", "bob"], "spent": spent})
    counts = held(sums_by(engine, table, plan), Ladder(-8, 32))
    assert counts == {"1 to 1.25": 1, "2 to 2.5": 1}


def test_of_one_person_so_many_groups_are_counted() -> None:
    for most in (1, 2):
        counts = exact(mapping_of(PEOPLE), people_plan(most_groups=most), "python")
        groups = {
            (who, where)
            for who, much, where in zip(
                *(PEOPLE[name].to_pylist() for name in ("user", "spent", "region")),
                strict=True,
            )
            if where != "elsewhere" and who != "gil" and much is not None
        }
        counted = Counter(who for who, _ in groups)
        wanted = sum(min(most, each) for each in counted.values())
        assert sum(count for (count,) in counts) == wanted


def test_a_histogram_passes_the_door_like_any_release() -> None:
    release = release_sums(PEOPLE, people_plan(), ledger=None)
    assert [each.values.shape for each in release.questions] == [(324, 1)] * 2
    assert "spent and orders, noisy sums in 648 rows; epsilon 1" in str(release)
    assert release_from_bytes(release_to_bytes(release)) == release


def test_a_histogram_is_no_sum_of_a_ratio() -> None:
    release = release_sums(PEOPLE, people_plan(), ledger=None)
    with pytest.raises(InvalidInput, match=r"no sums of a ratio.*propose_bounds"):
        estimate_ratios(release)
