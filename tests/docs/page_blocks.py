"""The fenced blocks of a page of Markdown, in order."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Block", "blocks_of", "written_pages"]

ROOT = Path(__file__).parent.parent.parent

_FENCE = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+) -->\n+)?"
    r"^(?P<indent>[ ]*)```(?P<language>\w*)(?P<options>[^\n`]*)\n"
    r"(?P<code>.*?)"
    r"^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_NUMBER = re.compile(r"\d+(\.\d+)?")
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, its title, and where it begins.

    ``not_run`` is the reason in the comment above a block that cannot be run.
    """

    language: str
    code: str
    line: int
    title: str = ""
    not_run: str = ""

    @property
    def is_output(self) -> bool:
        """Whether this is what the block before it is said to print."""
        return self.title in {"Output", "One run"}

    @property
    def told(self) -> str:
        """What is to be printed; of one run, whatever its numbers are."""
        return _NUMBER.sub("…", self.code) if self.title == "One run" else self.code


def blocks_of(page: Path) -> list[Block]:
    """Give the blocks of a page."""
    text = page.read_text(encoding="utf-8")
    blocks = []
    for found in _FENCE.finditer(text):
        title = _TITLE.search(found["options"])
        blocks.append(
            Block(
                language=found["language"],
                code=textwrap.dedent(found["code"]),
                line=text.count("\n", 0, found.start("code")) + 1,
                title="" if title is None else title[1],
                not_run=found["reason"] or "",
            )
        )
    return blocks


def written_pages() -> list[str]:
    """Name every page that was written by hand: those of docs/, and of the root."""
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]
    return sorted(page.relative_to(ROOT).as_posix() for page in pages)
