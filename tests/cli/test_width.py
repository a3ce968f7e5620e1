"""The command line fits 80 columns: help, sentences and tables of every command."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from analyst.regions import people, regions_release
from cli.commands_for_tests import Call
from dpratio.cli.help import EXAMPLES
from dpratio.cli.main import app
from dpratio.cli.terminal import WIDTH
from dpratio.release.files import example_release, write_release

ROOT = typer.main.get_command(app)
LEDGER = "--ledger books.db"
ASKED = (
    "--numerator score --per label --bounds score=0,1:a --bounds label=binary:b "
    "--n 500 --epsilon 1"
)
# In order, for some need what an earlier one made; all that prints more than a line.
OUTPUTS = (
    f"new mine.toml --data people.csv --columns score,label --header {ASKED}",
    "plan study.toml",
    f"ledger init --epsilon 40 --delta 1e-5 --dataset 'two thousand people' {LEDGER}",
    f"check study.toml {LEDGER}",
    f"check study.toml {LEDGER}",
    f"release study.toml -o one.json --by 'someone with a long name' {LEDGER}",
    f"release study.toml -o again.json {LEDGER}",
    f"bounds loose.toml -o bounds.json --epsilon 1 {LEDGER}",
    f"ledger show --plan study.toml {LEDGER}",
    f"ledger approve study.toml --by olga {LEDGER}",
    f"ledger verify one.json {LEDGER}",
    "estimate one.json",
    "estimate regions.json --link log",
    "compare regions.json north south",
    "compare regions.json --reference 1 --adjust holm",
    "compare regions.json --homogeneity",
    "compare regions.json --lower 0.95 --upper 1.05 --adjust holm",
    "function regions.json ratio_of_ratios --arms north south",
    "curve example.json --question 2",
    "curve example.json --question 2 --errors",
    "roll-up regions.json -o whole.json",
    "merge one.json apart.json -o both.json --units-are-disjoint",
    "watch one.json apart.json --people-are-new --within 0.5 2",
    "report one.json -o report.html",
    "demo --people 50 --seed 3",
    "forecast study.toml --n 500 --n 2000 --width 0.1",
    "forecast study.toml --looks 4",
    "forecast guessed.toml --n 500",
)
SIMULATED = (
    "coverage guessed.toml --n 200 --reps 5 --seed 1",
    "coverage limit --reps 2 --seed 1",
    "audit --samples 1000 --epsilon 1 --strategy even --unit row",
)
GUESS = """
[population]
numerator = { mean = 0.4, sd = 0.2 }
per = { mean = 0.5 }
"""


def commands() -> Iterator[tuple[str, ...]]:
    """The words of every command, and of the groups they stand in."""
    yield ()
    for name, command in ROOT.commands.items():  # type: ignore[attr-defined]
        yield (name,)
        yield from ((name, each) for each in getattr(command, "commands", ()))


def too_wide(text: str) -> list[str]:
    """Give the lines that run over, but those of TOML: they are to be copied."""
    lines = text.splitlines()
    return [each for each in lines if len(each) > WIDTH and " = { " not in each]


def require_narrow(listed: tuple[str, ...], call: Call) -> None:
    printed = {words: call(*shlex.split(words)) for words in listed}
    assert {words: said for words, (code, _, said) in printed.items() if code} == {}
    wide = {words: too_wide(text) for words, (_, text, _) in printed.items()}
    assert {words: lines for words, lines in wide.items() if lines} == {}


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_help_fits_whatever_the_terminal_says(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, text, _ = call(*words, "--help")
    assert code == 0
    assert not too_wide(text)
    assert "<bool>" not in text
    above = text.partition("╭")[0].split("\n")
    alone = [line.strip() for line in above if len(line.split()) == 1]
    assert [each for each in alone if not each.endswith(".")] == []
    assert words in {(), ("ledger",)} or f"Example: {EXAMPLES[' '.join(words)]}" in text


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_an_example_is_a_command_that_is_understood(name: str) -> None:
    words = shlex.split(EXAMPLES[name])
    assert " ".join(words[: 1 + len(name.split())]) == f"dpratio {name}"
    command = ROOT
    for each in name.split():
        command = command.commands[each]  # type: ignore[attr-defined]
    command.make_context(name, words[1 + len(name.split()) :])


def test_what_commands_print_fits(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    study = (folder / "study.toml").read_text(encoding="utf-8")
    loose = study.replace("score = [0, 1]\n", "")
    (folder / "loose.toml").write_text(loose, encoding="utf-8")
    (folder / "guessed.toml").write_text(study + GUESS, encoding="utf-8")
    write_release(example_release(), folder / "example.json")
    regions = [people(400, ratio, seed) for seed, ratio in enumerate((1.3, 1.1))]
    write_release(regions_release(regions, 2), folder / "regions.json")
    call("release", "study.toml", "-o", "apart.json", "--no-ledger")
    require_narrow(OUTPUTS, call)


@pytest.mark.slow
def test_what_simulations_print_fits(folder: Path, call: Call) -> None:
    study = (folder / "study.toml").read_text(encoding="utf-8")
    (folder / "guessed.toml").write_text(study + GUESS, encoding="utf-8")
    require_narrow(SIMULATED, call)


def test_all_columns_are_shown_where_that_is_asked(folder: Path, call: Call) -> None:
    call("release", "study.toml", "-o", "one.json")
    short = call("ledger", "show")[1]
    assert "Not shown: plan, by, source, source_hash. --wide shows all columns." in (
        short
    )
    wide = call("ledger", "show", "--wide")[1]
    assert "Not shown" not in wide
    assert "source_hash" in wide
    assert folder.is_dir()
