"""Progress of long simulations, for whoever wants to show it."""

from typing import Protocol

_PARTS = 1_000


class Report(Protocol):
    """What a long simulation calls with the steps done and the steps in all."""

    def __call__(self, done: int, total: int) -> object:
        """Show progress."""


def silent(done: int, total: int) -> None:
    """Show nothing."""


class Progress:
    """Counts finished steps."""

    def __init__(self, report: Report, total: int) -> None:
        self._report, self._total, self._done = report, total, 0

    def tick(self) -> None:
        """Finish one step."""
        self._done += 1
        self._report(self._done, self._total)


def stages(report: Report, count: int) -> list[Report]:
    """Split a report between stages that each count their own steps."""

    def stage(at: int) -> Report:
        def told(done: int, total: int) -> None:
            report(at * _PARTS + done * _PARTS // total, count * _PARTS)

        return told

    return [stage(at) for at in range(count)]
