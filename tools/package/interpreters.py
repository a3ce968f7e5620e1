"""Find the interpreters that dpratio supports, on whatever machine this is."""

import os
import re
import shutil
import subprocess
from pathlib import Path

__all__ = ["SUPPORTED", "find_interpreters"]

SUPPORTED = ("3.11", "3.12", "3.13")

_SAY = "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2])"


def find_interpreters() -> dict[str, str | None]:
    """Give the path of every supported Python, or None where there is none.

    They are looked for as ``python3.12`` on the path and among pyenv's. The variable
    PYTHONS, names or paths with spaces between them, says which to take instead.
    """
    named = os.environ.get("PYTHONS", "").split()
    if named:
        asked = {name: _asked(name) for name in named}
        return {
            name if found is None else found[1]: None if found is None else found[0]
            for name, found in asked.items()
        }
    return {version: _find(version) for version in SUPPORTED}


def _find(version: str) -> str | None:
    """Find one version; a shim that leads nowhere does not count."""
    for command in (f"python{version}", *_of_pyenv(version)):
        asked = _asked(command)
        if asked and asked[1] == version:
            return asked[0]
    return None


def _of_pyenv(version: str) -> list[str]:
    """List pyenv's interpreters of a version, the newest first."""
    pyenv = shutil.which("pyenv")
    if pyenv is None:
        return []
    done = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
    folders = Path(done.stdout.strip()).glob(f"versions/{version}.*")
    newest = sorted(folders, key=lambda each: _numbers(each.name), reverse=True)
    return [str(each / "bin" / "python") for each in newest]


def _numbers(name: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", name)]


def _asked(command: str) -> tuple[str, str] | None:
    """Ask an interpreter for its path and its version; None where it does not run."""
    found = shutil.which(command)
    if found is None:
        return None
    done = subprocess.run(
        [found, "-c", _SAY], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return None
    path, _, version = done.stdout.strip().rpartition(" ")
    return path, version
