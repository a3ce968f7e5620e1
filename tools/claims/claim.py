"""Claims with the figures that were measured for them: claims.json beside this file."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "Claim", "Sentence", "read_claims", "read_sentences", "write_claims"]

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("claims.json")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, the command that measures it, and what was measured last.

    ``reads`` names a reading of readings.py, or a line that a benchmark prints. A
    command with ``{seed}`` is run once for each of the seeds 1 to ``runs``: the figure
    is the mean of the runs and the error is the standard error of that mean. The error
    of a single run stays as it is: it was estimated from several shorter runs. A
    ``long`` claim is measured only when it is named.
    """

    id: str
    claim: str
    command: str
    reads: str
    unit: str
    runs: int
    long: bool
    figure: float
    error: float | None
    date: str
    commit: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words of a page that state figures, with a place ``{id:.1f}`` for each."""

    page: str
    text: str

    def stated(self, claims: Iterable[Claim]) -> str:
        """Give the words with the figures of the claims."""
        return self.text.format(**{each.id: each.figure for each in claims})


def read_claims() -> list[Claim]:
    """Read every claim, in the order of the page."""
    return [Claim(**each) for each in _read()["claims"]]


def read_sentences() -> list[Sentence]:
    """Read every sentence that states figures."""
    return [Sentence(**each) for each in _read()["sentences"]]


def write_claims(claims: Iterable[Claim]) -> None:
    """Write the claims back; the sentences stay."""
    kept = {**_read(), "claims": [asdict(each) for each in claims]}
    text = json.dumps(kept, indent=2, ensure_ascii=False)
    FILE.write_text(f"{text}\n", encoding="utf-8")


def _read() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text("utf-8"))
    return found
