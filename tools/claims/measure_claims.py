"""Measure claims, and write their figures to claims.json and docs/claims.md.

Usage: measure_claims.py [--page] [ID …]; without ids, all claims but the long ones.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import mean, stdev

from claim import ROOT, Claim, read_claims, read_sentences, write_claims
from claims_page import PAGE, page_of
from readings import read_figure

__all__ = ["measured"]

_DIGITS = 4


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for, and say which sentences of a page must change."""
    claims = read_claims()
    ids = [each.id for each in claims]
    if arguments != ["--page"]:
        unknown = set(arguments) - set(ids)
        if unknown:
            sys.exit(f"claims must be known, got {sorted(unknown)}. Known: {ids}.")
        chosen = arguments or [each.id for each in claims if not each.long]
        for at, each in enumerate(claims):
            if each.id in chosen:
                claims[at] = measured(each)
                write_claims(claims)
                change = f"{each.figure} before, {claims[at].figure} now"
                print(f"{each.id}: {change}", flush=True)
    PAGE.write_text(page_of(claims), encoding="utf-8")
    for sentence in read_sentences():
        stated = sentence.stated(claims)
        words = " ".join((ROOT / sentence.page).read_text("utf-8").split())
        if stated not in words:
            print(f"{sentence.page} must say: {stated}")


def measured(claim: Claim) -> Claim:
    """Run the command of a claim, once for each seed, and read its figure."""
    commands = [claim.command.format(seed=seed + 1) for seed in range(claim.runs)]
    found = [read_figure(claim.reads, printed_by(each)) for each in commands]
    error = claim.error
    if claim.runs > 1:
        error = float(f"{stdev(found) / claim.runs**0.5:.2g}")
    return replace(
        claim,
        figure=float(f"{mean(found):.{_DIGITS}g}"),
        error=error,
        date=datetime.now(UTC).date().isoformat(),
        commit=_last_change(),
    )


@cache
def printed_by(command: str) -> str:
    """Run a command in the repository with the tools of this Python."""
    tools = Path(sys.executable).parent
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        shlex.split(command),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
    )
    return done.stdout


def _last_change() -> str:
    """Name the last commit that changed code."""
    command = ["git", "log", "-1", "--format=%h", "--", "src", "bench"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1:])
