"""Growing studies: what one approval of an open last period must not let through."""

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, given_to
from curator.ledger.junk import write_past
from curator.ledger.loans import ID, OTHER, SCOPE, plan_of
from dpratio.curator import growing
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock as room
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    GivenAgain,
    InvalidInput,
    LedgerFailed,
    LedgerRefused,
    PlanRefused,
)
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.files import release_to_bytes
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import Periods
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit

MINE = named_source("mine")
WEEKS = Periods("seen", "week", "2026-10-26", "open")
OPEN = plan_of(groups=WEEKS)
DATED = {"s": [0.5, 0.2], "y": [1, 0], "seen": ["2026-11-03", "2026-11-10"]}


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setattr(room, "time_now", lambda: "2026-11-16T12:00:00Z")
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(replace(SCOPE, needs_approval=True))
    return made


def is_refused(book: Ledger, plan: Plan, release_id: str = ID) -> bool:
    try:
        book.charge(release_id, plan, source=MINE)
    except LedgerRefused:
        return True
    return False


@pytest.mark.parametrize("engine", ENGINES)
def test_11_the_newest_row_does_not_decide_the_last_period(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the only row of a new week would be given away by its key.

    Source: found by reading this code, 2026, when periods were first left open.
    """
    monkeypatch.setattr(growing, "day_now", lambda: dt.date(2026, 11, 17))
    days = [dt.date(2026, 11, 3), dt.date(2026, 11, 16), dt.date(2031, 1, 1)]
    keys = []
    for kept in (1, 2, 3):
        table = pa.table({"s": [0.5] * kept, "y": [1] * kept, "seen": days[:kept]})
        with given_to(engine, table) as (source, name):
            release = release_sums(source, OPEN, engine=name, ledger=None)
        keys.append(release.questions[0].keys)
    weeks = (dt.date(2026, 10, 26), dt.date(2026, 11, 2), dt.date(2026, 11, 9))
    assert keys == [weeks] * 3


def test_18_one_person_may_be_in_every_period_that_comes() -> None:
    """The noise of an open plan is for as many periods as one person may be in.

    Source: found by reading this code, 2026, when periods were first left open.
    """
    totals = {"s": Bounds(0, 9), "y": Bounds(0, 9)}
    unit = PrivacyUnit("id", totals=totals, most_groups=50)
    plan = plan_of(groups=WEEKS, unit=unit)
    for last in ("2026-W44", "2027-W44", "2036-W44"):
        assert price(plan.until(last)).epsilon == plan.epsilon


def test_34_bytes_of_another_last_period_are_found(book: Ledger) -> None:
    """A charge for one week is not that of a release up to another.

    Source: found by reading this code, 2026, when periods were first left open.
    """
    book.approve(OPEN, source="mine")
    drawn = release_sums(
        DATED, OPEN, ledger=book, last="2026-W46", source="mine", release_id=ID
    )
    book.charge(OTHER, OPEN.until("2026-W45"), source=MINE)
    other = replace(drawn, id=OTHER, ledger_head=book.open(OTHER))
    assert not verify_ledger(book).wrong
    book.seal(OTHER, release_to_bytes(other, "json"), "json")
    assert "or one of another id or plan" in verify_ledger(book).wrong[0]


def test_38_a_period_is_released_once_under_one_approval(book: Ledger) -> None:
    """Averaging many releases of one week would undo its noise.

    Source: found by reading this code, 2026, when periods were first left open.
    """
    book.approve(OPEN, source="mine")
    assert not is_refused(book, OPEN.until("2026-W46"))
    for last in ("2026-W46", "2026-11-15", dt.date(2026, 11, 9)):
        assert is_refused(book, OPEN.until(last), OTHER)
    assert not is_refused(book, OPEN.until("2026-W45"), OTHER)
    (held, _) = book.account().releases.values()
    write_past(book, subject="2" * 32, told=held.said("charge"))
    with pytest.raises(LedgerFailed, match="entry 4"):
        book.account()


def test_38_no_period_is_released_before_it_has_begun(book: Ledger) -> None:
    """What an approval admits grows with time, not with what somebody asks.

    Source: found by reading this code, 2026, when periods were first left open.
    """
    book.approve(OPEN, source="mine")
    assert is_refused(book, OPEN.until("2026-W48"))
    assert is_refused(book, OPEN.until("2062-W46"))
    assert not is_refused(book, OPEN.until("2026-W47"))


def test_38_a_wrong_clock_of_another_line_begins_no_period(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line of 2031 would open hundreds of weeks to everybody else.

    Source: found by an independent attack on this code, 2026.
    """
    book.approve(OPEN, source="mine")
    monkeypatch.setattr(room, "time_now", lambda: "2031-06-01T00:00:00Z")
    book.approve(plan_of("0.2"), source="mine")
    monkeypatch.setattr(room, "time_now", lambda: "2026-11-16T12:00:00Z")
    assert is_refused(book, OPEN.until("2031-W10"))
    assert not is_refused(book, OPEN.until("2026-W46"))
    (held,) = book.account().releases.values()
    told = {**held.said("charge"), "fixed": "0" * 64, "last": "2031-03-03"}
    write_past(book, subject=OTHER, told=told)
    with pytest.raises(LedgerFailed, match="entry 4"):
        book.account()


def test_38_a_period_has_one_name_in_the_ledger(book: Ledger) -> None:
    """A week that is named by each of its days would be released seven times.

    Source: found by an independent attack on this code, 2026.
    """
    book.approve(OPEN, source="mine")
    fixed = OPEN.until("2026-W46")
    assert not is_refused(book, fixed)
    (held,) = book.account().releases.values()
    told = {**held.said("charge"), "fixed": "0" * 64, "last": "2026-11-10"}
    write_past(book, subject=OTHER, told=told)
    with pytest.raises(LedgerFailed, match="entry 3"):
        book.account()
    weeks = WEEKS.until("2026-W46")
    object.__setattr__(weeks, "last", dt.date(2026, 11, 10))
    groups = Groups.cross(weeks)
    with pytest.raises(PlanRefused, match="named by its first day"):
        price(replace(fixed, partitions=(groups,)))


def test_38_nothing_but_the_last_period_differs_from_what_was_approved(
    book: Ledger,
) -> None:
    """An open study is no way to other columns, periods, bounds or prices.

    Source: issue 23, point 5.
    """
    book.approve(OPEN, source="mine")
    others = [
        plan_of("0.2", groups=WEEKS),
        plan_of(groups=WEEKS, strategy="even"),
        plan_of(groups=[WEEKS, None]),
        plan_of(groups=Periods("seen", "week", "2026-10-19", "open")),
        plan_of(groups=Periods("paid", "week", "2026-10-26", "open")),
        plan_of(groups=Periods("seen", "day", "2026-10-26", "open")),
    ]
    for plan in others:
        assert is_refused(book, plan.until("2026-11-09"))
    closed = plan_of(groups=Periods("seen", "week", "2026-10-26", "2026-11-09"))
    assert is_refused(book, closed)
    with pytest.raises(LedgerRefused, match="another source"):
        book.charge(ID, OPEN.until("2026-W46"), source=named_source("other"))
    assert not is_refused(book, OPEN.until("2026-W46"))


def test_38_a_fixed_study_is_not_approved_as_a_growing_one(book: Ledger) -> None:
    """Who approves one week of it has not approved all weeks, nor the other way.

    Source: found by reading this code, 2026, when periods were first left open.
    """
    with pytest.raises(InvalidInput, match="approved as it is open"):
        book.approve(OPEN.until("2026-W46"), source="mine")
    closed = plan_of(groups=Periods("seen", "week", "2026-10-26", "2026-11-09"))
    book.approve(closed, source="mine")
    assert is_refused(book, OPEN.until("2026-W46"))
    assert not is_refused(book, closed)
    (held,) = book.account().releases.values()
    told = {**held.said("charge"), "fixed": "0" * 64, "last": "2026-11-09"}
    write_past(book, subject=OTHER, told=told)
    with pytest.raises(LedgerFailed, match="entry 3"):
        book.account()


def test_38_a_charge_goes_on_for_its_own_last_period(book: Ledger) -> None:
    """An id that was charged and stopped is no way to another period.

    Source: found by reading this code, 2026, when periods were first left open.
    """
    book.approve(OPEN, source="mine")
    book.charge(ID, OPEN.until("2026-W45"), source=MINE)
    for last in ("2026-W46", "2026-W44"):
        with pytest.raises(LedgerRefused, match="belongs to another plan"):
            release_sums(
                DATED, OPEN, ledger=book, last=last, source="mine", release_id=ID
            )
    release = release_sums(DATED, OPEN, ledger=book, source="mine", release_id=ID)
    assert release.plan == OPEN.until("2026-W45")
    assert book.account().spent.loss == OPEN.epsilon


def test_38_a_part_of_a_period_is_not_the_whole(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of November, drawn on the 17th, is not given for November in December.

    Source: found by an independent attack on this code, 2026.
    """
    book.approve(OPEN, source="mine")
    monkeypatch.setattr(growing, "day_now", lambda: dt.date(2026, 11, 16))
    part = release_sums(DATED, OPEN, ledger=book, source="mine", last="2026-W47")
    monkeypatch.setattr(growing, "day_now", lambda: dt.date(2026, 11, 22))
    with pytest.warns(GivenAgain):
        release_sums(DATED, OPEN, ledger=book, source="mine", last="2026-W47")
    monkeypatch.setattr(growing, "day_now", lambda: dt.date(2026, 11, 23))
    for last in ("2026-W47", None):
        with pytest.raises(LedgerRefused, match=f"{part.id} was drawn on 2026-11-16"):
            release_sums(DATED, OPEN, ledger=book, source="mine", last=last)
    assert book.account().spent.loss == OPEN.epsilon
