"""The runner of pages notices what a reader would stumble over."""

import os
from pathlib import Path

import pytest

from docs.page_blocks import Block, blocks_of
from docs.page_runner import run_blocks

PAGE = """\
Words, `code` within them, and

    a formula

```python
print(1 + 1)
```

```text title="Output"
2
```

1. In a list:

    ```toml title="study.toml"
    a = 1
    ```

<!-- not run: there is no such machine -->
```sh
dpratio moon
```
"""


def shell(code: str, output: str = "") -> list[Block]:
    following = [Block("text", output, 3, title="Output")] if output else []
    return [Block("sh", code, 1), *following]


def test_blocks_are_found_with_their_titles_lines_and_reasons(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    assert blocks_of(page) == [
        Block("python", "print(1 + 1)\n", 6),
        Block("text", "2\n", 10, title="Output"),
        Block("toml", "a = 1\n", 16, title="study.toml"),
        Block("sh", "dpratio moon\n", 21, not_run="there is no such machine"),
    ]
    run_blocks(blocks_of(page), tmp_path)
    assert (tmp_path / "study.toml").read_text(encoding="utf-8") == "a = 1\n"


def test_numbers_of_one_run_are_not_compared_and_words_are(tmp_path: Path) -> None:
    printing = Block("python", "print('a 1.25 ok')", 1)
    run_blocks([printing, Block("text", "a 3 ok", 2, title="One run")], tmp_path)
    with pytest.raises(AssertionError, match="the page says"):
        run_blocks([printing, Block("text", "b 3 ok", 2, title="One run")], tmp_path)


def test_a_kept_release_takes_the_place_of_the_one_that_is_made(tmp_path: Path) -> None:
    (kept := tmp_path / "kept").mkdir()
    (folder := tmp_path / "folder").mkdir()
    for name in ("made.json", "other.json"):
        (kept / name).write_text("kept", encoding="utf-8")
    write = "from pathlib import Path\nPath('made.json').write_text('fresh')"
    run_blocks([Block("python", write, 1)], folder, kept=kept)
    assert [each.read_text("utf-8") for each in folder.iterdir()] == ["kept"]


def test_names_are_shared_and_the_folder_and_surroundings_are_left(
    tmp_path: Path,
) -> None:
    before = Path.cwd()
    blocks = [
        Block("sh", "export DPRATIO_LEDGER=elsewhere.db", 1),
        Block("python", "import os\nheard = os.environ['DPRATIO_LEDGER']\n", 1),
        Block(
            "python", "import pathlib\npathlib.Path('made.txt').write_text(heard)", 4
        ),
    ]
    page = run_blocks(blocks, tmp_path)
    assert page.names["heard"] == "elsewhere.db"
    assert (tmp_path / "made.txt").is_file()
    assert Path.cwd() == before
    assert "DPRATIO_LEDGER" not in os.environ


@pytest.mark.parametrize(
    "blocks",
    [
        shell("dpratio --version", "dpratio 0.0.0"),
        shell("dpratio --version\ndpratio no-such-command"),
        shell("dpratio estimate nothing.json"),
        shell("dpratio --version", "FileRefused: …"),
        shell("rm -rf somewhere"),
        shell("make no-such-target"),
        shell("pip install '.[no_such_extra]'"),
        [Block("python", "print(undefined)", 1)],
        [Block("python", "print(1)", 1), Block("text", "12", 2, title="Output")],
        [Block("fortran", "STOP", 1)],
        [Block("toml", "a = ", 1)],
        [Block("toml", "a = 1", 1, title="../study.toml")],
    ],
)
def test_what_does_not_work_or_is_not_true_fails(
    blocks: list[Block], tmp_path: Path
) -> None:
    with pytest.raises((AssertionError, NameError, ValueError)):
        run_blocks(blocks, tmp_path)


def test_a_refusal_that_is_announced_is_expected(tmp_path: Path) -> None:
    page = run_blocks(
        shell("dpratio estimate nothing.json", "FileRefused: …nothing.json…"), tmp_path
    )
    assert page.commands == [("estimate", "nothing.json")]


def test_dots_stand_for_anything_and_spaces_for_each_other(tmp_path: Path) -> None:
    printing = Block("python", "print('a   1.2345  ok\\nb 2')", 1)
    run_blocks([printing, Block("text", "a 1.2… ok\n…", 2, title="Output")], tmp_path)
