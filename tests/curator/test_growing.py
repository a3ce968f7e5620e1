"""The last period of a growing study comes from who asks, the day, or the ledger."""

import datetime as dt
from functools import partial
from pathlib import Path

import pytest

from dpratio.curator import growing
from dpratio.curator.growing import as_asked
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.preflight import check_release
from dpratio.curator.release_sums import release_sums
from dpratio.errors import GivenAgain, InvalidInput, LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.release.files import read_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Periods
from dpratio.terms.ratio import Ratio

PLAN = make_plan(
    Ratio("s", per="y"),
    bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
    budget=Budget("0.1"),
    groups=Periods("seen", "week", "2026-10-26", "open"),
)
FIRST = dt.date(2026, 10, 26)
TABLE = {
    "s": [0.5, 0.2, 0.9],
    "y": [1, 0, 1],
    # The newest row lies far ahead.
    "seen": [dt.date(2026, 11, 3), dt.date(2026, 11, 11), dt.date(2031, 1, 1)],
}


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> list[dt.date]:
    """What day it is; the last word holds. A Tuesday, of week 47."""
    days = [dt.date(2026, 11, 17)]
    monkeypatch.setattr(growing, "day_now", lambda: days[-1])
    return days


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(Scope("orders", Budget(1)))
    return made


def test_a_last_period_that_is_named_is_taken() -> None:
    assert as_asked(PLAN, "2026-W45") == PLAN.until("2026-W45")
    assert as_asked(PLAN, dt.date(2026, 11, 3)) == PLAN.until("2026-W45")


def test_by_default_it_is_the_newest_one_that_is_over(day: list[dt.date]) -> None:
    assert as_asked(PLAN, None) == PLAN.until("2026-W46")
    day.append(dt.date(2026, 11, 2))
    assert as_asked(PLAN, None) == PLAN.until("2026-W44")
    day.append(dt.date(2026, 11, 1))
    rule = r"^the first week of a growing study must be over, got '2026-10-26'\. Wait"
    with pytest.raises(InvalidInput, match=rule):
        as_asked(PLAN, None)


def test_a_plan_that_is_not_open_says_its_periods_itself() -> None:
    fixed = PLAN.until("2026-W45")
    assert as_asked(fixed, None) == fixed
    with pytest.raises(InvalidInput, match=r"^only an open last period is fixed"):
        as_asked(fixed, "2026-W46")


def test_the_release_holds_the_last_period_and_the_ledger_does_too(
    book: Ledger, tmp_path: Path
) -> None:
    out = tmp_path / "r.json"
    release = release_sums(TABLE, PLAN, ledger=book, last="2026-W46", out=out)
    weeks = tuple(FIRST + dt.timedelta(days=7 * at) for at in range(3))
    assert release.questions[0].keys == weeks
    assert read_release(out).plan == PLAN.until("2026-W46")
    (held,) = book.account().releases.values()
    assert held.said("charge")["last"] == "2026-11-09"
    assert book.history().columns()["plan"][0].endswith(" to 2026-11-09")


def test_without_a_ledger_the_last_period_is_fixed_all_the_same() -> None:
    release = release_sums(TABLE, PLAN, ledger=None)
    assert release.plan == PLAN.until("2026-W46")


def test_an_id_that_was_charged_goes_on_with_its_last_period(
    book: Ledger, day: list[dt.date]
) -> None:
    """A scheduler that tries again after midnight means the same release."""
    first = release_sums(TABLE, PLAN, ledger=book, release_id="week 46")
    day.append(dt.date(2026, 11, 24))
    again = release_sums({}, PLAN, ledger=book, release_id="week 46")
    assert again == first
    with pytest.raises(LedgerRefused, match="belongs to another plan"):
        release_sums({}, PLAN, ledger=book, release_id="week 46", last="2026-W47")
    other = release_sums(TABLE, PLAN, ledger=book, release_id="week 47")
    assert other.plan == PLAN.until("2026-W47")
    closed = release_sums(TABLE, PLAN.until("2026-W44"), ledger=book, release_id="old")
    assert closed.plan == PLAN.until("2026-W44")


@pytest.mark.parametrize("approval", [False, True])
def test_a_part_of_a_period_is_not_given_for_the_whole(
    *,
    approval: bool,
    tmp_path: Path,
    day: list[dt.date],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    book = Ledger(tmp_path / "a.db")
    book.open_scope(Scope("loans", Budget(9), needs_approval=approval))
    approve = partial(book.approve, PLAN, source="mine", by="officer")
    ask = partial(release_sums, TABLE, PLAN, ledger=book, source="mine", by="me")
    if approval:
        approve()
    at = ["2026-11-11T12:00:00Z"]
    monkeypatch.setattr("dpratio.curator.ledger.store.clock.time_now", lambda: at[-1])
    day.append(dt.date(2026, 11, 11))
    part = ask(last="2026-W46")
    with pytest.warns(GivenAgain, match="changed since 2026-11-11 are not in it"):
        assert ask(last="2026-W46") == part
    day.append(dt.date(2026, 11, 15))
    with pytest.warns(GivenAgain):
        assert ask(last="2026-W46") == part
    day.append(dt.date(2026, 11, 16))
    at.append("2026-11-16T00:00:00Z")
    account = book.account()
    with pytest.raises(LedgerRefused) as refused:
        ask()
    assert book.account() == account
    words = str(refused.value)
    assert words.startswith(
        f"release {part.id} was drawn on 2026-11-11, before its last period was over. "
        "Now it is over, and rows that came since are not in that release. For what "
        f"was drawn then say release_id='{part.id}', which charges nothing. A new draw "
    )
    assert words.endswith("new_draw=True.") is not approval
    assert ("so this needs a new one." in words) is approval
    assert ask(release_id=part.id) == part
    if approval:
        with pytest.raises(LedgerRefused, match="admits one release for each week"):
            ask(new_draw=True)
        approve()
    whole = ask(new_draw=True)
    at.append("2026-11-17T00:00:00Z")
    day.append(dt.date(2026, 11, 17))
    with pytest.warns(GivenAgain, match="changed since 2026-11-16"):
        assert ask() == whole


def test_a_charge_from_before_the_end_is_gone_on_with(
    book: Ledger, day: list[dt.date], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was read then; now the whole period is."""
    clock = "dpratio.curator.ledger.store.clock.time_now"
    monkeypatch.setattr(clock, lambda: "2026-11-11T12:00:00Z")
    book.charge("0" * 32, PLAN.until("2026-W46"), source=named_source("mine"))
    monkeypatch.setattr(clock, lambda: "2026-11-16T12:00:00Z")
    day.append(dt.date(2026, 11, 16))
    assert release_sums(TABLE, PLAN, ledger=book, source="mine").id == "0" * 32


def test_an_open_plan_itself_is_never_charged(book: Ledger) -> None:
    with pytest.raises(InvalidInput, match="a release has a last period, got 'an open"):
        book.charge("0" * 32, PLAN)
    assert not book.account().releases


def test_a_preflight_fixes_what_the_release_would(book: Ledger) -> None:
    for last in (None, "2026-W46"):
        found = check_release(TABLE, PLAN, ledger=book, last=last)
        assert found.columns()["read as"][-1] == "date keys"
    with pytest.raises(InvalidInput, match="the first period must not follow the last"):
        check_release(TABLE, PLAN, ledger=book, last="2026-W01")
