"""Releases to be rolled up and merged, and what is asked of the outcome."""

from pathlib import Path

from dpratio.release.files import read_release, write_release
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from release.releases_for_tests import GROUPS, RELEASES, plan_of, release_of

__all__ = ["CROSSED", "TEXT", "TOTALS", "survives"]

CROSSED = RELEASES["groups: crossed"]
TEXT = [release_of(plan_of(GROUPS["text"]), seed) for seed in range(1, 5)]
TOTALS = {"score": Bounds(0, 1), "label": Bounds(0, 1)}


def survives(release: Release, folder: Path) -> bool:
    """Tell whether the release is read back as it was written."""
    write_release(release, folder / "derived.json", replace=True)
    return read_release(folder / "derived.json") == release
