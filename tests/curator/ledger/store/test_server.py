"""A stopped client or server hangs nobody for longer than is stated."""

import os
import signal
import socket
from collections.abc import Iterator

import psycopg
import pytest

from curator.ledger.attacks.pooling import pooler
from curator.ledger.loans import ID, PLAN, SCOPE
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import server
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.server import ask, transaction
from dpratio.errors import LedgerFailed


@pytest.fixture
def ledger(postgres_url: str) -> Ledger:
    made = Ledger(postgres_url)
    made.open_scope(SCOPE)
    return made


@pytest.fixture
def backend(postgres_url: str) -> Iterator[list[int]]:
    """Processes of the server that a test stopped; they go on at its end."""
    stopped: list[int] = []
    yield stopped
    assert postgres_url
    for process in stopped:
        os.kill(process, signal.SIGCONT)


def test_a_server_that_stops_is_told_after_a_while(
    ledger: Ledger, backend: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask_a_stopped_server() -> None:
        with ledger.watch.store.writing() as tables:
            ((process,),) = tables.run("SELECT pg_backend_pid()", ())
            backend.append(int(str(process)))
            os.kill(backend[0], signal.SIGSTOP)
            monkeypatch.setattr(server, "_SILENCE", 3)
            tables.scope_names()

    with pytest.raises(LedgerFailed, match="the server cannot be reached"):
        ask_a_stopped_server()


def test_a_slow_answer_is_waited_for(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_INTERVAL", 0.01)
    with ledger.watch.store.reading() as tables:
        assert tables.run("SELECT 1 FROM pg_sleep(0.3)", ()) == [(1,)]


def test_a_client_that_stops_is_put_out_before_others_lose_patience(
    ledger: Ledger, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_IDLE_WRITER", "2s")

    def stop_halfway() -> None:
        with ledger.watch.store.writing() as tables:
            tables.scope("loans", to_write=True)
            Ledger(postgres_url).charge(ID, PLAN)  # It waits until the first is out.

    with pytest.raises(LedgerFailed):
        stop_halfway()
    assert ledger.account().seq == 1


def test_a_statement_has_its_time(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_STATEMENT", "50ms")
    with (
        pytest.raises(LedgerFailed, match="it took too long"),
        ledger.watch.store.reading() as tables,
    ):
        tables.run("SELECT pg_sleep(60)", ())


def test_a_door_that_nobody_answers_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_CONNECT", 2)  # The least that the driver takes.
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        store = PostgresStore(Address(f"postgresql://ann@127.0.0.1:{port}/db"))
        with pytest.raises(LedgerFailed, match="cannot be reached"), store.reading():
            pass


def test_limits_are_those_that_are_stated(postgres_url: str) -> None:
    """Others wait for a minute; who writes and stops is put out after half of it."""
    shown = "SELECT current_setting('{}')"
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    for to_write, idle in ((True, "30s"), (False, "10min")):
        with transaction(Address(postgres_url), to_write=to_write) as connection:
            found = [ask(connection, shown.format(name))[0][0] for name in names]
        assert found == ["1min", "90s", idle]


def test_a_commit_is_on_the_disk_before_it_is_told(postgres_url: str) -> None:
    """Whatever a pooled session was left with."""
    with pooler(postgres_url) as pooled:
        with psycopg.connect(pooled, autocommit=True) as connection:
            connection.execute("SET synchronous_commit TO off")
        with transaction(Address(pooled), to_write=True) as connection:
            assert ask(connection, "SHOW synchronous_commit") == [("on",)]


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ("SET session_replication_role TO replica", "this session runs as a replica"),
        ("CREATE TEMPORARY TABLE entry ()", "this session holds temporary tables"),
    ],
)
def test_a_session_that_cannot_be_trusted_is_refused(
    left: str, said: str, ledger: Ledger, postgres_url: str
) -> None:
    assert ledger.scopes() == ["loans"]
    with pooler(postgres_url) as pooled:
        with psycopg.connect(pooled, autocommit=True) as connection:
            connection.execute(left.encode())
        with pytest.raises(LedgerFailed, match=said):
            Ledger(pooled).scopes()
