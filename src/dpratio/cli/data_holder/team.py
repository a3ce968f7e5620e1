"""Commands of who looks after a team's ledger: ledger roles, ledger migrate."""

from typing import Annotated

import typer

from dpratio.cli.data_holder.ledger import DEFAULT, Location, open_ledger
from dpratio.errors import LedgerRefused

__all__ = ["migrate", "roles"]


def roles(
    prefix: Annotated[
        str, typer.Option(help="What the names of the roles begin with.")
    ] = "dpratio",
    is_run: Annotated[
        bool, typer.Option("--run", help="Run it in the ledger's database.")
    ] = False,
    location: Location = DEFAULT,
) -> None:
    """Print or run the SQL that makes the roles of a team's ledger; for a superuser."""
    from dpratio.curator.ledger.store.postgres import PostgresStore
    from dpratio.curator.ledger.store.server_roles import (
        ROLES,
        make_roles,
        roles_script,
    )

    script = roles_script(prefix)
    if not is_run:
        typer.echo(script, nl=False)
        return
    store = open_ledger(location, None).watch.store
    if not isinstance(store, PostgresStore):
        raise LedgerRefused(
            "a ledger in a file has no roles: who may write to the file may write. "
            "Name a server with --ledger."
        )
    make_roles(store, prefix)
    typer.echo(f"The roles {', '.join(f'{prefix}_{role}' for role in ROLES)} are made.")


def migrate(location: Location = DEFAULT) -> None:
    """Bring a ledger on a server up to date; its lines and heads stay the same."""
    from dpratio.curator.ledger.store.migrate import migrate as bring_up_to_date
    from dpratio.curator.ledger.store.postgres import PostgresStore

    store = open_ledger(location, None).watch.store
    is_moved = isinstance(store, PostgresStore) and bring_up_to_date(store)
    said = (
        "The ledger is up to date now. The old tables are kept in the schema "
        "dpratio_version_1; drop it once `dpratio ledger verify` finds nothing wrong."
    )
    typer.echo(said if is_moved else "The ledger is up to date; nothing was done.")
