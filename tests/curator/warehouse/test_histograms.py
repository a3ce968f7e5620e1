"""Histograms where the data are: the counts of the specification, on every postgres."""

import pytest

from curator.bins_for_tests import edge_table, grid_plan
from curator.histograms_for_tests import (
    PEOPLE,
    corner_tables,
    groups_plan,
    people_plan,
    rows_plan,
)
from curator.postgres_host import Postgres
from curator.table_sources import mapping_of
from curator.tables_for_tests import exact
from dpratio.curator.measure import connect
from dpratio.terms.unit import PrivacyUnit


@pytest.mark.parametrize("kind", ["doubles", "floats", "integers"])
def test_numbers_at_the_corners_are_counted_alike(
    kind: str, postgres: Postgres
) -> None:
    table, plan = corner_tables()[kind], rows_plan()
    wanted = exact(mapping_of(table), plan, "python")
    assert exact(connect(postgres.table(table)), plan, "auto") == wanted


def test_totals_of_people_are_counted_alike(postgres: Postgres) -> None:
    table = connect(postgres.table(PEOPLE))
    for plan in (people_plan(), people_plan(most_groups=2, weight="weight")):
        for at in range(2):
            wanted = exact(mapping_of(PEOPLE), plan, "python", question=at)
            assert exact(table, plan, "auto", question=at) == wanted


def test_scores_on_a_grid_are_counted_alike(postgres: Postgres) -> None:
    table = edge_table()
    given = connect(postgres.table(table))
    unit = PrivacyUnit("user", most_groups=2)
    for plan in (grid_plan(), grid_plan(cells=16, unit=unit)):
        wanted = exact(mapping_of(table), plan, "python")
        assert exact(given, plan, "auto") == wanted


def test_groups_of_people_are_counted_alike(postgres: Postgres) -> None:
    table, plan = connect(postgres.table(PEOPLE)), groups_plan()
    wanted = exact(mapping_of(PEOPLE), plan, "python", question=1)
    assert exact(table, plan, "auto", question=1) == wanted
