"""The real pooler in each of its modes: releases go through, or are refused clearly."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial

import psycopg
import pytest

from curator.ledger.attacks.asking import refusal, released
from curator.ledger.attacks.books import open_book
from curator.ledger.attacks.pgbouncer import pgbouncer
from curator.ledger.loans import CARDS, PLAN, SCOPE, TABLE
from curator.ledger.teams import team_at
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed
from dpratio.terms.budget import Budget

MODES = pytest.mark.parametrize("mode", ["session", "transaction"])


@MODES
def test_everything_is_done_in_sessions_that_are_shared(
    mode: str, postgres_url: str
) -> None:
    with pgbouncer(postgres_url, mode) as pooled:
        ledger = open_book(pooled)  # The tables are made here, too.
        first = released(ledger, 1)
        assert released(Ledger(pooled), 1) == first
        ledger.charge("f" * 32, PLAN)
        ledger.void("f" * 32)
        ledger.open_scope(CARDS)
        ledger.approve(PLAN, source="mine", scope="cards")
        assert verify_ledger(Ledger(pooled), [first]).wrong == ()
    assert verify_ledger(Ledger(postgres_url), [first]).wrong == ()


@MODES
def test_threads_that_share_a_ledger_wait_for_sessions(
    mode: str, postgres_url: str
) -> None:
    open_book(postgres_url, Scope("loans", Budget(2, "1e-6")))
    with pgbouncer(postgres_url, mode, sessions=2) as pooled:
        ledger = Ledger(pooled)

        def ask(number: int) -> str:
            return str(refusal(lambda: released(ledger, number)))

        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda number: released(ledger, number), range(20)))
            refused = list(pool.map(ask, range(20, 30)))
    assert len({each.id for each in done}) == 20
    assert all("epsilon 0 and" in each for each in refused)
    assert Ledger(postgres_url).account().spent.loss == Fraction(2)
    assert verify_ledger(Ledger(postgres_url), done).wrong == ()


@MODES
def test_what_others_left_in_a_session_is_refused_or_changes_nothing(
    mode: str, postgres_url: str
) -> None:
    open_book(postgres_url)
    with pgbouncer(postgres_url, mode) as pooled:
        for left in (
            "SET default_transaction_isolation TO serializable",
            "SET search_path TO pg_temp, dpratio",
            "SET lock_timeout TO '1ms'",
        ):
            with psycopg.connect(pooled, autocommit=True) as connection:
                connection.execute(left.encode())
        released(Ledger(pooled), 1)
        with psycopg.connect(pooled, autocommit=True) as connection:
            connection.execute("CREATE TEMPORARY TABLE entry (LIKE dpratio.entry)")
        said = refusal(lambda: released(Ledger(pooled), 2))
        assert said.startswith("this session holds temporary tables")
    assert Ledger(postgres_url).account().seq == 4


def test_a_pool_of_statements_is_refused_by_its_name(postgres_url: str) -> None:
    """Each statement may run in another session: nothing could be locked."""
    open_book(postgres_url)
    with pgbouncer(postgres_url, "statement") as pooled:
        for verb in (Ledger(pooled).scopes, lambda: released(Ledger(pooled), 1)):
            assert "statement pooling" in refusal(verb)
    assert Ledger(postgres_url).account().seq == 0


@MODES
def test_everyone_keeps_their_name_unless_the_pooler_takes_it(
    mode: str, postgres_url: str
) -> None:
    others = Scope("loans", SCOPE.budget, needs_approval=True, approvals_by_others=True)
    with team_at(postgres_url, others) as team:
        people = [team.person(role) for role in ("curator", "officer")]
        refused = partial(
            pytest.raises, LedgerFailed, match="this user may not do that"
        )
        with pgbouncer(postgres_url, mode, people=people) as pooled:
            curator, officer = (
                Ledger(pooled.replace("postgres@", f"{person}@")) for person in people
            )
            officer.approve(PLAN, source="loans")
            with refused():
                curator.approve(PLAN, source="loans")
            (given,) = team.ledger("reader").account().approved.values()
            assert given.entry.session == people[1]
            release_sums(TABLE, PLAN, ledger=curator, source="loans")
        one = pgbouncer(postgres_url, mode, as_user=people[0])
        with one as pooled, refused():
            Ledger(pooled).approve(PLAN, source="loans")
        assert verify_ledger(team.ledger("reader")).wrong == ()
