"""Commands of a team's ledger: roles, withdraw, close and more."""

from typing import Annotated

import typer

from dpratio.cli import options
from dpratio.cli.data_holder.ledger import open_ledger
from dpratio.cli.output import say
from dpratio.errors import LedgerRefused


def roles(
    prefix: Annotated[
        str, typer.Option(help="What the names of the roles begin with.")
    ] = "dpratio",
    is_run: Annotated[
        bool, typer.Option("--run", help="Run it in the ledger's database.")
    ] = False,
    location: options.Location = options.LEDGER,
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
    say(f"The roles {', '.join(f'{prefix}_{role}' for role in ROLES)} are made.")


def withdraw(
    line: Annotated[
        int, typer.Argument(metavar="LINE", help="The approval's line in the ledger.")
    ],
    scope: options.Scope = None,
    by: Annotated[str, typer.Option(help="Who withdraws it, for the history.")] = "",
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Withdraw an approval; what was charged under it stays."""
    open_ledger(location, anchor).withdraw(line, scope=scope, by=by)
    say(f"The approval on line {line} is withdrawn.")


def close(
    scope: Annotated[
        str, typer.Argument(metavar="SCOPE", help="The name of the scope.")
    ],
    why: Annotated[
        str, typer.Option(help="The reason, for the record.")
    ] = "opened by mistake",
    by: Annotated[str, typer.Option(help="Who closes it, for the history.")] = "",
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Close a scope that was opened by mistake and never used."""
    open_ledger(location, anchor).close_scope(scope, why=why, by=by)
    say(f"Scope '{scope}' is closed for good; nothing was charged to it.")


def quarantine(
    lines: Annotated[
        list[int],
        typer.Argument(metavar="LINE", help="All lines that cannot be followed."),
    ],
    why: Annotated[str, typer.Option(help="The reason, for the record.")],
    scope: options.Scope = None,
    by: Annotated[str, typer.Option(help="Who sets it aside.")] = "",
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Set lines aside that nobody can follow; what they may have cost is spent."""
    said = open_ledger(location, anchor).quarantine(lines, why=why, scope=scope, by=by)
    say(*(f"Set aside: {each}" for each in said))


def recover(
    by: Annotated[str, typer.Option(help="Who recovers it, for the history.")],
    why: Annotated[str, typer.Option(help="What happened, for the history.")],
    scope: options.Scope = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="Write off all that is left.")
    ] = False,
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Go on with a ledger that is older than its anchor: the difference is spent."""
    from dpratio.curator.ledger.history import describe
    from dpratio.curator.ledger.recover import recover_ledger

    book = open_ledger(location, anchor)
    account = recover_ledger(book, by=by, why=why, scope=scope, everything=everything)
    say(*describe(account))
