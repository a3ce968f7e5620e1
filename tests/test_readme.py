"""The README's code runs, as it stands there."""

import re
from pathlib import Path

from docs.page_blocks import ROOT, Block, blocks_of
from docs.page_runner import PageRun, run_blocks

README = ROOT / "README.md"


def parts(*languages: str) -> list[Block]:
    """The first block, which makes the demo, what it prints, and some languages."""
    first, shown, *rest = blocks_of(README)[1:]  # the very first is a drawing
    assert "make demo" in first.code
    assert shown.is_output
    return [first, shown, *(block for block in rest if block.language in languages)]


def shown_by(page: PageRun) -> str:
    return "\n".join(page.printed)


def test_the_python_examples_run(tmp_path: Path) -> None:
    shown = shown_by(run_blocks(parts("python"), tmp_path))
    assert "Σ z·h" in shown
    assert "Strategy focused" in shown
    assert "north" in shown
    assert "Protected: all rows of one person" in shown
    assert "calibration error" in shown
    for name in ("people.json", "report.html", "ratios.svg"):
        assert (tmp_path / name).is_file()


def test_the_commands_run_on_the_study_shown(tmp_path: Path) -> None:
    (study,) = (block for block in blocks_of(README) if block.language == "toml")
    (tmp_path / "study.toml").write_text(study.code, encoding="utf-8")
    page = run_blocks(parts("sh"), tmp_path)
    commands = list(dict.fromkeys(words[0] for words in page.commands))
    wanted = ["forecast", "plan", "ledger", "release", "estimate", "compare", "report"]
    assert commands == [*wanted, "roll-up", "coverage", "audit"]
    shown = shown_by(page)
    assert "Left: epsilon 2" in shown
    assert "The ledger is sound." in shown
    assert "Not covered" in shown
    assert "Written to release.json" in shown
    assert "level 0.9" in shown
    assert '"status": "ok"' in shown


def test_the_exit_codes_are_those_of_the_errors() -> None:
    from dpratio import errors

    text = " ".join(README.read_text(encoding="utf-8").split())
    for error, words in {
        errors.InvalidInput: "invalid input",
        errors.SchemaRefused: "schema refused",
        errors.FileRefused: "file refused",
        errors.DocumentRefused: "document refused",
        errors.PlanRefused: "plan refused",
        errors.EngineFailed: "engine failed",
        errors.MissingExtra: "optional package missing",
        errors.LedgerRefused: "ledger refused",
        errors.LedgerFailed: "ledger failed",
        errors.AuditFailed: "audit failed",
    }.items():
        assert re.search(rf"\b{error.exit_code} {words}", text)
