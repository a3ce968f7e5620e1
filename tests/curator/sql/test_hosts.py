"""Which hosts a study may lead to, and which of them are told a password."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dpratio.curator.sql.connect import (
    HOSTS,
    open_database,
    require_listed,
    withheld,
)
from dpratio.errors import FileRefused
from dpratio.terms.source import DatabaseTable
from hostile_server import HostileServer, hostile_server

# On most systems this address leads to this machine, and dpratio does not know it.
ELSEWHERE = "0.0.0.0"  # noqa: S104 (nothing listens there)


def table_at(url: str) -> DatabaseTable:
    return DatabaseTable(url, table="loans")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    """A server that asks for passwords, and an environment that has some."""
    monkeypatch.delenv(HOSTS, raising=False)
    monkeypatch.setenv("PGPASSWORD", "of the environment")
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "60")
    passwords = tmp_path / "passwords"
    passwords.write_text("*:*:*:*:of a file\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    services = tmp_path / "services"
    services.write_text("[loans]\npassword=of a service\n")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    with hostile_server() as made:
        yield made


def heard_by(server: HostileServer, url: str) -> bytes:
    with pytest.raises(FileRefused, match="no database answers at"):
        open_database(table_at(url))
    return b"".join(server.heard)


@pytest.mark.parametrize("options", ["", "?service=loans", "?password="])
@pytest.mark.parametrize("without", ["", "PGPASSWORD"])
def test_no_password_of_the_environment_goes_to_a_host_that_is_not_listed(
    options: str,
    without: str,
    server: HostileServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if without:
        monkeypatch.delenv(without)
    url = f"postgres://ann@{ELSEWHERE}:{server.port}/loans{options}"
    assert b"of " not in heard_by(server, url)
    assert server.visits > 0


@pytest.mark.parametrize(
    ("options", "without", "password"),
    [
        ("", "", b"of the environment"),
        ("", "PGPASSWORD", b"of a file"),
        ("?service=loans", "PGPASSWORD", b"of a service"),
    ],
)
def test_a_password_of_the_environment_goes_to_a_host_that_is_listed(
    options: str,
    without: str,
    password: bytes,
    server: HostileServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server of the test above hears what it is told."""
    if without:
        monkeypatch.delenv(without)
    monkeypatch.setenv(HOSTS, f"db.example.org, {ELSEWHERE}")
    url = f"postgres://ann@{ELSEWHERE}:{server.port}/loans{options}"
    assert password in heard_by(server, url)


def test_this_machine_and_the_study_itself_may_say_a_password(
    server: HostileServer,
) -> None:
    here = f"postgres://ann@127.0.0.1:{server.port}/loans"
    assert b"of the environment" in heard_by(server, here)
    server.heard.clear()
    written = f"postgres://ann:written@{ELSEWHERE}:{server.port}/loans"
    heard = heard_by(server, written)
    assert b"written" in heard
    assert b"of the" not in heard


def test_a_host_that_is_not_listed_is_not_even_called(
    server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOSTS, "db.example.org")
    url = f"postgres://ann:secret@127.0.0.1:{server.port}/loans"
    with pytest.raises(FileRefused) as refused:
        open_database(table_at(url))
    assert str(refused.value) == (
        "a study may connect to the hosts that DPRATIO_HOSTS lists, got "
        f"'postgres://127.0.0.1:{server.port}/loans'. Ask the data holder to add the "
        "host, or take DPRATIO_HOSTS out of the environment."
    )
    assert server.visits == 0


LISTED = " DB.example.org. ,10.0.0.7,fe80::1,"


@pytest.mark.parametrize(
    "url",
    [
        "postgres://db.example.org/loans",
        "postgresql://ann:secret@DB.EXAMPLE.ORG.:5433/loans",
        "postgres://db.example.org,10.0.0.7/loans",
        "postgres://db.example.org/loans?hostaddr=10.0.0.7",
        "postgres://[fe80::1]/loans",
        "postgres:///loans",  # As PGHOST says, or the service: the data holder's.
        "postgres:///loans?service=loans",
        "postgres://db.example.org:no port/loans",  # Leads nowhere at all.
        "spark://db.example.org:7077",
        "spark://db.example.org:7077,10.0.0.7:7077",
        "spark://db.example.org",
        "spark://local[*]",  # This machine, and what the data holder's settings name.
        "spark://yarn",
        "spark://active",
        "k8s://https://db.example.org:443",
        "duckdb:///loans.db",
    ],
)
def test_an_address_of_listed_hosts_passes(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOSTS, LISTED)
    require_listed(table_at(url))


OTHERS = [
    "postgres://evil.example.org/loans",
    "postgres://db.example.org,evil.example.org/loans",
    "postgres://db.example.org.evil/loans",
    "postgres://db.example.org@evil/loans",
    "postgres://db.example.org/loans?host=evil",
    "postgres://db.example.org/loans?hostaddr=10.6.6.6",
    "postgres://%65vil/loans",
    "postgres:///loans?host=evil",
    "postgres:///loans?service=loans&servicefile=here.conf",
    "postgres:///loans?service=loans&%73ervicefile=here.conf",
    "spark://evil:7077",
    "spark://db.example.org:7077,evil:7077",
    "k8s://https://evil:443",
]


@pytest.mark.parametrize("url", OTHERS)
@pytest.mark.parametrize("listed", [LISTED, "", "*", " , "])
def test_an_address_of_another_host_is_refused(
    url: str, listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOSTS, listed)
    with pytest.raises(FileRefused, match="hosts that DPRATIO_HOSTS lists"):
        require_listed(table_at(url))


@pytest.mark.parametrize("url", OTHERS)
def test_without_a_list_every_host_may_be_called(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(HOSTS, raising=False)
    require_listed(table_at(url))


@pytest.mark.parametrize(
    ("host", "is_here"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("[::1]", True),
        ("%2Fvar%2Frun", True),
        ("", True),
        ("localhost.evil", False),
        ("10.0.0.1", False),
        ("localhost,evil", False),
        ("evil", False),
    ],
)
def test_this_machine_is_known_by_its_names(
    host: str,
    is_here: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(HOSTS, raising=False)
    assert (withheld(table_at(f"postgres://{host}/loans")) == {}) == is_here


def test_an_address_that_did_not_answer_tells_where_passwords_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(HOSTS, raising=False)
    url = f"postgres://{ELSEWHERE}:1/loans"
    with pytest.raises(FileRefused) as refused:
        open_database(table_at(url))
    assert str(refused.value) == (
        f"no database answers at '{url}'. Check the address, and that you may read "
        "there. Passwords of the environment go to hosts that DPRATIO_HOSTS lists."
    )
