"""The reference of commands, made of the command line itself."""

from typing import Any

import typer.main

from dpratio.cli.main import EXIT_CODES, app

__all__ = ["commands_page"]

_INTRODUCTION = """\
# Commands

Commands come in three families, by who may run them. Every command that prints a
table takes `--format table|csv|json|markdown`. `dpratio COMMAND --help` shows what
stands here.
"""


def commands_page() -> str:
    """Make the page of all commands, by who may run them."""
    root: Any = typer.main.get_command(app)
    context = root.make_context("dpratio", ["--help"], resilient_parsing=True)
    panels: dict[str, list[str]] = {}
    for name, command in root.commands.items():
        shown = panels.setdefault(command.rich_help_panel, [])
        shown += _entries(command, f"dpratio {name}", context)
    parts = [_INTRODUCTION]
    for panel, entries in panels.items():
        parts += [f"## {panel}", *entries]
    codes = " ".join(EXIT_CODES.removeprefix("Exit codes: ").split()).split(" · ")
    rows = [
        f"| {code.partition(' ')[0]} | {code.partition(' ')[2]} |" for code in codes
    ]
    parts.append(
        "\n".join(["## Exit codes\n", "| code | meaning |", "|--:|---|", *rows])
    )
    return "\n\n".join(parts) + "\n"


def _entries(command: Any, name: str, parent: Any) -> list[str]:  # noqa: ANN401
    """Describe a command, and each command below it."""
    below = getattr(command, "commands", None)
    if not below:
        return [_entry(command, name, parent)]
    entries = [f"### {name}\n\n{command.help}"]
    for each, inner in below.items():
        entries.append(_entry(inner, f"{name} {each}", parent))
    return entries


def _entry(command: Any, name: str, parent: Any) -> str:  # noqa: ANN401
    context = type(parent)(command, info_name=name)
    pieces = " ".join([name, *command.collect_usage_pieces(context)])
    usage = pieces.replace("{", "").replace("}", "")
    rows = [_row(each, context) for each in command.params if each.name != "help"]
    if not (command.help or "").strip():
        raise ValueError(f"the command '{name}' says nothing about itself")
    parts = [f"### {name}", f"```text\n{usage}\n```", command.help]
    if rows:
        parts.append(
            "\n".join(["| option | meaning | default |", "|---|---|---|", *rows])
        )
    return "\n\n".join(parts)


def _row(given: Any, context: Any) -> str:  # noqa: ANN401
    """Describe one option or argument."""
    if not (given.help or "").strip():
        raise ValueError(f"'{given.name}' of '{context.info_name}' says nothing")
    is_option = given.param_type_name == "option"
    names = [*given.opts, *given.secondary_opts] if is_option else [_metavar(given)]
    shown = ", ".join(f"`{each}`" for each in names)
    default = "required" if given.required else _default(given)
    heard = f" Also `{given.envvar}` in the environment." if given.envvar else ""
    return f"| {shown} | {_cell(given.help)}{heard} | {_cell(default)} |"


def _metavar(given: Any) -> str:  # noqa: ANN401
    return str(given.metavar or given.name.upper()).replace("[", "").replace("]", "")


def _default(given: Any) -> str:  # noqa: ANN401
    if given.default is None or given.default is False or given.default == ():
        return ""
    if given.default is True:
        return f"`{given.opts[0]}`"
    return "" if str(given.default) == "" else f"`{given.default}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
