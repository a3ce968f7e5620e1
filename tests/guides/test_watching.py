"""The notebook of the guide on watching is made of the guide, and runs."""

import json
from pathlib import Path

from kernel import run_notebook
from make_notebook import notebook_of

GUIDE = Path(__file__).parent.parent.parent / "docs" / "guides" / "watching.md"


def test_the_notebook_is_made_of_the_guide_and_keeps_no_outputs() -> None:
    kept = GUIDE.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert kept == notebook_of(GUIDE.read_text(encoding="utf-8"), GUIDE.name)
    code = [each for each in json.loads(kept)["cells"] if each["cell_type"] == "code"]
    assert len(code) == 7
    assert [each["outputs"] for each in code] == [[]] * len(code)


def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    text = GUIDE.with_suffix(".ipynb").read_text(encoding="utf-8")
    outputs = run_notebook(text, tmp_path)
    assert [each for each in outputs if each.get("name") == "stderr"] == []
    printed = "".join(each["text"] for each in outputs if each.get("name") == "stdout")
    assert "52 releases, each charged once" in printed
    shown = [kind for each in outputs for kind in each.get("data", ())]
    assert shown.count("image/svg+xml") == 1
