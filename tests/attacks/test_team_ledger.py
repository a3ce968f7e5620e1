"""A ledger on a server: no session, role, isolation or owner's edit bends it."""

from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.books import name_of, open_book, plan_of, run_script
from curator.ledger.attacks.spellings import SECRET, spellings
from curator.ledger.attacks.test_passwords import told_in_python
from curator.ledger.owner_edits import OWNER_EDITS
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.catalogue import changed_objects
from dpratio.curator.ledger.store.server import transaction
from dpratio.errors import InvalidInput, LedgerFailed
from dpratio.terms.budget import Budget

ONE = Scope("loans", Budget(1, "1e-6"))


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_30_the_isolation_that_a_server_is_set_to_does_not_matter(
    level: str, postgres_url: str
) -> None:
    """Under other isolation 23 of 24 releases at once failed, their charges stranded.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/attacks/test_isolation.py.
    """
    open_book(postgres_url, ONE)
    name = postgres_url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        said = (
            f"ALTER DATABASE \"{name}\" SET default_transaction_isolation TO '{level}'"
        )
        connection.execute(said.encode())
    said = run_script("racing", "charge", postgres_url, "", "8", "48")
    assert [each for one in said for each in one["failures"]] == []
    accepted = sum(len(one["accepted"]) for one in said)
    assert Ledger(postgres_url).account().seq == accepted > 0


def test_34_a_schema_that_was_changed_is_refused(postgres_url: str) -> None:
    """Trigger functions emptied, triggers recreated, tables unlogged, rules, views …

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/attacks/test_tampering_on_server.py.
    """
    ledger = open_book(postgres_url, ONE)
    undetected = []
    for name, edit in OWNER_EDITS.items():
        with transaction(Address(postgres_url), to_write=True) as connection:
            connection.execute(edit)
            if changed_objects(connection) == []:
                undetected.append(name)
            connection.rollback()
    assert undetected == []
    with psycopg.connect(postgres_url) as connection:
        connection.execute(OWNER_EDITS["trigger never"].encode())
    with pytest.raises(LedgerFailed, match="the tables of the ledger were changed"):
        ledger.charge(name_of(1), plan_of("0.1"))


def test_35_an_address_becomes_no_file_and_its_password_is_shown_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written a little otherwise, an address was a file: a new budget by that name.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/attacks/test_passwords.py.
    """
    monkeypatch.chdir(tmp_path)
    for address in spellings()[::4]:
        assert SECRET not in told_in_python(address)
        with pytest.raises((InvalidInput, LedgerFailed)):
            Ledger(address).open_scope(ONE)
    assert list(tmp_path.iterdir()) == []
