"""Constants of conditions: what a column's own type holds exactly, and nothing else."""

import pytest

from dpratio.curator.warehouse.database.constants import _is_single


@pytest.mark.parametrize("value", [0.0, 0.5, -1.25, 2.0**100, 3.4028234663852886e38])
def test_a_number_that_single_precision_holds_is_compared(value: float) -> None:
    assert _is_single(value)


@pytest.mark.parametrize("value", [0.1, 1 + 2.0**-40, 1e39, -1e300])
def test_one_that_is_rounded_or_too_large_there_is_not(value: float) -> None:
    assert not _is_single(value)
