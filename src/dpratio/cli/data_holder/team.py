"""Commands of a team's ledger: roles, migrate, withdraw, close and more."""

from pathlib import Path
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


def migrate(location: options.Location = options.LEDGER) -> None:
    """Bring a ledger on a server up to date; its lines and heads stay the same."""
    from dpratio.curator.ledger.store.migrate import migrate as bring_up_to_date
    from dpratio.curator.ledger.store.postgres import PostgresStore

    store = open_ledger(location, None).watch.store
    is_moved = isinstance(store, PostgresStore) and bring_up_to_date(store)
    said = (
        "The ledger is up to date now. The old tables are kept in a schema whose name "
        "begins with dpratio_version; drop it once `dpratio ledger verify` finds "
        "nothing wrong. Where there are roles, run `dpratio ledger roles --run` again."
    )
    say(said if is_moved else "The ledger is up to date; nothing was done.")


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


def export(
    target: Annotated[
        Path, typer.Option("--out", "-o", help="A file that is not there yet.")
    ],
    by: Annotated[str, typer.Option(help="Who exports it, for the history.")] = "",
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Close the ledger and write all of it into a file, to go on elsewhere."""
    from dpratio.curator.ledger.export import export_ledger

    export_ledger(open_ledger(location, anchor), target, by=by)
    say(
        f"Exported to {target}. The ledger is closed: import the file once, with "
        "`dpratio ledger import`, and go on there."
    )


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `ledger export` wrote.")
    ],
    to: Annotated[
        str, typer.Option(help="An empty ledger: a new file, or an address.")
    ],
    by: Annotated[str, typer.Option(help="Who imports it, for the history.")] = "",
    anchor: options.Anchor = None,
) -> None:
    """Read an exported ledger into an empty one, and go on there."""
    from dpratio.curator.ledger.move import import_ledger

    import_ledger(file, open_ledger(to, anchor, is_new=True), by=by)
    say("Imported. Verify it, and remove the old ledger and the file.")
