"""DuckDB knows when it runs in a notebook, and behaves otherwise there."""

from pathlib import Path

from guide_cells import Cell, page_of
from kernel import run_notebook
from make_notebook import notebook_of

CODE = """from dpratio.curator.reading.table import connect

bar = "SELECT current_setting('enable_progress_bar')"
print(connect().execute(bar).fetchone())
"""


def test_a_notebook_opens_duckdb_and_sees_no_progress_of_a_query(
    tmp_path: Path,
) -> None:
    page = page_of([Cell("text", "# A bar\n\n"), Cell("code", CODE, "```python")])
    shown = run_notebook(notebook_of(page, "bar.md"), tmp_path)
    assert [each["text"] for each in shown] == ["(False,)\n"]
