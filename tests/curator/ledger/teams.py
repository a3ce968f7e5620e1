"""A ledger on a server with its four roles, and one person in each."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.server_roles import ROLES, roles_script

__all__ = ["Team", "team_at"]


@dataclass(frozen=True)
class Team:
    """Addresses of one ledger: the superuser's, and one for each role."""

    address: str
    prefix: str

    def of(self, role: str) -> str:
        """The address of the person in a role."""
        before, _, rest = self.address.partition("@")
        return f"postgresql://{self.person(role)}@{rest}" if before else ""

    def person(self, role: str) -> str:
        """The name that the person in a role logs in with."""
        return f"{self.prefix}_person_{role}"

    def ledger(self, role: str) -> Ledger:
        """The ledger as the person in a role uses it."""
        return Ledger(self.of(role))

    def connected(self) -> psycopg.Connection[tuple[object, ...]]:
        """A connection of the superuser, past the library."""
        return psycopg.connect(self.address, autocommit=True)


@contextmanager
def team_at(address: str, scope: Scope) -> Iterator[Team]:
    """Open a scope, run the script of roles, and let one person into each."""
    team = Team(address, f"t{uuid.uuid4().hex[:12]}")
    Ledger(address).open_scope(scope)
    script = roles_script(team.prefix)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(script.encode())
        connection.execute(script.encode())  # Again it changes nothing.
        for role in (*ROLES, "stranger"):
            said = f"CREATE ROLE {team.person(role)} LOGIN"
            connection.execute(said.encode())
        for role in ROLES:
            said = f"GRANT {team.prefix}_{role} TO {team.person(role)}"
            connection.execute(said.encode())
    try:
        yield team
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            for role in ROLES:
                said = f"DROP OWNED BY {team.prefix}_{role} CASCADE"
                connection.execute(said.encode())
                connection.execute(f"DROP ROLE {team.prefix}_{role}".encode())
            for role in (*ROLES, "stranger"):
                connection.execute(f"DROP ROLE {team.person(role)}".encode())
