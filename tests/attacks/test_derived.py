"""Row 43: what is made from releases never states less than was charged for them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dpratio as dpr
from curator.tables_for_tests import plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.plan.plan import Plan
from dpratio.show.sections.page import render_report
from tiers import quick_first

ROWS: dict[str, Any] = {
    "score": [0.5, 0.25, 1.0] * 20,
    "label": [1, 0, 1] * 20,
    "region": ["a", "b", "a"] * 20,
    "person": [at // 2 for at in range(60)],
}
LAWS = {
    "laplace": "focused",
    "analytic_gaussian": "joint",
    "classical_gaussian": "even",
}
TOTALS = {"score": dpr.Bounds(0, 2), "label": dpr.Bounds(0, 2)}
UNITS = {"rows": dpr.PrivacyUnit(), "people": dpr.PrivacyUnit("person", totals=TOTALS)}


def plans() -> dict[str, Plan]:
    """Plans of every law and unit, and one that finds its keys."""
    made = {
        f"{law}, {unit}": plan_of(
            keys=["a", "b"], mechanism=law, strategy=strategy, unit=UNITS[unit]
        )
        for law, strategy in LAWS.items()
        for unit in UNITS
    }
    keys = dpr.PrivateKeys("region", dpr.Budget("0.9", "5e-7"))
    return {**made, "found keys": plan_of(groups=keys)}


PLANS = plans()


def charged(plan: Plan, folder: Path) -> tuple[list[dpr.Release], dpr.Budget]:
    """Release the same rows twice, and give what the ledger says was spent."""
    ledger = Ledger(folder / "budget.db")
    unit = plan.unit.column
    ledger.open_scope(Scope("people", dpr.Budget(9, "1e-4"), unit=unit))
    both = [
        dpr.release_sums(ROWS, plan, ledger=ledger, new_draw=True) for _ in range(2)
    ]
    if plan.private_keys:
        # The keys that were found must be the same to be merged.
        both = [replace(each, questions=both[0].questions) for each in both]
    spent = ledger.account("people").spent
    return both, dpr.Budget(spent.loss, spent.delta)


def as_it_is(release: dpr.Release, _: Path) -> dpr.Release:
    return release


def through_a_file(release: dpr.Release, folder: Path) -> dpr.Release:
    dpr.write_release(release, folder / "merged.json")
    return dpr.read_release(folder / "merged.json")


WAYS: dict[str, Callable[[dpr.Release, Path], dpr.Release]] = {
    "as it is": as_it_is,
    "through a file": through_a_file,
    "rolled up": lambda release, _: dpr.roll_up(release),
}


@pytest.mark.parametrize("which", quick_first(PLANS, 3))
def test_43_releases_of_the_same_rows_state_what_the_ledger_was_charged(
    which: str, tmp_path: Path
) -> None:
    """The same rows twice, charged 2, merge into a release that states 2.

    Source: found by an independent attack on this code, 2026: the merged release
    stated 1. Basic composition: Dwork & Roth (2014), theorem 3.16.
    More: tests/laws/test_merge.py, tests/release/test_merge.py
    """
    both, spent = charged(PLANS[which], tmp_path)
    merged = dpr.merge(both, units_are_disjoint=True)
    for way in WAYS.values():
        made = way(merged, tmp_path)
        assert made.cost.epsilon >= spent.epsilon >= 2 * PLANS[which].epsilon
        assert made.cost.delta >= spent.delta
        assert (made.plan.epsilon, made.plan.delta) == (
            made.cost.epsilon,
            made.cost.delta,
        )
        said = f"epsilon {made.cost.epsilon}, delta"
        assert said in str(made)
        assert f"Cost: {said}" in " ".join(made.plan.summary())
        assert f"with epsilon {made.cost.epsilon} and delta" in render_report(made)
        assert "if nobody is in two of them, as promised" in str(made)
        heads = {each.ledger_head for each in both}
        assert set(made.all_heads) == heads
        assert None not in heads
