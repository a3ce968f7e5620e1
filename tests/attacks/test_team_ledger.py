"""A ledger on a server: no session, role, isolation or owner's edit bends it."""

import psycopg
import pytest

from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of, run_script
from curator.ledger.attacks.pooling import pooler
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.scope import Scope
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget

ONE = Scope("loans", Budget(1, "1e-6"))


def ask_thrice(address: str) -> list[str]:
    """Ask for the whole budget three times; say what became of each."""
    outcomes = []
    for number in (1, 2, 3):
        try:
            release_sums(
                DATA,
                plan_of("1"),
                ledger=Ledger(address),
                release_id=name_of(number),
                engine="python",
            )
            outcomes.append("released")
        except (LedgerRefused, LedgerFailed) as error:
            outcomes.append(str(error).split()[0])
    return outcomes


TABLES_IN_FRONT = (
    "CREATE TEMPORARY TABLE entry (LIKE dpratio.entry INCLUDING ALL);"
    "CREATE TEMPORARY TABLE artifact (LIKE dpratio.artifact INCLUDING ALL)"
)
EQUALS_NOTHING = (
    "CREATE SCHEMA decoy; CREATE FUNCTION decoy.same(text, text) RETURNS bool LANGUAGE "
    "sql AS 'SELECT false'; CREATE OPERATOR decoy.= (LEFTARG = text, RIGHTARG = text, "
    "FUNCTION = decoy.same); SET search_path TO decoy, dpratio, pg_catalog"
)
ASLEEP = "SET session_replication_role TO replica"


@pytest.mark.parametrize(
    ("left", "outcomes"),
    [
        (TABLES_IN_FRONT, ["this", "this", "this"]),
        (EQUALS_NOTHING, ["released", "scope", "scope"]),
        (ASLEEP, ["this", "this", "this"]),
    ],
)
def test_30_a_session_that_others_left_changed_spends_no_more(
    left: str, outcomes: list[str], postgres_url: str
) -> None:
    """Temporary tables of a pooled session once took three budgets in place of one.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/attacks/test_pooled_sessions.py.
    """
    open_book(postgres_url, ONE)
    with pooler(postgres_url) as pooled:
        with psycopg.connect(pooled, autocommit=True) as connection:
            connection.execute(left.encode())
        assert ask_thrice(pooled) == outcomes
    assert Ledger(postgres_url).account().spent.loss == outcomes.count("released")


def test_30_an_older_state_is_no_old_copy_and_an_old_copy_is(
    postgres_url: str,
) -> None:
    """A reader's state was once held against what another thread had seen since.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/attacks/test_threads.py.
    """
    ledger = open_book(postgres_url, ONE)
    ledger.charge(name_of(1), plan_of("0.1"))
    with ledger.watch.reading() as watched:
        ledger.charge(name_of(2), plan_of("0.1"))
        assert watched.follow("loans").seq == 1
    assert ledger.watch.seen["loans"].seq == 2
    with psycopg.connect(postgres_url) as connection:
        connection.execute("ALTER TABLE dpratio.entry DISABLE TRIGGER USER")
        connection.execute("DELETE FROM dpratio.entry WHERE seq = 2")
        connection.execute("ALTER TABLE dpratio.entry ENABLE TRIGGER USER")
    with pytest.raises(LedgerFailed, match="older than what was seen"):
        ledger.account()


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_30_the_isolation_that_a_server_is_set_to_does_not_matter(
    level: str, postgres_url: str
) -> None:
    """Under other isolation 23 of 24 releases at once failed, their charges stranded.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/attacks/test_isolation.py.
    """
    open_book(postgres_url, ONE)
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        said = (
            f"ALTER DATABASE \"{name}\" SET default_transaction_isolation TO '{level}'"
        )
        connection.execute(said.encode())
    said = run_script("racing", "charge", postgres_url, "", "8", "48")
    assert [each for one in said for each in one["failures"]] == []
    accepted = sum(len(one["accepted"]) for one in said)
    assert Ledger(postgres_url).account().seq == accepted > 0
