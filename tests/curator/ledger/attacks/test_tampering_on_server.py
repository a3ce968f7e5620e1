"""A ledger on a server that was edited says so, even where triggers are off."""

from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.books import name_of, open_book, plan_of
from curator.ledger.attacks.tampering import judge, truth_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE entry SET loss = '0/1' WHERE seq = 1",
        "UPDATE entry SET kind = 'void' WHERE seq = 2",
        "DELETE FROM entry WHERE seq = 3",
        "DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)",
        "UPDATE scope SET document = replace(document, '\"1000\"', '\"2000\"')",
        "UPDATE artifact SET content = 'other'",
        "DELETE FROM artifact",
        "INSERT INTO artifact VALUES ('more', 'more', 'more')",
        "UPDATE ledger SET version = 2",
    ],
)
def test_an_edit_on_a_server_is_detected(
    postgres_url: str, tmp_path: Path, edit: str
) -> None:
    anchor = tmp_path / "heads"
    ledger = open_book(postgres_url, anchor=anchor)
    for number in (1, 2):
        ledger.charge(name_of(number), plan_of("0.1"))
        ledger.open(name_of(number))
        ledger.seal(name_of(number), b"bytes", "json")
    truth = truth_of(Ledger(postgres_url, anchor=anchor))
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET session_replication_role = replica")  # Triggers off.
        connection.execute("SET search_path TO dpratio")
        assert connection.execute(edit.encode()).rowcount > 0
    assert judge(postgres_url, truth, anchor) == "detected"


@pytest.mark.parametrize(
    "edit",
    [
        "DROP TRIGGER entry_keeps_delete ON entry",
        "ALTER TABLE scope DISABLE TRIGGER scope_keeps_update",
        "ALTER TABLE artifact DISABLE TRIGGER ALL",
        "DROP FUNCTION refuse_change CASCADE",
    ],
)
def test_triggers_of_a_server_that_are_gone_are_noticed(
    postgres_url: str, edit: str
) -> None:
    ledger = open_book(postgres_url)
    assert verify_ledger(ledger).wrong == ()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET search_path TO dpratio")
        connection.execute(edit.encode())
    assert "triggers" in " ".join(verify_ledger(ledger).wrong)
