"""The guide on mortgages says what its code prints, and its notebook runs."""

import json
import re
from pathlib import Path

import pytest

import dpratio as dpr
from guide_cells import cells_of, page_of
from kernel import run_notebook
from make_notebook import notebook_of
from show_outputs import run_guide

GUIDE = Path(__file__).parent.parent.parent / "docs" / "guides" / "mortgages.md"
NOTEBOOK = GUIDE.with_suffix(".ipynb")
KEPT = GUIDE.with_suffix("")


@pytest.fixture(scope="module")
def page() -> str:
    return GUIDE.read_text(encoding="utf-8")


def test_the_guide_shows_what_its_code_prints_of_the_kept_releases(
    page: str, tmp_path: Path
) -> None:
    assert page_of(run_guide(cells_of(page), tmp_path, KEPT)) == page
    assert (tmp_path / "mortgages.html").is_file()
    drawn = _lines_of(tmp_path / "mortgages.svg")
    assert len(drawn) == 8  # two groups, four times
    assert drawn == _lines_of(GUIDE.with_suffix(".svg"))


def test_the_notebook_is_made_of_the_guide_and_keeps_no_outputs(page: str) -> None:
    kept = NOTEBOOK.read_text(encoding="utf-8")
    assert kept == notebook_of(page, GUIDE.name)
    code = [each for each in json.loads(kept)["cells"] if each["cell_type"] == "code"]
    assert [each["outputs"] for each in code] == [[]] * len(code)


def test_the_notebook_runs_from_top_to_bottom_with_noise_of_its_own(
    tmp_path: Path,
) -> None:
    outputs = run_notebook(NOTEBOOK.read_text(encoding="utf-8"), tmp_path)
    warned = [each for each in outputs if each.get("name") == "stderr"]
    assert warned == []
    shown = [kind for each in outputs for kind in each.get("data", ())]
    assert shown.count("text/html") == 5  # the plan, estimates, bins, forest, curve
    assert shown.count("image/svg+xml") == 2  # the forest, the curve
    made = dpr.read_release(tmp_path / "epsilon_1.json")
    kept = dpr.read_release(KEPT / "epsilon_1.json")
    assert made.plan.summary() == kept.plan.summary()
    # The last bits of a scale hang on the processor.
    scales = [
        [each.scale for each in release.plan.measurements[0].sums]
        for release in (made, kept)
    ]
    assert scales[0] == pytest.approx(scales[1], rel=1e-6)
    assert made.questions[0].values.tolist() != kept.questions[0].values.tolist()


def _lines_of(picture: Path) -> list[str]:
    """What a picture says of its marks to those who cannot see it."""
    drawn = picture.read_text(encoding="utf-8")
    return re.findall(r'role="img" aria-label="([^"]*)"', drawn)
