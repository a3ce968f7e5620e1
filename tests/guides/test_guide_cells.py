"""Guides fall into pieces, and the pieces into notebooks."""

import json

import pytest

from guide_cells import cells_of, page_of
from make_notebook import notebook_of

PAGE = """# A guide

Text.

```python
plan = 1
print(plan)
```

```text title="Output"
1
```

![a picture](guide.svg)

```python
print("one", "two")
```
"""


def test_the_pieces_of_a_page_are_the_page() -> None:
    kinds = [each.kind for each in cells_of(PAGE) if each.source.strip()]
    assert kinds == ["text", "code", "output", "text", "code"]
    assert page_of(cells_of(PAGE)) == PAGE


def test_output_belongs_to_code() -> None:
    with pytest.raises(ValueError, match="output without code"):
        cells_of("Text.\n\n```text\nlost\n```\n")


def test_a_notebook_displays_what_a_page_prints_and_draws_its_own_pictures() -> None:
    cells = json.loads(notebook_of(PAGE, "guide.md"))["cells"]
    said = ["".join(each["source"]) for each in cells]
    assert said[0] == "# A guide"
    assert said[2:] == ["Text.", "plan = 1\nplan", 'print("one", "two")']
