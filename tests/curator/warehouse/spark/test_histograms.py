"""Histograms on a cluster: the counts of the specification."""

from curator.bins_for_tests import edge_table, grid_plan
from curator.histograms_for_tests import (
    PEOPLE,
    corner_tables,
    groups_plan,
    people_plan,
    rows_plan,
)
from curator.table_sources import mapping_of
from curator.tables_for_tests import exact
from curator.warehouse.spark.frames_for_tests import Session, frame_of
from dpratio.curator.measure import connect


def test_rows_and_totals_are_counted_alike(session: Session) -> None:
    corners = corner_tables()["doubles"]
    asked = [
        (corners, rows_plan()),
        (PEOPLE, people_plan(most_groups=2)),
        (edge_table(), grid_plan()),
    ]
    for table, plan in asked:
        frame = connect(frame_of(session, table))
        wanted = exact(mapping_of(table), plan, "python")
        assert exact(frame, plan, "auto") == wanted


def test_groups_of_people_are_counted_alike(session: Session) -> None:
    frame, plan = connect(frame_of(session, PEOPLE)), groups_plan()
    wanted = exact(mapping_of(PEOPLE), plan, "python", question=1)
    assert exact(frame, plan, "auto", question=1) == wanted
