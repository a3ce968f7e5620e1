"""Signals while a query runs on MariaDB: it is ended there, and all is told."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from curator.stopped.stages import WHILE_THE_QUERY_RUNS
from curator.stopped.test_postgres import (
    CELL,
    ENDS,
    LONGEST,
    NOTES,
    STUDY,
    require_one_charge,
    started,
    wait_until,
)
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.terms.budget import Budget
from mariadb_server import connected, told
from planned import question_text


@pytest.fixture
def folder(mariadb_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study of a table that its reader may only read, and a ledger."""
    monkeypatch.chdir(tmp_path)
    reader = "stopped_reader"
    told(
        mariadb_url,
        "CREATE TABLE orders (score double, label int)",
        f"INSERT orders VALUES (0.5, 1), ({CELL}, 1)",  # noqa: S608
        f"CREATE OR REPLACE USER {reader}",
        f"GRANT SELECT ON orders TO {reader}",
    )
    url = mariadb_url.replace("root@", f"{reader}@")
    study = STUDY.format(url=url, question=question_text())
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    Ledger("dpratio.db").open_scope(Scope("orders", Budget(1)))
    return tmp_path


def running(url: str) -> int:
    """How many queries of the reader run."""
    with connected(url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM information_schema.processlist "
            "WHERE user = 'stopped_reader' AND command = 'Query'"
        )
        return int(cursor.fetchone()[0])


@contextmanager
def held_up(url: str) -> Iterator[None]:
    """Let a query run until the end of the block: it waits for the table."""
    with connected(url) as locked, locked.cursor() as cursor:
        cursor.execute("LOCK TABLES orders WRITE")
        Path("go").touch()
        wait_until(lambda: running(url) > 0)
        yield


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=lambda by: by.name)
def test_a_signal_ends_the_query_and_says_where_the_release_stands(
    by: signal.Signals, folder: Path, mariadb_url: str
) -> None:
    child = started(WHILE_THE_QUERY_RUNS)
    wait_until(lambda: (folder / "reached").exists() or child.poll() is not None)
    with held_up(mariadb_url):
        child.send_signal(by)
        # A query that nobody cancels would wait for the table until the block ends.
        wait_until(lambda: running(mariadb_url) == 0)
        out, error = child.communicate(timeout=LONGEST)
    assert child.returncode == ENDS[by], error
    assert str(CELL) not in out + error
    assert error.splitlines()[-1] == NOTES["opened"]
    require_one_charge(folder, "opened")
