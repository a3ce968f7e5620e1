"""The help of a group of commands: what there is, in panels.

It looks as the help of a command does, which Rich draws. To import Rich takes longer
than all else here: docs/decisions/README.md.
"""

import os
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from typer import style

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
