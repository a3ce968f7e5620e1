"""What a database says when it stops is not repeated: it may quote a cell."""

import logging
from pathlib import Path

import pytest

from curator.postgres_host import Postgres
from curator.tables_for_tests import plan_of, said_by
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed
from dpratio.terms.budget import Budget
from dpratio.terms.source import DatabaseTable

CANARY = "canary-0042"
ID = "0" * 32

# Columns that PostgreSQL works out when they are read, and that stop at one cell: it
# quotes that in its words.
STOPPING = {
    "text as a number": "note::float8",
    "a division": "1 / (label - 1)",
    "a regular expression": "regexp_count('a', note)",
}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(Scope("loans", Budget(2, "1e-5")))
    return made


def stopping(postgres: Postgres, computed: str) -> DatabaseTable:
    name = postgres.create(
        "(note text, label int, region text, "
        f"score float8 GENERATED ALWAYS AS ({computed}) VIRTUAL)"
    )
    postgres.connection.execute(
        f"INSERT INTO {name} VALUES (%s, 1, %s), ('0.5', 0, 'a')".encode(),  # noqa: S608
        [f"{CANARY}(", CANARY],
    )
    return DatabaseTable(postgres.url, table=name)


@pytest.mark.parametrize("what", STOPPING)
def test_an_error_of_the_server_reaches_no_message_and_is_charged_once(
    what: str,
    postgres: Postgres,
    ledger: Ledger,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = stopping(postgres, STOPPING[what])
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


def test_a_release_says_nothing_of_what_it_read(
    postgres: Postgres,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    import pyarrow as pa

    columns = {"score": [0.5, 9.0], "label": [1, 0], "region": [CANARY, "a"]}
    rows = postgres.table(pa.table(columns))
    capfd.readouterr()
    with caplog.at_level(logging.DEBUG):
        release = release_sums(rows, plan_of(keys=["a", "b"]), ledger=None)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    assert "canary" not in caplog.text + repr(release)
