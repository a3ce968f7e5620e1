"""Units that bounds cut are counted on a cluster as anywhere else."""

from curator.cuts_for_tests import CUTS, PLANS, TABLE, cuts_of
from curator.table_sources import mapping_of
from curator.tables_for_tests import exact
from curator.warehouse.spark.frames_for_tests import Session, frame_of


def test_a_unit_is_cut_or_not_on_spark(session: Session) -> None:
    frame = frame_of(session, TABLE)
    for name in ("rows by region", "a limit", "people by region"):
        assert cuts_of(frame, name, "auto") == CUTS[name]
        wanted = exact(mapping_of(TABLE), PLANS[name], "python")
        assert exact(frame, PLANS[name], "auto") == wanted
