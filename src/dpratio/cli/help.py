"""Help: 80 columns, flags as flags, and an example for each command."""

import os
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from typer import echo, style
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandInfo

from dpratio.cli.output import screen_width
from dpratio.cli.terminal import WIDTH

Rows = list[tuple[str, str]]

_OPTIONS, _COMMANDS = "Options", "Commands"


def drawn(group: Any, ctx: Any, width: int) -> str:  # noqa: ANN401 (of Typer's Click)
    """Draw the help of a group whose options are flags."""
    options = [
        ("/".join(each.opts), each.help or "")
        for each in group.get_params(ctx)
        if not each.hidden
    ]
    panels: dict[str, Rows] = defaultdict(list)
    for name in group.list_commands(ctx):
        each = group.get_command(ctx, name)
        if not each.hidden:
            first = (each.help or "").partition("\n\n")[0]
            panels[each.rich_help_panel or _COMMANDS].append((name, first))
    longest = max(len(name) for rows in panels.values() for name, _ in rows)
    usage = group.get_usage(ctx).removeprefix("Usage: ")
    lines = ["", f" {_style('Usage:', fg='yellow', bold=True)} {_style(usage)}", ""]
    lines += [f" {line}" for line in _folded(group.help, width - 2)] + [""]
    lines += _panel(_OPTIONS, options, max(len(name) for name, _ in options), width)
    for title, rows in panels.items():
        lines += _panel(title, rows, longest, width)
    if group.epilog:
        lines += ["", *(f" {line}" for line in group.epilog.split("\n"))]
    return "\n".join(lines) + "\n"


def _panel(title: str, rows: Rows, column: int, width: int) -> Iterator[str]:
    rule = f"─ {title} ".ljust(width - 2, "─")
    yield _style(f"╭{rule}╮", dim=True)
    side = _style("│", dim=True)
    room = width - column - 6
    for name, text in rows:
        for at, line in enumerate(_folded(text, room)):
            first = _style(
                (name if at == 0 else "").ljust(column), fg="cyan", bold=True
            )
            yield f"{side} {first}  {line.ljust(room)} {side}"
    yield _style(f"╰{'─' * (width - 2)}╯", dim=True)


def _folded(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width) or [""]


def _style(text: str, **look: Any) -> str:  # noqa: ANN401 (of Typer's)
    return text if os.environ.get("NO_COLOR") else style(text, **look or {"bold": True})


EXAMPLES = {
    "new": "dpratio new study.toml --data people.parquet",
    "plan": "dpratio plan study.toml",
    "check": "dpratio check study.toml",
    "bounds": "dpratio bounds study.toml -o bounds.json --epsilon 0.1",
    "release": "dpratio release study.toml -o release.json",
    "audit": "dpratio audit --epsilon 1 --strategy focused",
    "estimate": "dpratio estimate release.json --level 0.9",
    "curve": "dpratio curve release.json --errors",
    "compare": "dpratio compare release.json north south",
    "function": "dpratio function release.json mean --of numerator",
    "watch": "dpratio watch week-*.json --within 0.95 1.05 --people-are-new",
    "report": "dpratio report release.json -o report.html",
    "roll-up": "dpratio roll-up release.json -o whole.json",
    "merge": "dpratio merge a.json b.json -o both.json --units-are-disjoint",
    "demo": "dpratio demo --seed 5",
    "forecast": "dpratio forecast study.toml --n 5000 --epsilon 1 --width 0.1",
    "rehearse": "dpratio rehearse study.toml --html rehearsal.html",
    "coverage": "dpratio coverage study.toml --n 5000 --seed 1",
    "page": "dpratio page --port 8000",
    "ledger init": "dpratio ledger init --epsilon 3 --delta 1e-5",
    "ledger show": "dpratio ledger show --plan study.toml",
    "ledger verify": "dpratio ledger verify release.json",
    "ledger backup": "dpratio ledger backup copy.db",
    "ledger void": 'dpratio ledger void "orders 2026-11" --by ann',
    "ledger approve": "dpratio ledger approve study.toml --by olga",
    "ledger allow-source": "dpratio ledger allow-source study.toml --by olga",
    "ledger withdraw": "dpratio ledger withdraw 3 --by olga",
    "ledger close": 'dpratio ledger close people --why "opened by mistake"',
    "ledger quarantine": 'dpratio ledger quarantine 7 --why "cannot be read"',
    "ledger roles": "dpratio ledger roles --prefix dpratio",
    "ledger recover": 'dpratio ledger recover --by olga --why "an old copy"',
}


class Readable:
    """Help that fits a terminal, whatever Typer would make of it."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 (of Typer's Click)
        """Give the parameters; a flag takes nothing, so none is shown after it."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in params:
            if getattr(each, "is_flag", False):
                each.metavar = ""
        return params

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the help, as wide as sentences are."""
        from typer import rich_utils

        rich_utils.MAX_WIDTH = min(WIDTH, screen_width())
        super().format_help(ctx, formatter)  # type: ignore[misc]


class Group(Readable, TyperGroup):
    """Commands with such help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002
        """Write what there is; Rich is left to the help of a command."""
        echo(drawn(self, ctx, min(WIDTH, screen_width())), nl=False)


class Command(Readable, TyperCommand):
    """A command with such help."""


def with_examples(commands: Iterable[CommandInfo], group: str = "") -> None:
    """Give each command such help, with its example below."""
    for each in commands:
        name = each.name or each.callback.__name__.replace("_", "-")  # type: ignore[union-attr]
        each.cls = Command
        each.epilog = f"Example: {EXAMPLES[f'{group}{name}']}"
