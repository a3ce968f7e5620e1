"""Many processes at one ledger at once; run as a script, which prints JSON.

It is a script because forks should start from a small process without threads.
"""

import json
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg  # noqa: F401 (so that forks need not load it)

from curator.ledger.attacks.books import DATA, plan_of
from dpratio.curator import measure
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused

COSTS = ("0.001", "0.002", "0.005", "0.007", "1/300", "1/128", "0.0125", "0.03")


def charge_all(location: str, anchor: str, processes: str, attempts: str) -> Any:  # noqa: ANN401
    """Let processes charge random plans; each says what was accepted."""
    for cost in COSTS:
        plan_of(cost)
    each = int(attempts) // int(processes)
    more = int(attempts) % int(processes)

    def work(number: int, _: Path) -> Any:  # noqa: ANN401
        chance = random.Random(number)  # noqa: S311 (not for secrets)
        ledger = Ledger(location, anchor=anchor or None)
        accepted, failures = {}, []
        for at in range(each + (number < more)):
            name, cost = f"{number:08x}{at:024x}", chance.choice(COSTS)
            try:
                ledger.charge(name, plan_of(cost), by=f"process {number}")
                accepted[name] = cost
            except LedgerRefused:
                continue
            except LedgerFailed as error:
                failures.append(str(error))
        return {"accepted": accepted, "failures": failures}

    return _together(int(processes), work)


def release_one(location: str, processes: str, named: str) -> Any:  # noqa: ANN401
    """Let processes ask for the same release; each says which bytes it got.

    It is the same by its id, or because the same is asked where none is named.
    """
    plan = plan_of("0.1")

    def work(number: int, folder: Path) -> Any:  # noqa: ANN401
        draws = []
        drawn = getattr(measure, "draw_noise")  # noqa: B009 (it is not exported)

        def counted(*given: Any) -> Any:  # noqa: ANN401
            draws.append(1)
            return drawn(*given)

        setattr(measure, "draw_noise", counted)  # noqa: B010
        out, said = folder / f"out-{number}.json", ""
        try:
            ledger = Ledger(location)
            release_sums(
                DATA,
                plan,
                ledger=ledger,
                source="people",
                release_id=named or None,
                out=out,
            )
        except LedgerRefused as error:
            said = str(error)
        content = out.read_text() if out.exists() else ""
        return {"bytes": content, "refused": said, "draws": len(draws)}

    return _together(int(processes), work)


def _together(processes: int, work: Callable[[int, Path], Any]) -> list[Any]:
    """Fork, let all start at the same moment, and collect what they say."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        children = []
        for number in range(processes):
            child = os.fork()
            if child == 0:
                os.close(writing)
                os.read(reading, 1)  # Until the parent closes its end.
                content = json.dumps(work(number, folder))
                (folder / f"said-{number}.json").write_text(content)
                os._exit(0)
            children.append(child)
        os.close(reading)
        os.close(writing)
        for child in children:
            os.waitpid(child, 0)
        return [
            json.loads((folder / f"said-{number}.json").read_text())
            for number in range(processes)
        ]


if __name__ == "__main__":
    _, what, *words = sys.argv
    said = charge_all(*words) if what == "charge" else release_one(*words)
    json.dump(said, sys.stdout)
