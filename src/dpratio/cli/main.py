"""The command line: one app, errors as one line, exit codes as documented."""

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from dpratio.cli.anyone.audit import audit
from dpratio.cli.anyone.coverage import coverage
from dpratio.cli.anyone.demo import demo
from dpratio.cli.anyone.forecast import forecast
from dpratio.cli.anyone.page import page
from dpratio.cli.anyone.rehearse import rehearse
from dpratio.cli.data_holder import team
from dpratio.cli.data_holder.bounds import bounds
from dpratio.cli.data_holder.check import check
from dpratio.cli.data_holder.curate import plan, release
from dpratio.cli.data_holder.ledger import ledger
from dpratio.cli.data_holder.new import new
from dpratio.cli.help import Group, with_examples
from dpratio.cli.release_holder.analyse import estimate
from dpratio.cli.release_holder.combine import merge, roll_up
from dpratio.cli.release_holder.compare import compare
from dpratio.cli.release_holder.curve import curve
from dpratio.cli.release_holder.function import function
from dpratio.cli.release_holder.report import report
from dpratio.cli.release_holder.watch import watch
from dpratio.cli.signals import Commands
from dpratio.cli.terminal import wrapped
from dpratio.cli.words import in_options
from dpratio.errors import DpratioError
from dpratio.tabular import printable
from dpratio.version import __version__

EXIT_CODES = """Exit codes: 0 done · 1 stopped or failed unexpectedly · 2 wrong usage ·
3 invalid input · 4 schema refused · 5 file refused · 6 document refused ·
7 plan refused · 8 engine failed · 9 optional package missing ·
10 ledger refused · 11 ledger failed · 12 audit failed ·
130 interrupted (Ctrl-C) · 143 terminated (SIGTERM)"""

app = typer.Typer(
    name="dpratio",
    cls=Commands,
    help="Ratios of sums under differential privacy, with intervals that cover.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "Data holder": (new, plan, check, bounds, release),
    "Holder of a release": (
        estimate,
        curve,
        compare,
        function,
        watch,
        report,
        roll_up,
        merge,
    ),
    "Anyone": (demo, forecast, rehearse, coverage, audit, page),
}
for panel, commands in COMMANDS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
with_examples(app.registered_commands)
for command in (
    team.withdraw,
    team.close,
    team.quarantine,
    team.roles,
    team.recover,
):
    ledger.command()(command)
with_examples(ledger.registered_commands, "ledger ")
app.add_typer(ledger, name="ledger", cls=Group, rich_help_panel="Data holder")


def run() -> None:
    """Run the command line; an error is one line on standard error."""
    try:
        app()
    except DpratioError as error:
        # Names in a message may come from a document, and steer a terminal.
        said = printable(in_options(str(error)))
        line = f"{type(error).__name__}: {said}"
        # One line where a log or a program reads it; broken for who sits there.
        shown = wrapped(line) if sys.stderr.isatty() else [line]
        sys.stderr.write("\n".join(shown) + "\n")
        raise SystemExit(error.exit_code) from None


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dpratio {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """Read the options that belong to no command."""
