"""Sessions that others used before: what they left behind does not bend the ledger."""

from fractions import Fraction

import psycopg
import pytest

from curator.ledger.attacks.asking import refusal
from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of
from curator.ledger.attacks.pooling import pooler
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget

ONE = Scope("loans", Budget(1, "1e-6"))


def leave(address: str, words: str) -> None:
    """Do something in the pooler's only session, and leave."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(words)


def spend(address: str, times: int) -> list[str]:
    """Ask for epsilon 1 so often; say what became of each."""
    outcomes = []
    for number in range(times):
        try:
            release_sums(
                DATA,
                plan_of("1"),
                ledger=Ledger(address),
                release_id=name_of(number + 1),
            )
            outcomes.append("released")
        except LedgerRefused:
            outcomes.append("refused")
        except LedgerFailed:
            outcomes.append("failed")
    return outcomes


SHADOWS = {
    "tables": (
        "CREATE TEMPORARY TABLE entry (LIKE dpratio.entry INCLUDING ALL);"
        "CREATE TEMPORARY TABLE artifact (LIKE dpratio.artifact INCLUDING ALL)"
    ),
    "a view": (
        "CREATE TEMPORARY VIEW entry AS SELECT * FROM dpratio.entry WHERE seq < 0"
    ),
    "a type": "CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (false)",
    "a function": (
        "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS "
        "'SELECT $1'"
    ),
    "an operator": (
        "CREATE FUNCTION public.same(text, text) RETURNS bool LANGUAGE sql AS "
        "'SELECT false'; CREATE OPERATOR pg_temp.= (LEFTARG = text, RIGHTARG = text,"
        " FUNCTION = public.same)"
    ),
}


@pytest.mark.parametrize("shadow", SHADOWS.values(), ids=SHADOWS)
def test_temporary_things_in_front_of_the_ledger_are_refused(
    shadow: str, postgres_url: str
) -> None:
    open_book(postgres_url, ONE)
    with pooler(postgres_url) as pooled:
        leave(pooled, f"{shadow}; SET search_path TO pg_temp, dpratio, pg_catalog")
        assert spend(pooled, 3) == ["failed"] * 3
        said = refusal(Ledger(pooled).scopes)
        assert said.startswith("this session holds temporary tables")
        leave(pooled, "DISCARD ALL")
        assert spend(pooled, 3) == ["released", "refused", "refused"]
    assert Ledger(postgres_url).account().spent.loss == 1


LEFT = {
    "a search path": (
        "CREATE SCHEMA decoy; CREATE TABLE decoy.entry (LIKE dpratio.entry INCLUDING "
        "ALL); CREATE TABLE decoy.artifact (LIKE dpratio.artifact INCLUDING ALL); "
        "CREATE FUNCTION decoy.to_regclass(text) RETURNS regclass LANGUAGE sql AS "
        "'SELECT NULL::regclass'; SET search_path TO decoy, dpratio, pg_catalog"
    ),
    "an operator elsewhere": (
        "CREATE SCHEMA decoy; CREATE FUNCTION decoy.same(text, text) RETURNS bool "
        "LANGUAGE sql AS 'SELECT false'; CREATE OPERATOR decoy.= (LEFTARG = text, "
        "RIGHTARG = text, FUNCTION = decoy.same); SET search_path TO decoy, pg_catalog"
    ),
    "serializable": "SET default_transaction_isolation TO serializable",
    "repeatable read": "SET default_transaction_isolation TO 'repeatable read'",
    "no patience": "SET lock_timeout TO '1ms'",
    "a role": "SET ROLE pg_monitor",
    "old strings": "SET standard_conforming_strings TO off",
    "null equals null": "SET transform_null_equals TO on",
    "another encoding": "SET client_encoding TO LATIN1",
    "quoted names": "SET quote_all_identifiers TO on",
    "a loose commit": "SET synchronous_commit TO off",
    "prepared statements": (
        "PREPARE _pg3_0 AS SELECT 1; PREPARE _pg3_1 AS SELECT 1; PREPARE x AS SELECT 1"
    ),
    "another clock": "SET TimeZone TO 'Pacific/Kiritimati'; SET bytea_output TO escape",
    "notices": "SET client_min_messages TO debug5; LISTEN everything",
}


@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT)
def test_settings_that_a_session_was_left_with_change_nothing(
    left: str, postgres_url: str
) -> None:
    open_book(postgres_url, ONE)
    with pooler(postgres_url) as pooled:
        leave(pooled, left)
        ledger = Ledger(pooled)
        half = plan_of("1/2")
        for number in (1, 2):
            release_sums(DATA, half, ledger=ledger, release_id=name_of(number))
        with pytest.raises(LedgerRefused, match="epsilon 0 and"):
            release_sums(DATA, half, ledger=Ledger(pooled))
        assert ledger.account().spent.loss == Fraction(1)
        assert verify_ledger(Ledger(pooled)).wrong == ()
        # And the session is given back as it was.
        with psycopg.connect(pooled) as connection:
            found = connection.execute("SHOW search_path").fetchone()
            assert found != ("pg_catalog, pg_temp",)
    assert verify_ledger(Ledger(postgres_url)).wrong == ()


def test_a_session_whose_triggers_sleep_is_refused(postgres_url: str) -> None:
    open_book(postgres_url, ONE)
    with pooler(postgres_url) as pooled:
        leave(pooled, "SET session_replication_role TO replica")
        assert spend(pooled, 1) == ["failed"]
        assert "runs as a replica" in refusal(Ledger(pooled).account)
