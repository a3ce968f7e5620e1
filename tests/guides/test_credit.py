"""The guide on credit says what its code prints, of the release that is kept."""

from pathlib import Path

from guide_cells import cells_of, page_of
from show_outputs import run_guide

GUIDE = Path(__file__).parent.parent.parent / "docs" / "guides" / "credit.md"
KEPT = GUIDE.with_suffix("")


def test_the_guide_shows_what_its_code_prints_of_the_kept_release(
    tmp_path: Path,
) -> None:
    page = GUIDE.read_text(encoding="utf-8")
    assert page_of(run_guide(cells_of(page), tmp_path, KEPT)) == page
    report = (tmp_path / "credit.html").read_text(encoding="utf-8")
    assert "<h1>Is the score fair to students?</h1>" in report
    assert "In student yes, score per default is" in report
