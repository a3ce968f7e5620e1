"""Signals at every stage of a release on PostgreSQL: nothing runs on, all is told."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from curator.stopped.stages import STAGES, WHILE_THE_QUERY_RUNS, surroundings
from dpratio.cli.studies import read_study, read_terms
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.release.files import read_release
from dpratio.release.release import id_of
from dpratio.terms.budget import Budget
from planned import question_text

NAME = "orders 2026-11"
ID = id_of(NAME)
ROLE = "stopped_reader"
CELL = 271828
LONGEST = 120.0
STUDY = """
[data]
url = "{url}"
table = "orders"
{question}
[privacy]
epsilon = 0.5
"""
ENDS = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -signal.SIGKILL}
NOTES = {
    "not charged": f"Release {ID} was not charged. Run it again.",
    "charged": (
        f"Release {ID} is charged, and no data were opened. Run it again under this "
        "id, for free."
    ),
    "opened": (
        f"Release {ID} stays charged: data were opened, and noise is drawn once for a "
        "charge. A new draw costs epsilon 0.5 and delta 0 and leaves epsilon 0 and "
        "delta 0 in scope 'orders'."
    ),
    "sealed": f"Release {ID} is sealed. Run it again under this id, for free.",
}
CASES = [
    *((stage, signal.SIGTERM) for stage in STAGES),
    (WHILE_THE_QUERY_RUNS, signal.SIGINT),
    ("charged", signal.SIGKILL),
    (WHILE_THE_QUERY_RUNS, signal.SIGKILL),
]


@pytest.fixture
def server(postgres_url: str) -> Iterator[psycopg.Connection[tuple[int]]]:
    """A table, and one who may read it."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            f"DO $$ BEGIN CREATE ROLE {ROLE} LOGIN; "
            "EXCEPTION WHEN duplicate_object THEN NULL; END $$"
        )
        connection.execute(
            "CREATE TABLE orders AS SELECT 0.5::float8 AS score, 1 AS label "
            "FROM generate_series(1, 300)"
        )
        connection.execute("INSERT INTO orders VALUES (%s, 1)", (CELL,))
        connection.execute(f"GRANT SELECT ON orders TO {ROLE}")
        yield connection


@contextmanager
def held_up(server: psycopg.Connection[tuple[int]], stage: str) -> Iterator[None]:
    """Let a query run until the end of the block: it waits for the table."""
    if stage != WHILE_THE_QUERY_RUNS:
        yield
        return
    # One of its own: within a transaction the server's activity is read once.
    with psycopg.connect(server.info.dsn) as locked:
        locked.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        Path("go").touch()
        wait_until(lambda: running(server) > 0)
        yield


@pytest.fixture
def folder(
    postgres_url: str,
    tmp_path: Path,
    server: psycopg.Connection[tuple[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """A study of the table, and a ledger."""
    assert not server.closed
    monkeypatch.chdir(tmp_path)
    parts = urlsplit(postgres_url)
    user = parts.username or ""
    url = postgres_url.replace(f"//{user}:", f"//{ROLE}:").replace(
        f"//{user}@", f"//{ROLE}@"
    )
    assert ROLE in url, postgres_url
    study = STUDY.format(url=url, question=question_text())
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    Ledger("dpratio.db").open_scope(Scope("orders", Budget(1)))
    return tmp_path


def started(stage: str) -> subprocess.Popen[str]:
    """Start a release that waits at a stage."""
    words = (
        "release",
        "study.toml",
        "-o",
        "r.json",
        "--id",
        NAME,
        "--format",
        "json",
        "-v",
    )
    command = [sys.executable, "-m", "curator.stopped.stages", stage, *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env=surroundings()
    )


def running(server: psycopg.Connection[tuple[int]]) -> int:
    """How many queries of the role run."""
    found = server.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = %s AND state <> 'idle'",
        (ROLE,),
    ).fetchone()
    assert found is not None
    return found[0]


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait patiently for something."""
    for _ in range(int(LONGEST / 0.1)):
        if is_so():
            return
        time.sleep(0.1)
    assert is_so()


@pytest.mark.parametrize(
    ("stage", "by"), CASES, ids=lambda each: getattr(each, "name", str(each))
)
def test_a_signal_leaves_nothing_running_and_says_where_the_release_stands(
    stage: str, by: signal.Signals, folder: Path, server: psycopg.Connection[tuple[int]]
) -> None:
    _, status = STAGES[stage]
    child = started(stage)
    wait_until(lambda: (folder / "reached").exists() or child.poll() is not None)
    with held_up(server, stage):
        child.send_signal(by)
        # A query that nobody cancels would wait for the table until the block ends.
        wait_until(lambda: running(server) == 0)
        out, error = child.communicate(timeout=LONGEST)
    assert child.returncode == ENDS[by], error
    assert str(CELL) not in out + error
    assert "Traceback" not in error
    if by != signal.SIGKILL:
        assert error.splitlines()[-1] == NOTES[status]
        line = json.loads(out)
        assert (line["id"], line["status"], line["exit_code"]) == (ID, status, ENDS[by])
    require_one_charge(folder, status)


def require_one_charge(folder: Path, status: str) -> None:
    """The same id again: it goes on for free, or is told what a new one costs."""
    study = folder / "study.toml"
    read, plan = read_study(study).data, read_terms(study)[1]
    book = Ledger("dpratio.db")
    again: dict[str, Any] = {"release_id": NAME, "out": folder / "again.json"}
    if status == "opened":
        with pytest.raises(LedgerRefused, match="A new draw costs epsilon"):
            release_sums(read, plan, ledger=book, **again)
    else:
        assert release_sums(read, plan, ledger=book, **again).id == ID
        assert read_release(folder / "again.json").id == ID
    assert book.account().spent.loss * 2 == 1
    assert list(book.account().releases) == [ID]
    assert not verify_ledger(book).wrong
