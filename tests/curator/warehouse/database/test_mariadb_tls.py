"""A server of MariaDB that cannot prove who it is, is not told a password."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pymysql
import pytest

from dpratio.curator.warehouse.database.mariadb_server import connect_server
from dpratio.curator.warehouse.open import open_warehouse
from dpratio.errors import FileRefused, InvalidInput
from dpratio.terms.database import DatabaseTable
from mariadb_server import Secured

_KNOWS_TLS = 0x0800  # CLIENT_SSL among the lower capabilities of a greeting


def table_at(url: str, authority: object) -> DatabaseTable:
    return DatabaseTable(f"{url}?ssl_ca={authority}", table="loans")


@contextmanager
def relay(url: str, *, hides_tls: bool) -> Iterator[tuple[str, list[bytes]]]:
    """Stand between: pass everything on, and keep what the client says."""
    parts, heard = urlsplit(url), list[bytes]()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def stand_between() -> None:
            with suppress(OSError):
                near, _ = listening.accept()
                far = socket.create_connection((parts.hostname, parts.port))
                with near, far:
                    greeting = bytearray(far.recv(4096))
                    at = greeting.index(0, 5) + 1 + 4 + 8 + 1
                    if hides_tls:
                        greeting[at + 1] &= ~(_KNOWS_TLS >> 8)
                    near.sendall(greeting)
                    back = threading.Thread(target=pass_on, args=(far, near, None))
                    back.start()
                    pass_on(near, far, heard)
                    back.join()

        def pass_on(
            source: socket.socket, target: socket.socket, kept: list[bytes] | None
        ) -> None:
            with suppress(OSError):
                while said := source.recv(4096):
                    if kept is not None:
                        kept.append(said)
                    target.sendall(said)
            with suppress(OSError):
                target.shutdown(socket.SHUT_WR)

        between = threading.Thread(target=stand_between)
        between.start()
        yield url.replace(f":{parts.port}/", f":{port}/"), heard
    between.join(60)
    assert not between.is_alive()


def test_a_server_that_its_authority_vouches_for_is_read(
    mariadb_secured: Secured,
) -> None:
    with relay(mariadb_secured.url, hides_tls=False) as (url, heard):
        server = connect_server(table_at(url, mariadb_secured.authority))
        [(_, cipher)] = server.rows("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
        assert cipher
        server.con.close()
    assert b"reader" not in b"".join(heard)
    assert open_warehouse(table_at(mariadb_secured.url, mariadb_secured.authority))


def test_the_certificate_of_another_authority_is_refused(
    mariadb_secured: Secured,
) -> None:
    with (
        relay(mariadb_secured.url, hides_tls=False) as (url, heard),
        pytest.raises(FileRefused, match="no database answers at"),
    ):
        open_warehouse(table_at(url, mariadb_secured.other))
    assert heard
    assert b"reader" not in b"".join(heard)


def test_the_certificate_of_another_name_is_refused(mariadb_secured: Secured) -> None:
    url = mariadb_secured.url.replace("127.0.0.1", "localhost")
    with pytest.raises(FileRefused, match="no database answers at"):
        open_warehouse(table_at(url, mariadb_secured.authority))


def test_a_server_that_says_it_knows_no_tls_is_told_nothing(
    mariadb_secured: Secured,
) -> None:
    """Whoever stands between can take that word out of its greeting."""
    with (
        relay(mariadb_secured.url, hides_tls=True) as (url, heard),
        pytest.raises(FileRefused, match="no database answers at"),
    ):
        open_warehouse(table_at(url, mariadb_secured.authority))
    assert b"".join(heard) == b""


def test_an_old_driver_which_would_go_on_in_the_clear_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pymysql, "VERSION", (1, 1, 3, "final"))
    monkeypatch.setattr(pymysql, "connect", None)
    table = table_at("mariadb://ann:secret@127.0.0.1:1/loans", "/a.pem")
    with pytest.raises(InvalidInput, match=r"TLS needs PyMySQL 1\.2 or newer"):
        connect_server(table)
