"""`dpratio bounds --bins`: a noisy histogram of a score, and bins at its quantiles."""

from pathlib import Path

import numpy as np
import pytest

from cli.commands_for_tests import QUESTION, Call
from dpratio.curator.ledger.ledger import Ledger
from dpratio.release.files import read_release

STUDY = f"""
[data]
path = "loans.csv"
{QUESTION}
[privacy]
epsilon = 1
"""
ASKED = ("bounds", "study.toml", "-o", "bins.json", "--epsilon", "0.5")
SCORE = ("--column", "score", "--bins", "4")


@pytest.fixture
def bank(folder: Path) -> Path:
    """The folder with 5,000 loans."""
    rng = np.random.default_rng(1)
    rows = "".join(f"{each:.4f},1\n" for each in rng.beta(2, 5, 5000))
    (folder / "loans.csv").write_text(f"score,label\n{rows}", encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return folder


def test_a_study_takes_the_line_that_is_printed(bank: Path, call: Call) -> None:
    code, text, _ = call(*ASKED, *SCORE, "--cells", "64", "--chart", "bins.svg")
    assert code == 0
    assert "and proposed bins" in (bank / "bins.svg").read_text(encoding="utf-8")
    assert "4 bins of score at quantiles, 4 asked for." in text
    said = text.splitlines()
    place = '[groups] of the study, beside column = "score"'
    line = said[said.index(f"To take them, write into {place}:") + 1]
    release = read_release("bins.json")
    (histogram,) = release.plan.measurements
    assert histogram.groups.count == 64  # type: ignore[union-attr]
    assert line.startswith("bins = [0.0, ")
    words = f'{STUDY}[groups]\ncolumn = "score"\n{line}\n'
    (bank / "study.toml").write_text(words, encoding="utf-8")
    assert call("release", "study.toml", "-o", "sums.json")[0] == 0
    assert float(Ledger(bank / "dpratio.db").account().spent.loss) == 1.5


@pytest.mark.usefixtures("bank")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cells", "64"), "--cells needs --bins"),
        (("--bins", "4"), "--bins needs one --column"),
        ((*SCORE, "--column", "label"), "--bins needs one --column"),
        (("--column", "score", "--bins", "1"), "2 to 1,000 bins at quantiles"),
        ((*SCORE, "--largest", "2"), "--smallest, --largest and --groups are for"),
        ((*SCORE, "--cells", "3"), "16 to 1,000 cells"),
        (("--column", "age", "--bins", "4"), "needs bounds"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    words: tuple[str, ...], message: str, call: Call
) -> None:
    code, _, error = call(*ASKED, *words)
    assert (code, message in error) == (3, True), error
    assert not Path("bins.json").exists()


@pytest.mark.usefixtures("bank")
def test_too_little_known_is_said_and_nothing_is_to_take(call: Call) -> None:
    few = ("bounds", "study.toml", "-o", "few.json", "--epsilon", "0.0001", *SCORE)
    code, said, _ = call(*few, "--no-ledger", "--format", "table")
    assert code == 0
    assert ("To take them" in said) != ("Too little is known" in said)
