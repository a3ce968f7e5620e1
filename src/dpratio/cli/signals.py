"""Signals end a command as schedulers expect: Ctrl-C with 130, SIGTERM with 143."""

import sys
from typing import Any

from dpratio.cli.help import Group
from dpratio.tabular import printable

INTERRUPTED, TERMINATED = 130, 143


class Commands(Group):
    """The commands; what interrupts one is told where things stand."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 (Typer brings its own Click)
        """Run a command until it ends or is told to."""
        from dpratio.curator.stopping import heeding_signals, notes_of

        notes, code = ["Interrupted."], 0
        try:
            with heeding_signals():
                return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            code, notes = exit_code_of(stop), notes_of(stop) or notes
        # Outside the handler: nothing is chained to it.
        sys.stderr.write("".join(f"{printable(each)}\n" for each in notes))
        raise SystemExit(code)


def exit_code_of(error: BaseException) -> int:
    """Give the code with which a command ends."""
    from dpratio.curator.stopping import Terminated
    from dpratio.errors import DpratioError

    if isinstance(error, KeyboardInterrupt):
        return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
    return error.exit_code if isinstance(error, DpratioError) else 1
