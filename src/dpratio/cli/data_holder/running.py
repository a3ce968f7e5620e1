"""What a release says while it runs and when it ends, to people and to schedulers.

How long a query runs depends on the data. So times are shown to whoever sits at the
terminal, and are never written where they could be kept.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from dpratio.cli.signals import exit_code_of

if TYPE_CHECKING:
    from dpratio.curator.ledger.account.accounting import Charge

Stage = Callable[[str], None]
Known = dict[str, Any]


@contextmanager
def shown_stages(*, verbose: bool) -> Iterator[Stage]:
    """Show what a release does: with times on a terminal, else if asked and without."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _line if verbose else _nothing
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=not verbose) as bar:

        def show(stage: str) -> None:
            for each in bar.tasks:
                bar.update(each.id, total=1, completed=1)
            bar.add_task(stage, total=None)

        yield show
        for each in bar.tasks:
            bar.update(each.id, total=1, completed=1)


def _line(stage: str) -> None:
    sys.stderr.write(f"dpratio: {stage}\n")
    sys.stderr.flush()


def _nothing(_stage: str) -> None:
    """Show nothing."""


@contextmanager
def closing_line(*, wanted: bool) -> Iterator[Known]:
    """Print one line of JSON when a run ends, however it does.

    Yields:
        What is known of the run, to be filled in: its ``id`` and its ``ledger``, and
        whether the release is ``given_again``.
    """
    run: Known = {"id": None, "ledger": None, "given_again": False}
    try:
        yield run
    except BaseException as error:
        if wanted:
            typer.echo(_closing(run, exit_code_of(error)))
        raise
    if wanted:
        typer.echo(_closing(run, 0))


def _closing(run: Known, code: int) -> str:
    """Say how a run ended; nothing of it depends on data."""
    from dpratio.curator.ledger.standing import standing_of

    line: dict[str, Any] = dict.fromkeys(
        ("id", "scope", "status", "given_again", "drawn_on", "spent", "left")
    )
    name, book = run["id"], run["ledger"]
    line["id"] = name
    line["given_again"] = run["given_again"]
    line["status"] = "not charged" if code else "written"
    if book is not None and name is not None:
        standing = standing_of(book, name)
        line["status"] = standing.status
        account = standing.account
        if account is not None:
            accounting = account.scope.accounting
            line["scope"] = account.scope.name
            held = account.releases[name]
            line["drawn_on"] = held.read_on if held.said("sealed") else None
            line["spent"] = _amounts(held.charge, accounting)
            line["left"] = _amounts(account.left, accounting)
    return json.dumps(line | {"exit_code": code})


def _amounts(charge: "Charge", accounting: str) -> dict[str, str]:
    from dpratio.curator.ledger.account.accounting import LOSS_NAMES
    from dpratio.curator.ledger.admission.admit import show_exact

    loss = LOSS_NAMES[accounting]
    return {loss: show_exact(charge.loss), "delta": show_exact(charge.delta)}
