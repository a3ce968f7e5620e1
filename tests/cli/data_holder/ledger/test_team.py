"""`dpratio ledger roles` and `migrate`: who looks after a team's ledger."""

import uuid

import psycopg

from cli.commands_for_tests import Call
from dpratio.curator.ledger.store.server_roles import ROLES, roles_script


def test_the_script_of_roles_is_printed(call: Call) -> None:
    code, out, _ = call("ledger", "roles")
    assert code == 0
    assert out == roles_script("dpratio")
    assert out.startswith("BEGIN;\n")
    assert "GRANT SELECT ON ALL TABLES IN SCHEMA dpratio TO dpratio_curator" in out
    code, _, error = call("ledger", "roles", "--prefix", "a;b")
    assert code == 3
    assert "a prefix must be a plain name" in error


def test_the_roles_are_made_on_a_server(call: Call, postgres_url: str) -> None:
    prefix = f"t{uuid.uuid4().hex[:8]}"
    words = ("ledger", "roles", "--run", "--prefix", prefix, "--ledger", postgres_url)
    code, _, error = call(*words)
    assert code == 11
    assert "holds no ledger" in error
    assert call("ledger", "init", "--epsilon", "1", "--ledger", postgres_url)[0] == 0
    for _ in range(2):
        code, out, _ = call(*words)
        assert (code, out.startswith(f"The roles {prefix}_owner, ")) == (0, True)
    assert call("ledger", "verify", "--ledger", postgres_url)[0] == 0
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for role in ROLES:
            connection.execute(f"DROP OWNED BY {prefix}_{role} CASCADE".encode())
            connection.execute(f"DROP ROLE {prefix}_{role}".encode())


def test_a_file_has_no_roles_and_nothing_to_migrate(call: Call) -> None:
    assert call("ledger", "init", "--epsilon", "1")[0] == 0
    code, _, error = call("ledger", "roles", "--run")
    assert code == 10
    assert "a ledger in a file has no roles" in error
    code, out, _ = call("ledger", "migrate")
    assert (code, out) == (0, "The ledger is up to date; nothing was done.\n")


def test_a_ledger_of_today_is_not_migrated(call: Call, postgres_url: str) -> None:
    named = ("--ledger", postgres_url)
    assert call("ledger", "migrate", *named)[0] == 11
    assert call("ledger", "init", "--epsilon", "1", *named)[0] == 0
    code, out, _ = call("ledger", "migrate", *named)
    assert (code, out) == (0, "The ledger is up to date; nothing was done.\n")
