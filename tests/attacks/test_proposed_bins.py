"""Edges that were read off the rows cannot pass for those that were found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, sums_by
from curator.bins_for_tests import BOUNDS, grid_plan, study_of
from dpratio.analyst.bounds.propose_bins import propose_bins
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_bins import release_bins
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.plan.bins.plan_bins import plan_bins
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit

HERS = 0.54321  # One person's score: an edge there tells on which side she is.
COUNT = 3000
TABLE: dict[str, Any] = {
    "score": [HERS] + [0.1 + at / 4000 for at in range(COUNT - 1)],
    "label": [1] * COUNT,
    "age": [HERS] * COUNT,
}
ONE = Budget(1)
AGED = {**BOUNDS, "age": Bounds(0.1, 0.9)}


@pytest.fixture
def door(tmp_path: Path) -> dict[str, Any]:
    """A ledger and a source."""
    ledger = Ledger(tmp_path / "b.db")
    ledger.open_scope(Scope("bank", Budget(100)))
    return {"ledger": ledger, "source": "loans"}


def is_refused(door: dict[str, Any], bins: ScoreBins, **terms: Any) -> bool:  # noqa: ANN401
    """Ask for a plan in bins; tell whether it was refused, and nothing charged."""
    plan = make_plan(study_of(groups=bins, **terms))
    before = door["ledger"].account().spent
    try:
        release_sums(TABLE, plan, **door)
    except LedgerRefused:
        return bool(door["ledger"].account().spent == before)
    return False


def test_19_an_edge_at_her_score_is_not_one_that_was_found(
    door: dict[str, Any],
) -> None:
    """A hand-written edge under the id of a true release is refused.

    Source: the rule of the issue that asked for bins at private quantiles, 2026.
    """
    found = propose_bins(
        release_bins(TABLE, study_of(), "score", budget=ONE, **door), 4
    ).bins
    assert found is not None
    assert found.proposed is not None
    origin: dict[str, Any] = {"by": found.proposed.release_id, "epsilon": 1}

    def claim(edges: Any, asked: int = 4, column: str = "score") -> ScoreBins:  # noqa: ANN401
        return ScoreBins.quantiles(column, asked, edges, **origin)

    assert is_refused(door, claim([0.1, HERS, 0.9]))
    assert is_refused(door, claim([0.1, HERS, 0.9], 2))
    assert is_refused(door, claim(found.edges, column="age"), bounds=AGED)
    moved = {**BOUNDS, "score": Bounds(0.1, 1)}
    assert is_refused(door, found, bounds=moved)
    assert not is_refused(door, found)


def test_19_edges_that_were_declared_do_not_come_back_as_found(
    door: dict[str, Any],
) -> None:
    """A plan may count rows in any bins: its edges may be anybody's choice.

    Source: found by an independent attack on this code, 2026.
    """
    inner = [0.1 + at / 1000 for at in range(16)]
    chosen = ScoreBins("age", [*inner, HERS, 0.9])
    grid = plan_bins(study_of(bounds=AGED), "age", budget=ONE)
    alone = replace(grid, partitions=(Groups.cross(chosen),))
    release = release_sums(TABLE, alone, **door)
    claimed = ScoreBins.quantiles("age", 2, [0.1, HERS, 0.9], by=release.id, epsilon=1)
    assert is_refused(door, claimed, bounds=AGED)
    with pytest.raises(LedgerRefused, match="made for bins"):
        release_sums(TABLE, make_plan(study_of(groups=claimed, bounds=AGED)), **door)


def test_19_without_a_ledger_nobody_can_tell_which_edges_were_found() -> None:
    """A claim that nobody checks is refused before the table is opened.

    Source: the rule of the issue that asked for bins at private quantiles, 2026.
    """
    bins = ScoreBins.quantiles("score", 2, [0.1, 0.5, 0.9], by="f" * 32, epsilon=1)
    with pytest.raises(LedgerRefused, match="no ledger was named"):
        release_sums("nowhere.parquet", make_plan(study_of(groups=bins)), ledger=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_of_many_scores_moves_a_grid_by_most_groups(engine: str) -> None:
    """A thousand rows in every cell are as many counts as groups are counted.

    Source: the rule of the issue that asked for bins at private quantiles, 2026.
    """
    plan = grid_plan(cells=16, unit=PrivacyUnit("user", most_groups=2))
    both = pa.table(
        {
            "user": ["ann", *["eve"] * 1000],
            "score": [0.5, *(0.1 + at / 1250 for at in range(1000))],
            "label": [1] * 1001,
        }
    )
    before = sums_by(engine, both.slice(0, 1), plan)
    after = sums_by(engine, both, plan)
    pairs = zip(before, after, strict=True)
    assert sum(abs(one - other) for (one,), (other,) in pairs) == 2
