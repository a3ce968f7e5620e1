"""Questions answered in one statement have the integers of each by itself."""

import pytest

from curator.postgres_host import Postgres
from curator.together_for_tests import PLANS, TABLE, require_same_together


@pytest.mark.parametrize("name", PLANS)
def test_a_row_counts_in_each_question_as_if_it_were_the_only_one(
    name: str, postgres: Postgres
) -> None:
    loaded = postgres.table(TABLE)
    require_same_together(loaded, PLANS[name], "ibis")
