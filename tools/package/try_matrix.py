"""Build dpratio and try it: interpreter × dependencies × extras, one line for each.

Usage: python tools/package/try_matrix.py [WORD…]
With words, only the rows that hold all of them are tried, such as ``3.12 lowest``.
"""

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cells import Cell, environment, try_cell
from database_server import database_server
from declared import ROOT, extras
from interpreters import SUPPORTED, find_interpreters
from measure import sizes
from run_outside import Failed, run, uv

__all__: list[str] = []

DIST = ROOT / "dist"
LARGEST_CORE = 300e6  # bytes
Row = tuple[str, Callable[[], str]]


def main() -> int:
    """Build, check, try every row, and print the table."""
    wheel, sdist = build()
    found = find_interpreters()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, database_server():
        wanted = [
            each
            for each in rows(found, wheel, sdist, Path(folder))
            if set(sys.argv[1:]) <= set(each[0].replace("+", " ").split())
        ]
        # While one row waits for the network, another computes.
        with ThreadPoolExecutor(os.cpu_count()) as together:
            results = list(together.map(try_row, wanted))
    minutes = (time.monotonic() - start) / 60
    print("\npython dependencies file extras, and what came of it")
    for name, result in results:
        print(f"{name:42} {result}")
    good = sum(result.startswith("ok") for _, result in results)
    print(f"\n{good} of {len(results)} are ok, after {minutes:.0f} minutes.")
    missing = [version for version, path in found.items() if path is None]
    if missing:
        print(f"Not tried, as there is no such Python here: {', '.join(missing)}.")
    left = [version for version in SUPPORTED if version not in found]
    if left:
        print(f"Not asked for: {', '.join(left)}.")
    return 0 if results and good == len(results) and not missing else 1


def try_row(row: Row) -> tuple[str, str]:
    """Try one row, and print what came of it."""
    name, trial = row
    start = time.monotonic()
    try:
        result = f"ok: {trial()}, {time.monotonic() - start:.0f} s"
    except Failed as error:
        result = f"FAILED {error}"
    print(f"{name:42} {result}", flush=True)
    return name, result


def build() -> tuple[Path, Path]:
    """Build the source archive, the wheel out of it, and check what they say."""
    shutil.rmtree(DIST, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    check = [sys.executable, "-m", "twine", "check", "--strict"]
    subprocess.run([*check, str(wheel), str(sdist)], check=True)
    return wheel, sdist


def rows(
    found: dict[str, str | None], wheel: Path, sdist: Path, folder: Path
) -> Iterator[Row]:
    """Name everything that is tried, with what tries it in a folder of its own."""
    folders = (folder / str(number) for number in itertools.count())
    sets = [(), *((each,) for each in extras()), tuple(extras())]
    for python, interpreter in found.items():
        if interpreter is None:
            continue
        cells = [
            *(Cell(python, "newest", each, wheel) for each in sets),
            *(Cell(python, "lowest", each, wheel) for each in sets),
            Cell(python, "newest", (), sdist),
        ]
        for cell in cells:
            name = cell.name.replace("+".join(extras()), "all")
            yield name, _trial(cell, interpreter, next(folders))
        newest = f"{python:6} newest   wheel "
        yield f"{newest} size", _size(interpreter, wheel, next(folders))
        yield f"{newest} types", _types(interpreter, wheel, next(folders))
        yield f"{newest} pipx", _pipx(interpreter, wheel, next(folders))


def _trial(cell: Cell, interpreter: str, folder: Path) -> Callable[[], str]:
    return lambda: try_cell(cell, interpreter, folder)


def _size(interpreter: str, wheel: Path, folder: Path) -> Callable[[], str]:
    """Weigh the core, which must stay small."""

    def weigh() -> str:
        with environment(interpreter, folder) as python:
            total = sum(sizes(python, wheel, "").values())
            if total > LARGEST_CORE:
                raise Failed(f"the core takes {total / 1e6:.0f} MB")
            return f"{total / 1e6:.0f} MB"

    return weigh


def _types(interpreter: str, wheel: Path, folder: Path) -> Callable[[], str]:
    """Check the types of a program that uses the installed package."""

    def check() -> str:
        with environment(interpreter, folder) as python:
            run(uv("pip", "install", "--python", python, str(wheel)), "not installed")
            program = Path(__file__).with_name("consumer.py")
            words = ["--strict", "--cache-dir", str(folder / "mypy")]
            config = ["--config-file", "", "--python-executable", python]
            mypy = [sys.executable, "-m", "mypy", *words, *config, str(program)]
            run(mypy, "mypy --strict")
            return "mypy --strict"

    return check


def _pipx(interpreter: str, wheel: Path, folder: Path) -> Callable[[], str]:
    """Run the demo without installing anything, as pipx does."""

    def demo() -> str:
        home, out = folder / "pipx", folder / "demo"
        pipx = [sys.executable, "-m", "pipx", "run", "--no-cache", "--python"]
        words = [interpreter, "--spec", str(wheel), "dpratio", "demo"]
        given = ["--folder", str(out), "--people", "2000"]
        here = ["env", f"PIPX_HOME={home}", f"PIPX_BIN_DIR={home / 'bin'}"]
        said = run([*here, *pipx, *words, *given], "pipx run")
        if "intervals hold the invented truth" not in said:
            raise Failed(f"pipx run: {said[-200:]}")
        shutil.rmtree(folder)
        return "pipx run"

    return demo


if __name__ == "__main__":
    sys.exit(main())
