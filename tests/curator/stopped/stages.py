"""A release that waits at a named stage to be killed; run as a script.

It is `dpratio release`, with the words that follow the stage. At the stage it makes a
file `reached` in the current folder and waits until there is a file `go`.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

from dpratio.cli.main import run
from dpratio.curator.ledger.ledger import Ledger

__all__ = ["STAGES", "WHILE_THE_QUERY_RUNS", "surroundings"]

WHILE_THE_QUERY_RUNS = "while the query runs"
# Of each stage: what is waited for before, and where the release stands then.
STAGES = {
    "before the charge": ("charge", "not charged"),
    "charged": ("open", "charged"),
    WHILE_THE_QUERY_RUNS: ("open", "opened"),
    "before sealing": ("seal", "opened"),
    "after sealing": ("publish", "sealed"),
}


def surroundings() -> dict[str, str]:
    """The environment in which this is found, beside whatever else is."""
    places = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))}


def wait_before(step: str) -> None:
    """Let a release wait before a step of the ledger."""
    original: Any = getattr(Ledger, step)

    def waiting(*given: Any, **named: Any) -> Any:  # noqa: ANN401
        Path("reached").touch()
        while not Path("go").exists():
            time.sleep(0.05)
        return original(*given, **named)

    setattr(Ledger, step, waiting)


if __name__ == "__main__":
    wait_before(STAGES[sys.argv[1]][0])
    sys.argv[1:] = sys.argv[2:]
    run()
