"""What fails before the charge costs nothing; after it, it stays charged."""

from fractions import Fraction
from pathlib import Path
from traceback import format_exception
from typing import Any

import pytest

from curator.ledger.loans import ID, PLAN, TABLE, Untouchable, plan_of, state, wrong_in
from curator.tables_for_tests import said_by
from dpratio.curator import measure
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    DpratioError,
    EngineFailed,
    FileRefused,
    InvalidInput,
    LedgerRefused,
    PlanRefused,
    SchemaRefused,
)
from dpratio.plan.plan import Plan
from dpratio.terms.budget import Budget
from edited_plans import with_terms


def refused(
    ledger: Ledger,
    kind: type[DpratioError],
    table: object = TABLE,
    **given: Any,  # noqa: ANN401
) -> None:
    plan = given.pop("plan", PLAN)
    with pytest.raises(kind):
        release_sums(table, plan, ledger=ledger, release_id=ID, **given)


def test_a_schema_that_does_not_fit_charges_nothing(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("s,z\n0.5,1\n", encoding="utf-8")
    refused(file_ledger, SchemaRefused, path)
    refused(file_ledger, FileRefused, tmp_path / "none.parquet")
    assert file_ledger.account().seq == 0


def test_bad_arguments_charge_nothing(file_ledger: Ledger, tmp_path: Path) -> None:
    refused(file_ledger, InvalidInput, by="two\nlines")
    refused(file_ledger, InvalidInput, simulated="yes")
    refused(file_ledger, PlanRefused, plan=with_terms(PLAN, budget=Budget("0.01")))
    refused(file_ledger, FileRefused, Untouchable(), out=tmp_path / "none" / "r.json")
    refused(file_ledger, FileRefused, Untouchable(), out=tmp_path)
    assert file_ledger.account().seq == 0


def test_an_engine_that_stops_after_the_charge_leaves_it_charged(
    file_ledger: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stop() -> None:
        message = "cell 271828 is bad"
        raise ValueError(message)

    monkeypatch.setattr(measure, "open_reading", lambda *_given: stop)
    with pytest.raises(EngineFailed) as told:
        release_sums(
            TABLE, PLAN, ledger=file_ledger, release_id=ID, out=tmp_path / "r.json"
        )
    assert str(told.value).startswith("the engine stopped while it read the table.")
    assert str(told.value).endswith(
        f"Release {ID} stays charged: data were opened, and noise is drawn once for a "
        "charge. A new draw costs epsilon 0.1 and delta 0 and leaves epsilon 0.8 and "
        "delta 0.000001 in scope 'loans'."
    )
    assert "271828" not in said_by(told.value)
    assert "".join(format_exception(told.value)).count("EngineFailed: ") == 1
    monkeypatch.undo()
    assert state(file_ledger) == "opened"
    assert file_ledger.account().spent.loss == Fraction(1, 10)
    assert not (tmp_path / "r.json").exists()
    for named in (ID, None):
        with pytest.raises(LedgerRefused, match="its charge is gone"):
            release_sums(
                TABLE, PLAN, ledger=file_ledger, source="loans", release_id=named
            )
    assert file_ledger.account().spent.loss == Fraction(1, 10)
    assert release_sums(TABLE, PLAN, ledger=file_ledger, new_draw=True).id != ID
    assert file_ledger.account().spent.loss == Fraction(2, 10)


def test_a_charge_that_was_not_opened_goes_on_under_its_id(file_ledger: Ledger) -> None:
    said = file_ledger.charge(ID, PLAN)
    release = release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID)
    assert (release.id, release.source_hash) == (ID, said)
    assert state(file_ledger) == "published"
    assert file_ledger.account().spent.loss == Fraction(1, 10)
    assert not wrong_in(file_ledger)


@pytest.mark.parametrize(
    ("plan", "source", "said"),
    [
        (PLAN, "others", "was charged for other data"),
        (plan_of("0.2"), None, "belongs to another plan"),
    ],
)
def test_a_charge_goes_on_for_its_own_plan_and_source_only(
    plan: Plan, source: str | None, said: str, file_ledger: Ledger
) -> None:
    file_ledger.charge(ID, PLAN)
    with pytest.raises(LedgerRefused, match=f"release {ID} {said}"):
        release_sums(TABLE, plan, ledger=file_ledger, release_id=ID, source=source)
    assert state(file_ledger) == "charge"


def test_of_two_that_go_on_with_a_charge_one_opens_the_data(
    file_ledger: Ledger,
) -> None:
    assert file_ledger.charge(ID, PLAN) == file_ledger.charge(ID, PLAN)
    file_ledger.open(ID)
    with pytest.raises(LedgerRefused, match="is opened, so it cannot be opened"):
        file_ledger.open(ID)
    assert file_ledger.account().seq == 2


def test_a_charge_that_was_voided_does_not_go_on(file_ledger: Ledger) -> None:
    file_ledger.charge(ID, PLAN)
    file_ledger.void(ID)
    with pytest.raises(LedgerRefused, match="was voided"):
        release_sums(Untouchable(), PLAN, ledger=file_ledger, release_id=ID)
