"""Bounds and bins that a release proposed, in a study: both are paid for."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from curator.bins_for_tests import study_of as scores
from curator.histograms_for_tests import study_of as shoppers
from dpratio.analyst.bounds.propose_bins import propose_bins
from dpratio.analyst.bounds.propose_bounds import propose_bounds
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.preflight import check_release
from dpratio.curator.release_sums import release_sums
from dpratio.plan.histograms import plan_bins, plan_bounds
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups

HALF = Budget("0.5")
# All alike, and far more than noise: some bound is proposed, whatever is drawn.
SHOPPERS: dict[str, Any] = {"spent": [5.0] * 2000, "orders": [1.0] * 2000}
ORDERS = {"orders": Bounds(0, 4)}
LOANS: dict[str, Any] = {
    "score": [0.1 + at / 5000 for at in range(4000)],
    "label": [1] * 4000,
}


def test_histograms_and_the_sums_within_their_bounds_add_up(
    ledger: Ledger, tmp_path: Path
) -> None:
    """On a file and on a server; asked again both are given again, for free."""
    ledger.open_scope(Scope("shop", Budget(100)))
    door: dict[str, Any] = {"ledger": ledger, "scope": "shop", "source": "visits"}
    out, study = tmp_path / "bounds.json", shoppers(bounds=ORDERS)
    counting = plan_bounds(study, budget=HALF)
    counts = release_sums(SHOPPERS, counting, out=out, **door)
    found = propose_bounds(counts, budget=Budget(1)).bounds
    plan = make_plan(shoppers(bounds=ORDERS | found))
    check_release(SHOPPERS, plan, **door)
    sums = release_sums(SHOPPERS, plan, **door)
    assert sums.plan.bounds["spent"] == found["spent"]
    assert ledger.account("shop").spent.loss == Fraction(3, 2)
    again = release_sums(SHOPPERS, counting, release_id=counts.id, **door)
    assert again == counts
    assert release_sums(SHOPPERS, plan, release_id=sums.id, **door) == sums
    assert ledger.account("shop").spent.loss == Fraction(3, 2)
    assert verify_ledger(ledger).wrong == ()


def test_a_grid_and_the_sums_in_its_bins_add_up(ledger: Ledger) -> None:
    ledger.open_scope(Scope("bank", Budget(100)))
    door: dict[str, Any] = {"ledger": ledger, "scope": "bank", "source": "loans"}
    counting = plan_bins(scores(), "score", budget=HALF, cells=64)
    grid = release_sums(LOANS, counting, **door)
    bins = propose_bins(grid, 4).bins
    assert bins is not None
    sums = release_sums(LOANS, make_plan(scores(groups=bins)), **door)
    assert sums.questions[0].groups == Groups.cross(bins)
    assert ledger.account("bank").spent.loss == Fraction(3, 2)
