"""Units that bounds cut are counted alike where the data are."""

import pytest

from curator.cuts_for_tests import CUTS, PLANS, TABLE, cuts_of
from curator.warehouse.hosts import Host
from curator.warehouse.laws import require_agreement


@pytest.mark.parametrize("name", PLANS)
def test_a_unit_is_cut_or_not_on_every_host(name: str, host: Host) -> None:
    require_agreement(host, PLANS[name], TABLE)
    assert cuts_of(host.table(TABLE), name, "ibis") == CUTS[name]
