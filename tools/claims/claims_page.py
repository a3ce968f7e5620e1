"""Write docs/claims.md from the claims."""

import math
from collections.abc import Iterable

from claim import ROOT, Claim

__all__ = ["PAGE", "page_of"]

PAGE = ROOT / "docs" / "claims.md"

_OPENING = """# Claims

Every claim here has a command that measures it. A script runs the commands and writes
this page. A test compares the page, the README and the first page of the site with the
measured figures.

```text
python tools/claims/measure_claims.py               # all claims but the long ones
python tools/claims/measure_claims.py scale_memory  # the claims that are named
python tools/claims/measure_claims.py --page        # write the page, measure nothing
```

A command with `SEED` is run with the seeds 1, 2 and so on, as often as the column
"runs" says. The figure is the mean of the runs, and its error is the standard error of
that mean. The error of a single simulation was estimated from shorter ones. Times and
memory have no such error; measure times on a quiet machine. "Commit" is the last change
of the code that was measured.
"""
_HEAD = """| id | claim | figure | Monte Carlo error | runs | date | commit |
|---|---|--:|--:|--:|---|---|"""


def page_of(claims: Iterable[Claim]) -> str:
    """Give the page: a table for each command, in the order of the claims."""
    by_command: dict[str, list[Claim]] = {}
    for each in claims:
        by_command.setdefault(each.command, []).append(each)
    parts = [_OPENING]
    for command, found in by_command.items():
        rows = "\n".join(map(_row, found))
        long = "This takes long.\n\n" if found[0].long else ""
        shown = command.format(seed="SEED")
        parts.append(f"```text\n{shown}\n```\n\n{long}{_HEAD}\n{rows}\n")
    return "\n".join(parts)


def _row(claim: Claim) -> str:
    unit = f" {claim.unit}" if claim.unit else ""
    error = "" if claim.error is None else f"{claim.error:.1g}{unit}"
    figure = f"{_rounded(claim)}{unit}"
    name, commit = f"`{claim.id}`", f"`{claim.commit}`"
    cells = (name, claim.claim, figure, error, claim.runs, claim.date, commit)
    return f"| {' | '.join(map(str, cells))} |"


def _rounded(claim: Claim) -> str:
    """Show a figure to the first digit of its error; without one, three digits."""
    if not claim.error:
        return f"{claim.figure:.3g}"
    digits = max(0, -math.floor(math.log10(claim.error)))
    return f"{claim.figure:.{digits}f}"
