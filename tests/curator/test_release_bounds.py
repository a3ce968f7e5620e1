"""Histograms through the door: priced, charged, sealed and published like any sums."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from curator.histograms_for_tests import study_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_bounds import release_bounds
from dpratio.errors import InvalidInput, LedgerRefused
from dpratio.release.files import read_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.unit import PrivacyUnit

TABLE = {"spent": np.arange(100.0), "orders": np.ones(100)}
TENTH = Budget("0.1")


def ledger_in(folder: Path) -> Ledger:
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.open_scope(Scope("shop", Budget("0.15")))
    return ledger


def test_a_histogram_is_charged_sealed_and_published(tmp_path: Path) -> None:
    ledger, out = ledger_in(tmp_path), tmp_path / "bounds.json"
    release = release_bounds(
        TABLE, study_of(), budget=TENTH, ledger=ledger, source="visits", out=out
    )
    assert read_release(out) == release
    assert ledger.account("shop").spent.loss == Fraction(1, 10)
    again = release_bounds(
        TABLE,
        study_of(),
        budget=TENTH,
        ledger=ledger,
        release_id=release.id,
        source="visits",
    )
    assert again == release
    assert ledger.account("shop").spent.loss == Fraction(1, 10)
    with pytest.raises(LedgerRefused):
        release_bounds(
            TABLE,
            study_of(),
            budget=TENTH,
            ledger=ledger,
            source="visits",
            new_draw=True,
        )


def test_what_breaks_a_rule_is_refused_before_the_charge(tmp_path: Path) -> None:
    ledger = ledger_in(tmp_path)
    narrow = study_of(bounds={"spent": Bounds(0, 500)})
    with pytest.raises(InvalidInput, match="outer limits must hold"):
        release_bounds(
            TABLE,
            narrow,
            budget=TENTH,
            columns=["spent"],
            limits=(1, 100),
            ledger=ledger,
        )
    people = study_of(unit=PrivacyUnit(neighbours="change-one"))
    with pytest.raises(LedgerRefused):
        release_bounds(TABLE, people, budget=TENTH, ledger=ledger, source="visits")
    assert ledger.account("shop").spent.loss == 0


def test_a_ledger_must_be_said() -> None:
    with pytest.raises(InvalidInput, match="none was named"):
        release_bounds(TABLE, study_of(), budget=TENTH)
