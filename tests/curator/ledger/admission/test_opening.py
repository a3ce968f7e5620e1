"""A scope that was opened by mistake is closed, on the record, while nobody used it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest

from curator.ledger.loans import CARDS, ID, PLAN, SCOPE, bring
from curator.ledger.teams import team_at
from dpratio.curator.ledger.account.entry import link
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.history import describe
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.recover import recover_ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget

USES: dict[str, Callable[[Ledger], object]] = {
    "a charge": lambda book: bring(book, "charge"),
    "a charge that was given back": lambda book: bring(book, "void"),
    "an approval": lambda book: book.approve(PLAN, source="mine"),
    "an approval that was withdrawn": lambda book: (
        book.approve(PLAN, source="mine"),
        book.withdraw(1),
    ),
    "an allowed source": lambda book: book.allow_source("mine"),
    "lost lines": lambda book: recover_ledger(
        book, by="olga", why="lost", everything=True
    ),
}


def test_a_scope_that_nobody_used_is_closed_for_good(ledger: Ledger) -> None:
    ledger.open_scope(CARDS)
    ledger.close_scope("cards", by="olga")
    account = ledger.account("cards")
    assert account.ended is not None
    assert account.ended.said == {"by": "olga", "why": "opened by mistake"}
    for verb in (
        lambda: ledger.charge(ID, PLAN, scope="cards"),
        lambda: ledger.approve(PLAN, source="mine", scope="cards"),
        lambda: ledger.allow_source("mine", scope="cards"),
    ):
        with pytest.raises(LedgerRefused, match=r"'cards' was closed on 20.* by olga"):
            verb()
    assert ledger.account("cards").seq == 1


def test_closed_again_nothing_changes(ledger: Ledger) -> None:
    ledger.close_scope("loans")
    ledger.close_scope("loans", why="once more")
    assert ledger.account().seq == 1


def test_the_one_that_is_left_need_not_be_named(ledger: Ledger) -> None:
    ledger.open_scope(CARDS)
    ledger.close_scope("cards")
    assert ledger.account().scope == SCOPE
    ledger.charge(ID, PLAN)
    assert ledger.account("loans").seq == 1
    assert ledger.scopes() == ["cards", "loans"]


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_scope_that_somebody_used_stays(
    use: Callable[[Ledger], object], file_ledger: Ledger
) -> None:
    use(file_ledger)
    before = file_ledger.account()
    with pytest.raises(LedgerRefused, match="scope 'loans' is in use"):
        file_ledger.close_scope("loans")
    assert file_ledger.account() == before


def test_a_name_is_not_used_again(ledger: Ledger) -> None:
    ledger.close_scope("loans")
    for again in (SCOPE, Scope("loans", Budget(3))):
        with pytest.raises(LedgerRefused, match="its name stays taken"):
            ledger.open_scope(again)
    assert ledger.open_scope(CARDS).scope == CARDS


@pytest.mark.parametrize(
    ("scope", "options", "rule"),
    [
        ("loans", {"why": " "}, "closed for a reason"),
        ("loans", {"why": 7}, "why"),
        ("loans", {"by": 7}, "by"),
        (None, {}, "scope must be a name"),
    ],
)
def test_who_and_why_are_words(
    scope: str, options: dict[str, str], rule: str, file_ledger: Ledger
) -> None:
    with pytest.raises(InvalidInput, match=rule):
        file_ledger.close_scope(scope, **options)
    with pytest.raises(LedgerRefused, match="there is no scope 'savings'"):
        file_ledger.close_scope("savings")
    assert file_ledger.account().seq == 0


def test_history_and_verify_say_that_it_is_closed(ledger: Ledger) -> None:
    ledger.close_scope("loans", why="epsilon was 30", by="olga")
    words = "by olga"
    assert words in describe(ledger.account())[-1]
    assert "Closed for good: scope 'loans'" in describe(ledger.account())[-1]
    found = verify_ledger(ledger)
    assert not found.wrong
    assert "epsilon was 30. Nothing was charged to it." in found.notes[0]


@pytest.mark.parametrize(
    ("first", "kind", "event"),
    [
        (
            lambda book: book.close_scope("loans"),
            "closed",
            {"by": "olga", "why": "again"},
        ),
        (lambda book: bring(book, "charge"), "closed", {"by": "olga", "why": "mine"}),
    ],
)
def test_nothing_follows_it_and_it_follows_no_use(
    first: Callable[[Ledger], object],
    kind: str,
    event: dict[str, str],
    file_ledger: Ledger,
) -> None:
    first(file_ledger)
    before = file_ledger.account()
    subject = subject_of(event, 2)
    line = link(before.last, time=before.time, subject=subject, kind=kind, event=event)
    with file_ledger.watch.store.writing() as tables:
        tables.add_entry(line)
    with pytest.raises(LedgerFailed, match="entry 2 of scope 'loans'"):
        Ledger(file_ledger.watch.store.path).account()  # type: ignore[union-attr]


def test_on_a_server_the_owner_alone_closes(postgres_url: str) -> None:
    with team_at(postgres_url, CARDS) as team:
        for role in ("curator", "officer", "reader"):
            with pytest.raises(LedgerFailed, match="this user may not do that"):
                team.ledger(role).close_scope("cards")
        team.ledger("owner").close_scope("cards", by="olga")
        assert team.ledger("reader").account("cards").ended is not None


def test_of_a_charge_and_a_closing_at_once_one_wins(any_ledger: str) -> None:
    charging, closing = Ledger(any_ledger), Ledger(any_ledger)
    names = [f"{word} {number}" for number in range(4) for word in ("day", "night")]
    for at, name in enumerate(names):
        charging.open_scope(Scope(name, Budget(1)))
        start = Barrier(2)

        def told(verb: Callable[[], object], start: Barrier = start) -> bool:
            start.wait()
            try:
                verb()
            except LedgerRefused:
                return False
            return True

        charge = partial(charging.charge, f"{at:032x}", PLAN, scope=name)
        close = partial(closing.close_scope, name)
        with ThreadPoolExecutor(2) as pool:
            charged, closed = pool.submit(told, charge), pool.submit(told, close)
            won = (charged.result(), closed.result())
        account = Ledger(any_ledger).account(name)
        assert sorted(won) == [False, True]
        assert (bool(account.releases), account.ended is not None) == won
        assert account.seq == 1
    assert not verify_ledger(Ledger(any_ledger)).wrong
