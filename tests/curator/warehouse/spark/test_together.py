"""Questions that Spark answers in one query have the integers of each alone."""

import pytest

from curator.together_for_tests import PLANS, TABLE, require_same_together
from curator.warehouse.spark.frames_for_tests import Session, frame_of


@pytest.mark.parametrize("name", PLANS)
def test_a_row_counts_in_each_question_as_if_it_were_the_only_one(
    name: str, session: Session
) -> None:
    require_same_together(frame_of(session, TABLE), PLANS[name], "auto")
