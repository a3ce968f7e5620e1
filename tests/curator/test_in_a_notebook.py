"""DuckDB knows when it runs in a notebook, and behaves otherwise there."""

from pathlib import Path

import nbclient
import nbformat
import pytest

CELL = """
from dpratio.curator.duck import connect

bar = "SELECT current_setting('enable_progress_bar')"
print(connect().execute(bar).fetchone())
"""


@pytest.fixture
def shown(tmp_path: Path) -> str:
    cell = nbformat.v4.new_code_cell(CELL)  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=[cell])  # type: ignore[no-untyped-call]
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, resources=place).execute()
    return "".join(each.get("text", "") for each in notebook.cells[0].outputs)


def test_a_notebook_opens_duckdb_and_sees_no_progress_of_a_query(shown: str) -> None:
    assert shown == "(False,)\n"
