import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.simulation.judge import Figures, Judgement
from dpratio.simulation.paper.agreement import compare_cell, compare_tables
from dpratio.simulation.paper.paper import (
    Cell,
    Published,
    published_cells,
    reproduce_paper,
)


@pytest.fixture(scope="module")
def cells() -> Mapping[Cell, Judgement]:
    return reproduce_paper(repetitions=1_000, rng=20)


def test_all_208_cells_were_published_and_ship_with_the_package() -> None:
    published = published_cells()
    assert len(published) == 208
    analytical = Cell(1, "gaussian", "ratio", True, 5_000, 0.2, "analytical")  # noqa: FBT003
    assert published[analytical] == Published(1.532, 0.939, 1.852)
    assert sum(cell.method == "public" for cell in published) == 16


def test_every_published_cell_is_reproduced(cells: Mapping[Cell, Judgement]) -> None:
    tables = compare_tables(cells, published_cells())
    apart = [each.cell for each in tables.comparisons if not each.agrees]
    assert not apart
    assert tables.agreeing == 208


def test_only_heavy_cells_are_excused_from_comparing_means(
    cells: Mapping[Cell, Judgement],
) -> None:
    tables = compare_tables(cells, published_cells())
    carried = [each.cell for each in tables.comparisons if each.is_carried_by_few]
    assert len(carried) <= 3
    assert all((cell.weighted, cell.n) == (True, 5_000) for cell in carried)
    assert all(cell.epsilon == 0.2 for cell in carried)


def test_a_wrong_constant_would_be_noticed(cells: Mapping[Cell, Judgement]) -> None:
    """Noise 10 % off in the interval moves most corrected widths by more than 3 %."""
    noticed = 0
    for cell, ours in cells.items():
        if cell.method == "analytical" and cell.epsilon in {0.2, 0.5}:
            wider = replace(ours.width, mean=ours.width.mean * 1.1)
            wrong = replace(ours, width=wider)
            noticed += not compare_cell(cell, wrong, published_cells()[cell]).agrees
    assert noticed >= 30


def test_coverage_four_errors_away_does_not_agree() -> None:
    figures = Figures(0.1, 0.001, 0.1, 0.2, 0.01)
    ours = Judgement(1_000, figures, figures, 0.95, 0.0, 0.0)
    cell = next(iter(published_cells()))
    close = compare_cell(cell, ours, Published(0.1, 0.94, 0.1))
    far = compare_cell(cell, ours, Published(0.1, 0.89, 0.1))
    assert close.agrees
    assert not far.agrees
    assert far.coverage_z == pytest.approx(
        0.06 / math.sqrt(0.92 * 0.08 / 500), rel=0.01
    )


def test_a_cell_without_a_mean_lies_between_median_and_widest_run() -> None:
    heavy = Figures(5.0, 100.0, 1.5, 900.0, 0.5)
    ours = Judgement(1_000, heavy, heavy, 0.95, 0.0, 0.0)
    cell = next(iter(published_cells()))
    assert compare_cell(cell, ours, Published(8.8, 0.95, 9.0)).agrees
    assert not compare_cell(cell, ours, Published(1.2, 0.95, 9.0)).agrees
    assert not compare_cell(cell, ours, Published(8.8, 0.95, 1000.0)).agrees


def test_the_same_seed_gives_the_same_tables_and_progress_ends_at_its_total() -> None:
    seen: list[tuple[int, int]] = []
    one = reproduce_paper(
        repetitions=60, rng=3, report=lambda done, total: seen.append((done, total))
    )
    assert seen == [(done, 34) for done in range(1, 35)]  # 2 × 50 people, 32 settings.
    assert one == reproduce_paper(repetitions=60, rng=3)
    assert one != reproduce_paper(repetitions=60, rng=4)


def test_a_single_repetition_is_refused() -> None:
    with pytest.raises(InvalidInput, match="repetitions must be at least 2, got 1"):
        reproduce_paper(repetitions=1)


def test_undefined_logarithms_do_not_cover(cells: Mapping[Cell, Judgement]) -> None:
    cell = Cell(2, "gaussian", "log", True, 5_000, 0.2, "monte_carlo")  # noqa: FBT003
    assert 0.02 < cells[cell].undefined < 0.15
    assert np.isfinite(cells[cell].width.mean)
