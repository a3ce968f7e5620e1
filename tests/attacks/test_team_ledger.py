"""A ledger on a server: no session, role, isolation or owner's edit bends it."""

import psycopg
import pytest

from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of
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
