"""A Jupyter kernel for tests, which leaves nothing in the home of who runs them."""

from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

__all__ = ["run_notebook"]


def run_notebook(text: str, folder: Path) -> list[Any]:
    """Run the notebook of a file's text in a folder; give all that its cells show.

    Raises:
        CellExecutionError: When a cell fails.
    """
    notebook = nbformat.reads(text, 4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    place = {"metadata": {"path": str(folder)}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setenv("JUPYTER_RUNTIME_DIR", str(folder / "jupyter"))
        nbclient.NotebookClient(notebook, resources=place, timeout=600).execute()
    code = [each for each in notebook.cells if each.cell_type == "code"]
    return [output for each in code for output in each.outputs]
