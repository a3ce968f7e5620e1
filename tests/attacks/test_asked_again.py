"""The same study asked again is one charge and one draw, whatever the data became."""

import warnings
from fractions import Fraction
from pathlib import Path

import pytest

from curator.ledger.attacks.books import DATA, open_book, plan_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused

PLAN = plan_of("0.1")
ONE = Fraction(1, 10)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a ledger with one scope, in a file and on a server."""
    if request.param == "sqlite":
        made = str(tmp_path / "budget.db")
    else:
        made = str(request.getfixturevalue("postgres_url"))
    open_book(made)
    return made


def spent(place: str) -> Fraction:
    return Ledger(place).account().spent.loss


def test_28_a_loop_is_told_each_time_that_no_data_were_looked_at(
    tmp_path: Path,
) -> None:
    """Python shows a warning once for each line; the second night would be silent.

    Source: found by an independent attack on this code, 2026.
    """
    place = str(tmp_path / "budget.db")
    open_book(place)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _night in range(3):
            release_sums(DATA, PLAN, ledger=place, source="loans")
    assert len(told) == 2
    assert all("are not in it" in str(each.message) for each in told)


def test_28_a_release_that_was_opened_is_not_drawn_for_again_by_itself(
    place: str,
) -> None:
    """Noise may have been seen; a second draw is asked for, and paid.

    Source: row 31, for a run that is repeated without its id.
    """
    book = Ledger(place)
    book.charge("a" * 32, PLAN)
    book.open("a" * 32)
    with pytest.raises(LedgerRefused, match="say new_draw=True"):
        release_sums(DATA, PLAN, ledger=place, source=book.scopes()[0])
    assert spent(place) == ONE
