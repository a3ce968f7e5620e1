"""Wheels of the package that comes as source alone, built once for all rows."""

import shutil
import sys
import tempfile
import threading
from pathlib import Path

from declared import ROOT, asked
from run_outside import run

__all__ = ["only_wheels"]

SOURCE_ALONE = "pyspark"
HOUSE = ROOT / "build" / "wheelhouse"

_BUILDING = threading.Lock()
_BUILT: set[str] = set()


def only_wheels(extras: list[str]) -> list[str]:
    """Give the words for uv that take wheels alone, also of what has none.

    A wheel stays where it is from one run to the next: uv unpacks it once.
    """
    words = ["--only-binary", ":all:"]
    named = [each for each in asked(extras) if each.name == SOURCE_ALONE]
    for requirement in named:
        (low,) = (each for each in requirement.specifier if each.operator == ">=")
        with _BUILDING:
            _build(f"{requirement.name}=={low.version}")
            _build(f"{requirement.name}{requirement.specifier}")
    return [*words, "--find-links", str(HOUSE)] if named else words


def _build(wanted: str) -> None:
    """Build a wheel, or take the one that pip built before."""
    if wanted in _BUILT:
        return
    HOUSE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        run([*pip, "--wheel-dir", folder, wanted], "no wheel")
        (wheel,) = Path(folder).glob("*.whl")
        if not (HOUSE / wheel.name).exists():
            shutil.move(wheel, HOUSE / wheel.name)
    _BUILT.add(wanted)
