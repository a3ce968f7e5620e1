"""One ledger shared by many threads: each is served, none is told what is not so."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from soak import IS_SOAK

RELEASES = 60 if IS_SOAK else 24


def test_threads_that_share_a_ledger_are_all_served(any_ledger: str) -> None:
    ledger = open_book(any_ledger)

    def release(number: int) -> str:
        given = release_sums(
            DATA,
            plan_of("0.1"),
            ledger=ledger,
            release_id=name_of(number),
        )
        ledger.account()
        return given.id

    numbers = range(1, RELEASES + 1)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(release, numbers)) == [name_of(each) for each in numbers]
    account = Ledger(any_ledger).account()
    assert account.spent.loss == RELEASES * Fraction(1, 10)
    assert account.seq == 4 * RELEASES
    assert verify_ledger(ledger).wrong == ()
