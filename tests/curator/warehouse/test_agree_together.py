"""Questions answered in one statement have the integers of each by itself."""

import pytest

from curator.together_for_tests import PLANS, TABLE, require_same_together
from curator.warehouse.hosts import Host
from dpratio.curator.reading import whole_doubles


@pytest.mark.parametrize("name", PLANS)
def test_a_row_counts_in_each_question_as_if_it_were_the_only_one(
    name: str, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = host.table(TABLE)
    require_same_together(loaded, PLANS[name], "ibis")
    monkeypatch.setattr(whole_doubles, "_EXACT_DOUBLES", 1.0)
    require_same_together(loaded, PLANS[name], "ibis")
