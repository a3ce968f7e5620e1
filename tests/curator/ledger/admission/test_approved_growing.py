"""A growing study is approved once, and admitted once for each of its periods."""

from dataclasses import replace

import pytest

from curator.ledger.junk import write_past
from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, TABLE, plan_of
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.history import describe, describe_plan
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock as room
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.plan.plan import Plan
from dpratio.release.files import release_to_bytes
from dpratio.release.plan_file import plan_names
from dpratio.terms.dimensions import Periods
from dpratio.terms.source_description import SourceDescription

MINE = named_source("mine")
WEEKS = Periods("seen", "week", "2026-10-26", "open")
OPEN = plan_of(groups=WEEKS)
DATED = TABLE | {"seen": ["2026-11-03", "2026-11-10"]}


@pytest.fixture
def book(any_ledger: str, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.setattr(room, "time_now", lambda: "2026-11-16T12:00:00Z")
    made = Ledger(any_ledger)
    made.open_scope(replace(SCOPE, needs_approval=True))
    return made


def ask(book: Ledger, number: int, last: str, plan: Plan = OPEN) -> None:
    book.charge(f"{number:032x}", plan.until(last), source=MINE, by="ann")


def refusal(book: Ledger, last: str, plan: Plan = OPEN) -> str:
    before = book.account()
    with pytest.raises(LedgerRefused) as refused:
        ask(book, 99, last, plan)
    assert book.account() == before
    return str(refused.value)


def test_each_period_is_admitted_once_and_charged(book: Ledger) -> None:
    book.approve(OPEN, source="mine", by="olga")
    ask(book, 1, "2026-W45")
    ask(book, 2, "2026-W46")
    assert book.account().spent.loss == 2 * OPEN.epsilon
    said = refusal(book, "2026-11-11")
    assert said.endswith(
        ", line 1 of the ledger, admits one release for each week, and that of "
        "2026-11-09 was charged: ask for it again by its id. Ask for a new approval "
        "with `dpratio ledger approve`."
    )
    assert "admits no week that has not begun, as that of" in refusal(book, "2026-W48")
    # A charge that was given back was no release; one that goes on is the same.
    book.void(f"{2:032x}")
    ask(book, 3, "2026-W46")
    ask(book, 3, "2026-W46")
    # The officer may approve it once more, on the record.
    book.approve(OPEN, source="mine", by="olga")
    ask(book, 4, "2026-W46")
    assert [each.used for each in book.account().approved.values()] == [2, 1]
    assert describe(book.account())[-1].endswith("one release for each week, open.")


def test_the_cap_is_the_end(book: Ledger) -> None:
    book.approve(plan_of("0.4", groups=WEEKS), source="mine")
    plan = plan_of("0.4", groups=WEEKS)
    ask(book, 1, "2026-W44", plan)
    ask(book, 2, "2026-W45", plan)
    assert "has epsilon 0.2 and" in refusal(book, "2026-W46", plan)


def test_limits_of_an_approval_hold_too(book: Ledger) -> None:
    book.approve(OPEN, source="mine", most=1)
    ask(book, 1, "2026-W44")
    assert "was for 1 release" in refusal(book, "2026-W45")
    book.withdraw(1)
    book.void(f"{1:032x}")
    assert "was withdrawn on" in refusal(book, "2026-W45")


def test_nothing_but_the_last_period_may_differ(book: Ledger) -> None:
    book.approve(OPEN, source="mine")
    closed = plan_of(groups=Periods("seen", "week", "2026-10-26", "2026-11-09"))
    others = [
        plan_of("0.2", groups=WEEKS).until("2026-W46"),
        plan_of(groups=Periods("seen", "week", "2026-11-02", "open")).until("2026-W46"),
        plan_of(groups=Periods("made", "week", "2026-10-26", "open")).until("2026-W46"),
        plan_of(groups=Periods("seen", "day", "2026-10-26", "open")).until(
            "2026-11-09"
        ),
        closed,
        PLAN,
    ]
    for plan in others:
        with pytest.raises(LedgerRefused, match=r"is not\. Ask for"):
            book.charge(ID, plan, source=MINE)
    with pytest.raises(LedgerRefused, match="differs in: name"):
        book.charge(ID, OPEN.until("2026-W46"), source=named_source("other"))
    # Nor is an approval of fixed periods one of open periods.
    book.approve(closed, source="mine")
    assert "one release" not in describe(book.account())[-1]
    book.charge(ID, closed, source=MINE)
    book.charge(OTHER, OPEN.until("2026-W46"), source=MINE)
    named = [each.said("charge") for each in book.account().releases.values()]
    assert [each["approval"] for each in named] == list(book.account().approved)[::-1]


def test_a_growing_study_is_approved_as_it_is_open(book: Ledger) -> None:
    rule = "a growing study is approved as it is open, got 'a fixed one'"
    with pytest.raises(InvalidInput, match=rule):
        book.approve(OPEN.until("2026-W46"), source="mine")


@pytest.mark.parametrize(
    ("left_out", "changed"),
    [
        ((), {}),
        ((), {"last": "2026-11-23"}),
        ((), {"last": "0"}),
        (("fixed",), {"last": "2026-11-02"}),
        (("fixed", "last"), {}),
    ],
)
def test_lines_past_the_library_are_held_to_each_period(
    left_out: tuple[str, ...], changed: dict[str, str], book: Ledger
) -> None:
    """On a server too, whose own functions do not know of periods."""
    book.approve(OPEN, source="mine", by="olga")
    ask(book, 1, "2026-W46")
    (held,) = book.account().releases.values()
    said = {
        name: each for name, each in held.said("charge").items() if name not in left_out
    }
    write_past(book, subject=OTHER, told=said | changed)
    with pytest.raises(LedgerFailed, match="entry 3"):
        book.account()


def test_what_was_sealed_is_held_to_the_last_period_that_was_charged(
    book: Ledger,
) -> None:
    book.approve(OPEN, source="mine")
    release = release_sums(
        DATED, OPEN, ledger=book, last="2026-W46", source="mine", release_id=ID
    )
    assert not verify_ledger(book).wrong
    assert plan_names(release.plan)["last"] == "2026-11-09"
    other = OPEN.until("2026-W45")
    book.charge(OTHER, other, source=MINE)
    content = release_to_bytes(
        replace(release, id=OTHER, ledger_head=book.open(OTHER)), "json"
    )
    book.seal(OTHER, content, "json")
    (wrong,) = verify_ledger(book).wrong
    assert wrong.startswith(f"what was sealed as release {OTHER} is no release, or one")


def test_a_plan_that_grows_is_described_by_its_newest_period(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = SourceDescription(name="mine")
    book.approve(OPEN, source="mine")
    said = describe_plan(book.account(), OPEN, written)
    assert said == "This plan costs epsilon 0.1, delta 0: it fits 10 times."
    monkeypatch.setattr(room, "time_now", lambda: "2026-10-01T00:00:00Z")
    early = plan_of(groups=Periods("seen", "week", "2999-01-01", "open"))
    book.approve(early, source="mine")
    said = describe_plan(book.account(), early, written)
    assert "admits no week that has not begun, as that of 2998-12-31" in said
