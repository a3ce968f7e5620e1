"""Who may do what in a ledger on a server: four roles that nobody logs in as.

People log in under names of their own and are made members. The owner of the tables is
a role without a login, so that the functions which check each line belong to nobody who
works with them.
"""

import re

from dpratio.checks import require
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.server import transaction
from dpratio.curator.ledger.store.server_functions import FUNCTIONS
from dpratio.curator.ledger.store.tables import TABLES

ROLES = ("owner", "curator", "officer", "reader")
_NAME = re.compile("[a-z][a-z0-9_]{0,40}")
# What each may call; an owner opens scopes and does no more.
_CALLS = {"curator": ("append", "keep"), "officer": ("approve",)}


def roles_script(prefix: str = "dpratio") -> str:
    """Write the statements that make the roles and give each its rights, no more.

    A superuser runs them once in the ledger's database, after the first `init`; again
    they change nothing.

    Args:
        prefix: What the names of the roles begin with; one for each ledger of a server.
    """
    path = "SET LOCAL search_path = pg_catalog, pg_temp;"
    return "\n".join(["BEGIN;", path, *_statements(prefix), "COMMIT;", ""])


def make_roles(store: PostgresStore, prefix: str = "dpratio") -> None:
    """Run the script in the ledger's database, as a superuser.

    Raises:
        LedgerFailed: When there is no ledger yet, or the user may not do that.
    """
    statements = _statements(prefix)
    with store.reading():
        pass
    with transaction(store.address, to_write=True) as connection:
        for statement in statements:
            connection.execute(statement)


def _statements(prefix: str) -> list[str]:
    hint = "Use small letters, digits and _, at most 41."
    named = isinstance(prefix, str) and _NAME.fullmatch(prefix)
    require(named, "a prefix must be a plain name", prefix, hint)
    owner, curator, officer, reader = (f"{prefix}_{role}" for role in ROLES)
    functions = [f"dpratio.{each.name}({_types(each.arguments)})" for each in FUNCTIONS]
    everyone = f"{curator}, {officer}, {reader}"
    return [
        *(_made(f"{prefix}_{role}") for role in ROLES),
        f"ALTER SCHEMA dpratio OWNER TO {owner};",
        *(f"ALTER TABLE dpratio.{table} OWNER TO {owner};" for table in TABLES),
        *(f"ALTER FUNCTION {each} OWNER TO {owner};" for each in functions),
        f"GRANT USAGE ON SCHEMA dpratio TO {everyone};",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA dpratio TO {everyone};",
        # To lock a row takes the right to change it; triggers refuse every change.
        f"GRANT UPDATE (name) ON dpratio.scope TO {curator}, {officer};",
        *(
            f"GRANT EXECUTE ON FUNCTION {each} TO {prefix}_{role};"
            for role, names in _CALLS.items()
            for each in functions
            if each.partition("(")[0].removeprefix("dpratio.") in names
        ),
    ]


def _made(role: str) -> str:
    return (
        f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') "
        f"THEN CREATE ROLE {role} NOLOGIN; END IF; END $$;"
    )


def _types(arguments: str) -> str:
    return ", ".join(each.split()[1] for each in arguments.split(", ") if each)
