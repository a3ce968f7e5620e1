"""What is not the same request is refused, not given: other rows, files or people."""

from functools import partial
from pathlib import Path

import pytest

from curator.ledger.loans import (
    ID,
    NAME,
    ONE,
    OTHER,
    PLAN,
    TABLE,
    bring,
    rows,
    spent,
)
from dpratio.curator.ledger.account.source import source_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    LedgerRefused,
)


@pytest.mark.parametrize("state", ["charge", "opened", "published"])
def test_a_table_without_a_name_is_never_taken_for_another(
    state: str, own: Ledger
) -> None:
    """It may be another region, or another night, with the same plan."""
    bring(own, state)
    account = own.account()
    day = account.releases[ID].entries[0].time[:10]
    with pytest.raises(LedgerRefused) as refused:
        release_sums({"s": [0.1], "y": [1]}, PLAN, ledger=own)
    assert str(refused.value) == (
        "a table in memory without a name may be another one than that of release "
        f"{ID} of {day}, which has the same plan. For the same rows say "
        f"release_id='{ID}', which charges nothing. Give other rows a name of their "
        "own, not 'loans': source='…'. A new draw costs epsilon 0.1 and delta 0 and "
        "leaves epsilon 0.8 and delta 0.000001 in scope 'loans': new_draw=True."
    )
    assert own.account() == account
    release_sums({"s": [0.1], "y": [1]}, PLAN, ledger=own, source="others")
    release_sums({"s": [0.1], "y": [1]}, PLAN, ledger=own, new_draw=True)
    assert spent(own) == 3 * ONE


def test_a_table_without_a_name_is_told_of_what_was_drawn(own: Ledger) -> None:
    first = release_sums(TABLE, PLAN, ledger=own)
    bring(own, "charge", OTHER)
    with pytest.raises(LedgerRefused, match=f"say release_id='{first.id}'"):
        release_sums(TABLE, PLAN, ledger=own)
    assert release_sums(TABLE, PLAN, ledger=own, release_id=first.id) == first


def test_an_unbegun_charge_of_a_template_is_for_what_it_was_filled_with(
    own: Ledger, tmp_path: Path
) -> None:
    template = f"{tmp_path}/{{period}}.csv"
    october, november = (rows(tmp_path / f"2026-{month}.csv") for month in (10, 11))
    own.charge(ID, PLAN, source=source_of(october, template))
    with pytest.raises(LedgerRefused, match="was charged for other data, and was not"):
        release_sums(november, PLAN, ledger=own, source=template, release_id=ID)
    assert release_sums(november, PLAN, ledger=own, source=template).id != ID
    assert release_sums(october, PLAN, ledger=own, source=template).id == ID
    assert spent(own) == 2 * ONE


def test_an_id_is_refused_for_another_source_and_given_for_its_own(
    own: Ledger, tmp_path: Path
) -> None:
    template = f"{tmp_path}/{{period}}.csv"
    north, south = rows(tmp_path / "north.csv"), rows(tmp_path / "south.csv")
    for name, source in (("plain", None), ("filled", template)):
        ask = partial(release_sums, plan=PLAN, ledger=own, release_id=name)
        first = ask(north, source=source)
        with pytest.raises(LedgerRefused) as refused:
            ask(south, source=source)
        assert str(refused.value) == (
            f"release {first.id} was drawn from another source. Name that one to get "
            "it again; other data need an id of their own."
        )
        assert ask(TABLE) == first
        north.unlink()
        assert ask(north, source=source) == first
        rows(north)
    assert spent(own) == 2 * ONE


@pytest.mark.parametrize("simulated", [True, False])
def test_a_rehearsal_and_a_release_are_not_given_for_each_other(
    own: Ledger, *, simulated: bool
) -> None:
    ask = partial(release_sums, TABLE, PLAN, ledger=own, source=NAME)
    first = ask(simulated=simulated)
    for named in (None, first.id):
        with pytest.raises(LedgerRefused) as refused:
            ask(simulated=not simulated, release_id=named)
        assert str(refused.value) == (
            f"release {first.id} has simulated={simulated}, and simulated="
            f"{not simulated} is asked for. Say simulated={simulated} to get it again; "
            "for another draw, which is charged, say new_draw=True."
        )
    assert ask(simulated=not simulated, new_draw=True).is_simulated is not simulated
    assert spent(own) == 2 * ONE
