"""Turn a guide into a notebook: one source, two ways to read it.

Code becomes cells, text becomes text. What the guide shows of one run is left out: a
notebook shows its own. So are outputs: noise is drawn anew in every run, and a notebook
that keeps outputs is how rows of tables end up where they should not be.

Usage: python tools/guides/make_notebook.py docs/guides/mortgages.md
"""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

from guide_cells import Cell, cells_of

__all__ = ["notebook_of"]

_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n", re.MULTILINE)
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def notebook_of(page: str, name: str) -> str:
    """Give the notebook of a page as the content of its file.

    Args:
        page: The guide.
        name: The name of its file.
    """
    made = f"This notebook is made from [{name}]({name}), which shows one run of it."
    title, _, rest = page.partition("\n")
    cells = [_text(title), _text(made)]
    for cell in cells_of(rest):
        if cell.kind == "code":
            cells.append(_code(cell))
        elif cell.kind == "text" and (said := _PICTURE.sub("", cell.source).strip()):
            cells.append(_text(said))
    numbered = [
        {"id": f"cell-{at:02}", **cell} for at, cell in enumerate(cells, start=1)
    ]
    notebook = {
        "cells": numbered,
        "metadata": {"kernelspec": _KERNEL, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _text(source: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }


def _code(cell: Cell) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": _displayed(cell.source).splitlines(keepends=True),
    }


def _displayed(source: str) -> str:
    """Let a notebook display what a script prints: ``print(plan)`` becomes ``plan``."""
    lines = source.rstrip().splitlines()
    match ast.parse(source).body[-1]:
        case ast.Expr(ast.Call(ast.Name("print"), [ast.Name(shown)], [])):
            lines[-1] = shown
    return "\n".join(lines)


def main() -> None:
    """Write the notebook beside its guide."""
    page = Path(sys.argv[1])
    made = notebook_of(page.read_text(encoding="utf-8"), page.name)
    page.with_suffix(".ipynb").write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
