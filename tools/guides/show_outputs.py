"""Run a guide and write under its code what the code prints.

Noise is drawn anew in every run, so the figures of a page are those of the releases
kept in the folder of its name: they take the place of what a run releases, once it has.
Pictures that the page shows are kept beside it.

Usage: python tools/guides/show_outputs.py docs/guides/mortgages.md [--release]
With --release, the releases of this run are kept, and all figures are new.
"""

import contextlib
import io
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from guide_cells import Cell, cells_of, page_of

__all__ = ["run_guide"]


def run_guide(cells: list[Cell], folder: Path, kept: Path) -> list[Cell]:
    """Run the code of a guide in a folder; give its pieces with what was printed.

    Args:
        cells: The pieces of the guide.
        folder: An empty folder to work in.
        kept: Releases that replace those of the same name, once they are made.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    printed, shown = "", []
    with contextlib.chdir(folder):
        for cell in cells:
            if cell.kind == "code":
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    exec(compile(cell.source, "guide", "exec"), names)  # noqa: S102
                printed = out.getvalue()
                for made in folder.glob("*.json"):
                    if (kept / made.name).is_file():
                        shutil.copy(kept / made.name, made)
            is_output = cell.kind == "output"
            shown.append(replace(cell, source=printed) if is_output else cell)
    return shown


def main() -> None:
    """Write the page, its pictures and, where asked, its releases."""
    page = Path(sys.argv[1]).resolve()
    kept = page.with_suffix("")
    if "--release" in sys.argv:
        shutil.rmtree(kept, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        cells = run_guide(cells_of(page.read_text(encoding="utf-8")), folder, kept)
        page.write_text(page_of(cells), encoding="utf-8")
        for picture in folder.glob("*.svg"):
            shutil.copy(picture, page.parent / picture.name)
        if "--release" in sys.argv:
            kept.mkdir()
            for release in folder.glob("*.json"):
                shutil.copy(release, kept / release.name)


if __name__ == "__main__":
    main()
