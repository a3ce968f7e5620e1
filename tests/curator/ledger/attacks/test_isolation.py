"""Whatever isolation a server is set to, releases at once are served in turn."""

import threading
import time
from fractions import Fraction

import psycopg
import pytest

from curator.ledger.attacks.asking import charge
from curator.ledger.attacks.books import open_book, run_script, total
from curator.ledger.attacks.pgbouncer import pgbouncer
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.terms.budget import Budget
from soak import IS_SOAK

ATTEMPTS = 1_700 if IS_SOAK else 60  # at each level, in each mode


@pytest.mark.parametrize("mode", ["session", "transaction"])
@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
def test_a_race_through_a_pooler_spends_no_more_than_the_cap(
    level: str, mode: str, postgres_url: str
) -> None:
    cap = Fraction(ATTEMPTS, 400)
    open_book(postgres_url, Scope("loans", Budget(cap, "1e-6")))
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        said = (
            f"ALTER DATABASE \"{name}\" SET default_transaction_isolation TO '{level}'"
        )
        connection.execute(said.encode())
    with pgbouncer(postgres_url, mode, sessions=4) as pooled:
        said = run_script("racing", "charge", pooled, "", "12", str(ATTEMPTS))
    assert [each for one in said for each in one["failures"]] == []
    accepted = {name: cost for one in said for name, cost in one["accepted"].items()}
    account = Ledger(postgres_url).account()
    assert set(account.releases) == set(accepted)
    assert account.spent.loss == total(list(accepted.values())) <= cap
    assert verify_ledger(Ledger(postgres_url)).wrong == ()
    print(f"{level}, {mode}: {ATTEMPTS} attempts, {len(accepted)} accepted")  # noqa: T201


def test_a_charge_that_a_deadlock_undid_is_made_again(postgres_url: str) -> None:
    """Ours holds its scope and waits for a table; theirs the other way round."""
    ledger = open_book(postgres_url)
    with psycopg.connect(postgres_url) as theirs:
        theirs.execute("SET LOCAL deadlock_timeout TO '1h'")  # The other one is undone.
        theirs.execute("LOCK TABLE dpratio.entry IN SHARE MODE")
        ours = threading.Thread(target=charge, args=(ledger, 1))
        ours.start()
        _wait_until_blocked(postgres_url)
        theirs.execute("SELECT * FROM dpratio.scope FOR UPDATE")
    ours.join()
    assert Ledger(postgres_url).account().seq == 1


def _wait_until_blocked(address: str) -> None:
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with psycopg.connect(address, autocommit=True) as connection:
        while connection.execute(query).fetchone() == (0,):
            time.sleep(0.02)
