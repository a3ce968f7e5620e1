"""Numbers on edges, beside and beyond them find the same bin everywhere."""

import math
from pathlib import Path

import pyarrow as pa
import pytest

from curator.agreement import Alike, require_alike_as_text
from curator.groups_for_tests import by, counts, rows_of
from curator.tables_for_tests import ENGINES
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, ScoreBins


def edge_numbers(edges: list[float]) -> list[float]:
    beside = [math.nextafter(edge, way) for edge in edges for way in (-1e9, 1e9)]
    return [*edges, *beside, -1e300, 1e300, math.nan, math.inf, -0.0, 0.1 + 0.2]


@pytest.mark.parametrize(
    "bins",
    [1, 3, 7, 1000, [0.1, 0.3], [0, 0.1, 0.2, 0.30000000000000004, 1], [0.0, 1.0]],
)
def test_numbers_on_edges_beside_and_beyond_them_find_the_same_bin(
    bins: int | list[float], alike: Alike, folder: Path
) -> None:
    plan = by(ScoreBins("score", bins), label=Bounds(0, 1))
    groups = plan.measurements[0].groups
    assert isinstance(groups, Groups)
    (settled,) = groups.dimensions
    assert isinstance(settled, ScoreBins)
    edges = list(settled.edges)
    table = pa.table({"score": edge_numbers(edges)}).append_column(
        "label", pa.array([1.0] * len(edge_numbers(edges)))
    )
    alike(table, plan)
    require_alike_as_text(table, plan, folder)
    on = pa.table({"score": edges, "label": [1.0] * len(edges)})
    for engine in ENGINES:
        # Each bin holds its lower edge; the last one both.
        assert counts(on, plan, engine) == [1] * (len(edges) - 2) + [2]


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_are_clipped_before_they_are_binned_and_beyond_edges_is_no_bin(
    engine: str,
) -> None:
    table = pa.table({"score": [-9.0, 9.0, 0.5, 0.1], "label": [1] * 4})
    assert counts(table, by(ScoreBins("score", 2)), engine) == [2, 2]
    inner = by(ScoreBins("score", [0.2, 0.4, 0.6]))
    assert counts(table, inner, engine) == [0, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_beside_the_ratio_may_be_binned(engine: str) -> None:
    table = rows_of(age=[17, 18, 64, 65, 200, None])
    plan = by(ScoreBins("age", [0, 18, 65, 120]), bounds={"age": Bounds(0, 120)})
    assert counts(table, plan, engine) == [1, 2, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_binary_column_is_rounded_before_it_is_binned(engine: str) -> None:
    table = pa.table({"score": [0.5] * 3, "label": [0.4, 0.5, 7.0]})
    assert counts(table, by(ScoreBins("label", 2)), engine) == [1, 2]
