"""A score on a fine grid: the same counts on every engine, wherever a score lies."""

import pytest

from attacks.engines_for_attacks import ENGINES, sums_by
from curator.bins_for_tests import EDGES, SCORES, edge_table, grid_plan, study_of
from dpratio.analyst.bounds.propose_bins import propose_bins
from dpratio.curator.release_sums import release_sums
from dpratio.plan.histograms import plan_bins
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.terms.budget import Budget
from dpratio.terms.unit import PrivacyUnit


@pytest.mark.parametrize("engine", ENGINES)
def test_scores_at_edges_are_counted_alike(engine: str) -> None:
    counts = [count for (count,) in sums_by(engine, edge_table(), grid_plan())]
    # An edge, the next number above it and the one below the next edge.
    wanted = [3] * 100
    wanted[0] += 1 + 4  # What lies below counts as the lower bound.
    wanted[-1] += 2 + 2
    assert counts == wanted
    assert sum(counts) == len(SCORES) - 4  # But for what is no number.


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_people_are_counted_alike(engine: str, most: int) -> None:
    plan = grid_plan(cells=16, unit=PrivacyUnit("user", most_groups=most))
    wanted = sums_by("python", edge_table(), plan)
    assert sums_by(engine, edge_table(), plan) == wanted


def test_a_grid_passes_the_door_like_any_release() -> None:
    people = {"score": [0.1 + at / 5000 for at in range(4000)], "label": [1] * 4000}
    plan = plan_bins(study_of(), "score", budget=Budget(1), cells=100)
    release = release_sums(people, plan, ledger=None)
    assert "score, noisy sums in 100 rows; epsilon 1" in str(release)
    assert release_from_bytes(release_to_bytes(release)) == release
    bins = propose_bins(release, 4).bins
    assert bins is not None
    assert bins.size == 4
    assert set(bins.edges) <= set(EDGES)
    assert bins.edges[2] == pytest.approx(0.5, abs=0.05)
