"""Units that bounds cut are counted alike where the data are."""

import pytest

from curator.cuts_for_tests import CUTS, PLANS, TABLE, cuts_of
from curator.postgres_host import Postgres
from curator.sql.laws import require_agreement


@pytest.mark.parametrize("name", PLANS)
def test_a_unit_is_cut_or_not_on_a_server(name: str, postgres: Postgres) -> None:
    require_agreement(postgres, PLANS[name], TABLE)
    assert cuts_of(postgres.table(TABLE), name, "ibis") == CUTS[name]
