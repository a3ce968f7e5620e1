"""Each role may do what it is for, and nothing else."""

from collections.abc import Callable, Iterator
from functools import partial

import psycopg
import pytest

from curator.ledger.loans import CARDS, ID, OTHER, PLAN, SCOPE, bring, wrong_in
from curator.ledger.teams import Team, team_at
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.server_roles import make_roles, roles_script
from dpratio.errors import InvalidInput, LedgerFailed


@pytest.fixture
def team(postgres_url: str) -> Iterator[Team]:
    with team_at(postgres_url, SCOPE) as made:
        yield made


def may_not(verb: Callable[[], object]) -> bool:
    try:
        verb()
    except LedgerFailed as error:
        return "this user may not do that" in str(error)
    return False


def test_each_role_may_do_what_it_is_for_and_nothing_else(team: Team) -> None:
    owner, curator, officer, reader, stranger = (
        team.ledger(role)
        for role in ("owner", "curator", "officer", "reader", "stranger")
    )
    bring(curator, "published")
    curator.charge(OTHER, PLAN, by="ann")
    curator.void(OTHER)
    officer.approve(PLAN, source="loans", by="olga")
    owner.open_scope(CARDS)
    for ledger in (owner, curator, officer, reader):
        assert ledger.account("loans").seq == 7
        assert wrong_in(ledger) == ()
    charge = "2" * 32
    refused: list[Callable[[], object]] = [
        *(
            partial(each.charge, charge, PLAN, scope="loans")
            for each in (officer, reader, stranger)
        ),
        *(
            partial(each.approve, PLAN, source="loans", scope="loans")
            for each in (reader, stranger)
        ),
        *(
            partial(each.open_scope, SCOPE.__class__("more", SCOPE.budget))
            for each in (curator, officer, reader, stranger)
        ),
        stranger.scopes,
    ]
    assert [may_not(verb) for verb in refused] == [True] * len(refused)
    assert owner.account("loans").seq == 7


def test_only_an_officer_approves(team: Team) -> None:
    assert may_not(partial(team.ledger("curator").approve, PLAN, source="loans"))
    team.ledger("officer").approve(PLAN, source="loans")
    assert list(team.ledger("reader").account().approved)


def test_the_user_that_the_server_knows_is_written_beside_by(team: Team) -> None:
    team.ledger("curator").charge(ID, PLAN, by="somebody else")
    held = team.ledger("reader").account().releases[ID]
    person = team.person("curator")
    assert held.entries[0].session == person
    history = team.ledger("reader").history()
    assert history.columns()["by"] == [f"somebody else ({person})"]


PAST = (
    "INSERT INTO dpratio.entry SELECT * FROM dpratio.entry",
    "INSERT INTO dpratio.artifact VALUES ('a', 'b', 'c')",
    "INSERT INTO dpratio.scope VALUES ('a', 'b', 'c', '9/1', '9/1')",
    "INSERT INTO dpratio.ledger VALUES (3)",
    "UPDATE dpratio.scope SET name = 'other'",
    "UPDATE dpratio.scope SET loss = '9/1'",
    "DELETE FROM dpratio.entry",
    "TRUNCATE dpratio.entry",
    "ALTER TABLE dpratio.entry DISABLE TRIGGER ALL",
    "ALTER TABLE dpratio.entry SET UNLOGGED",
    "CREATE TABLE dpratio.more ()",
    "CREATE TRIGGER more BEFORE INSERT ON dpratio.entry EXECUTE FUNCTION x()",
    (
        "CREATE OR REPLACE FUNCTION dpratio.fits(p_spent text, p_cap text) RETURNS "
        "boolean LANGUAGE sql AS 'SELECT true'"
    ),
    "DROP FUNCTION dpratio.fits",
    "SELECT dpratio.enter('loans',1,'','','charge','0/1','0/1','{}','','')",
    "SET session_replication_role TO replica",
)


def test_nobody_goes_past_the_functions(team: Team) -> None:
    refused = (psycopg.errors.InsufficientPrivilege, psycopg.errors.RaiseException)
    for role in ("curator", "officer", "reader", "stranger"):
        with psycopg.connect(team.of(role), autocommit=True) as connection:
            for words in PAST:
                with pytest.raises(refused):
                    connection.execute(words.encode())


def test_the_owner_of_the_tables_cannot_log_in(team: Team) -> None:
    query = """SELECT DISTINCT rolcanlogin, rolname FROM pg_roles WHERE oid IN (
        SELECT relowner FROM pg_class WHERE relnamespace = 'dpratio'::regnamespace
        UNION SELECT proowner FROM pg_proc WHERE pronamespace = 'dpratio'::regnamespace)
    """
    with psycopg.connect(team.address) as connection:
        found = connection.execute(query).fetchall()
    assert found == [(False, f"{team.prefix}_owner")]
    with pytest.raises(LedgerFailed, match=r"cannot be reached|does not let"):
        Ledger(team.of("").replace("_person_", "_owner")).scopes()


@pytest.mark.parametrize("prefix", ["", "A", "1a", "a b", "a;", 'a"', "a" * 42, 5])
def test_a_prefix_must_be_a_plain_name(prefix: str) -> None:
    with pytest.raises(InvalidInput, match="a prefix must be a plain name"):
        roles_script(prefix)


def test_the_roles_can_be_made_from_here_and_are_the_same(team: Team) -> None:
    make_roles(PostgresStore(Address(team.address)), team.prefix)
    bring(team.ledger("curator"), "published")
    assert wrong_in(team.ledger("reader")) == ()


def test_roles_belong_to_a_ledger(postgres_url: str) -> None:
    with pytest.raises(LedgerFailed, match="holds no ledger"):
        make_roles(PostgresStore(Address(postgres_url)))
