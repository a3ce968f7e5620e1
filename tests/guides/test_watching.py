"""The notebook of the guide on watching is made of the guide.

The code of both is the same, and the page runs in tests/docs.
"""

import json
from pathlib import Path

from make_notebook import notebook_of

GUIDE = Path(__file__).parent.parent.parent / "docs" / "guides" / "watching.md"


def test_the_notebook_is_made_of_the_guide_and_keeps_no_outputs() -> None:
    kept = GUIDE.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert kept == notebook_of(GUIDE.read_text(encoding="utf-8"), GUIDE.name)
    code = [each for each in json.loads(kept)["cells"] if each["cell_type"] == "code"]
    assert len(code) == 7
    assert [each["outputs"] for each in code] == [[]] * len(code)
