"""Run the blocks of a page in order, in one process and one folder, as a reader would.

Python blocks share their names. Commands of dpratio run in shell blocks. Blocks with
the name of a file as their title are written to it. A block with the title Output is
compared with what the block before it printed, where ``…`` stands for anything. With
the title One run its numbers are not compared: noise is fresh. A release that is kept
takes the place of the one that the page makes, so that the page can show its figures.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from docs.page_blocks import ROOT, Block
from dpratio.cli.main import run

__all__ = ["PageRun", "run_blocks"]

# Simulations take minutes with the repetitions that figures need.
_SHORTENED = {
    "coverage": ("--reps", "20"),
    "audit": (
        *("--epsilon", "1", "--samples", "2000"),
        *("--unit", "row", "--strategy", "focused"),
    ),
}
# What a reader does to get ready, and a test has done before.
_MADE_READY = {"cd", "mkdir", "python3", ".", "git", "pip", "make", "java"}
_REFUSAL = re.compile(r"\w+(Refused|Failed|Input|Extra): ")


@dataclass
class PageRun:
    """A page that is being run: its folder, its names, and what was printed."""

    folder: Path
    replaced: Mapping[str, str] = field(default_factory=dict)
    database: str = ""
    kept: Path | None = None
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    commands: list[tuple[str, ...]] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)

    def take(self, block: Block, following: Block | None) -> None:
        """Do what a block says."""
        code = block.code
        for shown, real in self.replaced.items():
            code = code.replace(shown, real)
        if block.title and not block.is_output:
            _check_file(block.title, code)
            (self.folder / block.title).write_text(code, encoding="utf-8")
        elif block.language == "python":
            padded = "\n" * (block.line - 1) + code
            compiled = compile(padded, "page", "exec")
            self._print_of(lambda: exec(compiled, self.names))  # noqa: S102
        elif block.language == "sh":
            refused = following is not None and following.is_output
            refused = refused and bool(_REFUSAL.match(following.code))  # type: ignore[union-attr]
            self._print_of(lambda: self._shell(code, is_refused=refused))
        elif block.language == "toml":
            tomllib.loads(code)
        elif block.language == "sql":
            with psycopg.connect(self.database, autocommit=True) as connection:
                connection.execute(code.encode())
        elif block.is_output:
            _compare(block.told, self.printed[-1])
        elif block.language != "text":
            raise AssertionError(f"a block of an unknown language: {block.language!r}")

    def _print_of(self, work: Callable[[], object]) -> None:
        shown = io.StringIO()
        try:
            with contextlib.redirect_stdout(shown):
                work()
        finally:
            self.printed.append(shown.getvalue())
        for release in self.kept.glob("*.json") if self.kept else ():
            if (self.folder / release.name).exists():
                shutil.copy(release, self.folder)

    def _shell(self, code: str, *, is_refused: bool) -> None:
        for line in code.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] == "export":
                name, _, value = words[1].partition("=")
                os.environ[name] = value
            elif words[0] == "dpratio":
                self.commands.append(tuple(words[1:]))
                _command(words[1:], is_refused=is_refused)
            else:
                _check_set_up(words)
                if words == ["make", "demo"]:
                    _command(["demo"])


def run_blocks(
    blocks: Iterable[Block],
    folder: Path,
    *,
    replaced: Mapping[str, str] | None = None,
    database: str = "",
    kept: Path | None = None,
) -> PageRun:
    """Run blocks in order in a folder.

    Args:
        blocks: Blocks of a page, or some of them.
        folder: An empty folder; the process moves there and back.
        replaced: Addresses that a page shows, and those that the test has.
        database: Where statements of SQL run.
        kept: A folder of releases that the page shows the figures of.
    """
    listed = [block for block in blocks if not block.not_run]
    page = PageRun(folder, replaced or {}, database, kept)
    around = dict(os.environ)
    try:
        with contextlib.chdir(folder):
            for block, following in zip(listed, [*listed[1:], None], strict=True):
                page.take(block, following)
    finally:
        os.environ.clear()
        os.environ.update(around)
    return page


def _command(words: list[str], *, is_refused: bool = False) -> None:
    """Run a command of dpratio; a refusal must be announced by the output below it."""
    extra = _SHORTENED.get(words[0], ())
    before, sys.argv = sys.argv, ["dpratio", *words, *extra]
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            run()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        sys.argv = before
    said = errors.getvalue()
    if is_refused:
        assert code, f"`dpratio {shlex.join(words)}` was to be refused"
        sys.stdout.write(said)
    else:
        assert code == 0, f"`dpratio {shlex.join(words)}` ended with {code}: {said}"


def _check_set_up(words: list[str]) -> None:
    """Check what a reader is told to install or make."""
    assert words[0] in _MADE_READY, f"a command that no test runs: {shlex.join(words)}"
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert f"\n{words[1]}:" in makefile, f"no such target: {words[1]}"
    for extra in re.findall(r"\[([\w,]+)\]", " ".join(words)):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        known = set(project["project"]["optional-dependencies"])
        assert set(extra.split(",")) <= known, f"no such extra: {extra}"


def _check_file(name: str, code: str) -> None:
    """Refuse a file that could leave the folder, or that is not what its name says."""
    assert Path(name).name == name, f"a title must be the name of a file: {name}"
    if name.endswith(".toml"):
        tomllib.loads(code)


def _compare(said: str, printed: str) -> None:
    """Compare what a page says with what was printed; … stands for anything."""
    parts = [re.escape(part) for part in _trimmed(said).split("…")]
    shown = _trimmed(printed)
    fits = re.fullmatch(".*?".join(parts), shown, flags=re.DOTALL)
    assert fits, f"the page says\n{_trimmed(said)}\n\nand this was printed:\n{shown}"


def _trimmed(text: str) -> str:
    """Take runs of spaces as one: a table with digits left out is set anew."""
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())
