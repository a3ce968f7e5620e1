"""The help of a group is drawn without Rich, and says what Rich would."""

from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from dpratio.cli.help import Group, Readable
from dpratio.cli.main import app

FRAME = str.maketrans("╭╮╰╯─│", "      ")


@pytest.mark.parametrize("words", [[], ["ledger"]])
def test_the_words_are_those_that_rich_would_draw(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = CliRunner().invoke(app, [*words, "--help"]).stdout
    monkeypatch.setattr(Group, "format_help", Readable.format_help)
    theirs = CliRunner().invoke(app, [*words, "--help"]).stdout
    assert ours.translate(FRAME).split() == theirs.translate(FRAME).split()
    assert ours.count("╭") == theirs.count("╭")


def test_options_of_groups_are_flags() -> None:
    whole = get_command(app)
    groups: list[Any] = [whole, whole.commands["ledger"]]  # type: ignore[attr-defined]
    for group in groups:
        assert all(each.is_flag or each.hidden for each in group.params)


def test_names_are_coloured_unless_nobody_wants_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = CliRunner().invoke(app, ["--help"], color=True).stdout
    assert "\x1b[36m\x1b[1mestimate" in shown
    monkeypatch.setenv("NO_COLOR", "1")
    shown = CliRunner().invoke(app, ["--help"], color=True).stdout
    assert "\x1b" not in shown
