"""The schema of a frame is told without a look at a cell."""

import pandas as pd
import pytest

from curator.groups_for_tests import counts
from curator.tables_for_tests import ENGINES, plan_of


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cells", [[None, None], [None, "a"], [None, "z"]], ids=str)
def test_no_cell_decides_whether_a_category_of_pandas_may_hold_keys(
    cells: list[str | None], engine: str
) -> None:
    """Without any cell pandas 3 calls categories floats: refused, it would be told."""
    frame = pd.DataFrame({"score": 0.5, "label": 1, "region": pd.Categorical(cells)})
    found = counts(frame, plan_of(keys=["a", None]), engine)
    assert found == [cells.count("a"), cells.count(None)]
