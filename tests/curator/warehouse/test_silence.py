"""What a database says when it stops is not repeated: it may quote a cell."""

import logging
from pathlib import Path
from typing import Any

import pytest

from curator.tables_for_tests import plan_of, said_by
from curator.warehouse.hosts import Host, Postgres
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed
from dpratio.terms.budget import Budget

CANARY = "canary-0042"
ID = "0" * 32

# Views that stop at one cell: PostgreSQL quotes it in its words.
STOPPING = {
    "text as a number": "SELECT note::float8 AS score, label, region FROM rows_kept",
    "a division": "SELECT 1 / (label - 1) AS score, label, region FROM rows_kept",
    "a date": "SELECT extract(day FROM note::date)::float8 AS score, label, region "
    "FROM rows_kept",
    "an error of its own": "SELECT shout(note) AS score, label, region FROM rows_kept",
}

SHOUT = """
CREATE OR REPLACE FUNCTION shout(note text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
  RAISE WARNING 'seen: %', note;
  RAISE EXCEPTION 'seen: %', note USING HINT = note, DETAIL = note;
END $$
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(Scope("loans", Budget(2, "1e-5")))
    return made


def view(postgres: Postgres, query: str) -> Any:  # noqa: ANN401
    connection = postgres.backend.con
    connection.rollback()
    connection.execute("DROP TABLE IF EXISTS rows_kept CASCADE")
    connection.execute(SHOUT)
    connection.execute("CREATE TABLE rows_kept (note text, label int, region text)")
    connection.execute(
        "INSERT INTO rows_kept VALUES (%s, 1, %s), ('0.5', 0, 'a')", [CANARY, CANARY]
    )
    connection.execute(f"CREATE VIEW rows_seen AS {query}".encode())
    connection.commit()
    return postgres.backend.table("rows_seen")


@pytest.mark.parametrize("what", STOPPING)
def test_an_error_of_the_server_reaches_no_message_and_is_charged_once(
    what: str,
    postgres: Postgres,
    ledger: Ledger,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = view(postgres, STOPPING[what])
    plan = plan_of(keys=["a", "b"])
    capfd.readouterr()
    with caplog.at_level(logging.DEBUG), pytest.raises(EngineFailed) as failed:
        release_sums(rows, plan, ledger=ledger, release_id=ID)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    assert "canary" not in caplog.text
    assert "canary" not in said_by(failed.value)
    account = ledger.account("loans")
    assert list(account.releases) == [ID]
    assert account.releases[ID].state == "opened"
    postgres.backend.con.rollback()


def test_a_release_says_nothing_of_what_it_read(
    host: Host,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    import pyarrow as pa

    columns = {"score": [0.5, 9.0], "label": [1, 0], "region": [CANARY, "a"]}
    rows = host.table(pa.table(columns))
    capfd.readouterr()
    with caplog.at_level(logging.DEBUG):
        release = release_sums(rows, plan_of(keys=["a", "b"]), ledger=None)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    assert "canary" not in caplog.text + repr(release)
