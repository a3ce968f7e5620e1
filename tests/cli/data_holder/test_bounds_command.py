"""`dpratio bounds`: noisy histograms into a file, and bounds that they propose."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from cli.commands_for_tests import Call, is_refused
from dpratio.curator.ledger.ledger import Ledger
from dpratio.plan.histograms import HistogramPlan
from dpratio.release.files import read_release

STUDY = """
[data]
path = "shoppers.csv"

[ratio]
numerator = "spent"
per = "orders"

[bounds]
orders = [0, 4]

[privacy]
epsilon = 1
"""


@pytest.fixture
def shop(folder: Path) -> Path:
    """The folder with 5,000 shoppers that spent up to 60 each."""
    spent = np.random.default_rng(1).uniform(1, 60, 5000)
    rows = "".join(f"{each:.2f},1\n" for each in spent)
    (folder / "shoppers.csv").write_text(f"spent,orders\n{rows}", encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return folder


def test_bounds_are_found_for_what_has_none(shop: Path, call: Call) -> None:
    words = ("bounds", "study.toml", "-o", "bounds.json", "--epsilon", "0.5")
    code, said, _ = call(*words)
    assert code == 0
    # One time in a hundred noise looks like a tail beyond the last of them.
    assert re.search(r"spent      0 +(64|[0-9]{3}) ", said)
    assert "Written to bounds.json" in said
    assert isinstance(read_release("bounds.json").plan, HistogramPlan)
    assert float(Ledger(shop / "dpratio.db").account().spent.loss) == 0.5
    # Asked again it is given again, for free; a new draw is paid for.
    code, again, error = call(*words)
    assert (code, again) == (0, said)
    assert "is given again, for free" in error
    assert is_refused(call(*words, "--new-draw"), 5, "bounds.json")
    assert float(Ledger(shop / "dpratio.db").account().spent.loss) == 0.5
    assert call(*words, "--new-draw", "--force")[0] == 0
    assert float(Ledger(shop / "dpratio.db").account().spent.loss) == 1


def test_a_study_takes_the_line_that_is_printed(shop: Path, call: Call) -> None:
    asked = ("bounds", "study.toml", "-o", "bounds.json", "--epsilon", "0.5")
    said = call(*asked)[1].splitlines()
    at = said.index("To take them, write into [bounds] of the study:")
    line = said[at + 1]
    assert re.fullmatch(r"spent = \[0\.0, (64|[0-9]{3})\.0\]", line)
    words = STUDY.replace("[bounds]\n", f"[bounds]\n{line}\n")
    (shop / "study.toml").write_text(words, encoding="utf-8")
    assert call("release", "study.toml", "-o", "sums.json")[0] == 0
    assert float(Ledger(shop / "dpratio.db").account().spent.loss) == 1.5


def test_a_column_and_limits_may_be_named(shop: Path, call: Call) -> None:
    code, said, _ = call(
        *("bounds", "study.toml", "-o", "b.json", "--epsilon", "1", "--no-ledger"),
        *("--column", "orders", "--smallest", "0.5", "--largest", "64"),
        *("--data", str(shop / "shoppers.csv"), "--format", "json"),
        *("--chart", "b.svg"),
    )
    assert code == 0
    (row,) = json.loads(said)
    assert (row["name"], row["lower"]) == ("orders", 0)
    assert 1 < row["upper"] <= 8
    assert "orders 1 to 1.25: " in (shop / "b.svg").read_text(encoding="utf-8")


def test_limits_of_people_are_nearer(shop: Path, call: Call) -> None:
    rows = "".join(f"u{at},{at % 50},1\n" for at in range(5000))
    (shop / "people.csv").write_text(f"user,spent,orders\n{rows}", encoding="utf-8")
    words = STUDY.replace("shoppers", "people") + '[unit]\ncolumn = "user"\n'
    (shop / "people.toml").write_text(words, encoding="utf-8")
    asked = ("bounds", "people.toml", "--epsilon", "1", "--column", "spent")
    code, said, _ = call(*asked, "-o", "p.json", "--no-ledger")
    assert code == 0
    assert re.search(r"spent +0 +(56|[0-9]{3}) ", said)
    assert len(read_release("p.json").questions[0].values) == 324
    done = call(*asked, "-o", "q.json", "--no-ledger", "--largest", "1e12")
    assert is_refused(done, 3, "must lie within a factor 2^40")


@pytest.mark.usefixtures("shop")
def test_limits_that_exclude_a_bound_are_refused_and_nothing_is_charged(
    call: Call,
) -> None:
    done = call(
        *("bounds", "study.toml", "-o", "b.json", "--epsilon", "1"),
        *("--column", "orders", "--largest", "2"),
    )
    assert is_refused(done, 3, "outer limits must hold the bounds of 'orders'")
    assert Ledger("dpratio.db").account().spent.loss == 0


def test_most_groups_is_proposed_where_a_study_leaves_it_out(
    folder: Path, call: Call
) -> None:
    """2,000 people are in one region, and 400 in three of four."""
    rows = [f"{who},{who % 4},9,1\n" for who in range(2_400)]
    rows += [f"{who},{(who + at) % 4},9,1\n" for who in range(400) for at in (1, 2)]
    text = f"user,region,spent,orders\n{''.join(rows)}"
    (folder / "shoppers.csv").write_text(text, encoding="utf-8")
    grouped = (
        '[unit]\ncolumn = "user"\n[groups]\ncolumn = "region"\nkeys = [0, 1, 2, 3]\n'
    )
    (folder / "study.toml").write_text(f"{STUDY}{grouped}", encoding="utf-8")
    asked = ("bounds", "study.toml", "-o", "bounds.json", "--epsilon", "6")
    code, said, _ = call(*asked, "--no-ledger")
    assert code == 0
    assert "To take it, write into [unit] of the study:\nmost_groups = 3" in said
    words = " ".join(said.split())
    assert "the least that cuts at most 5% of the people" in words
    assert "If you take another, look for them again." in words
    names = [each.name for each in read_release("bounds.json").questions]
    assert names == ["spent", "orders", "groups per user"]
    together = "Each line is for all groupings of the study"
    assert together not in words
    two = f"{grouped}[groups2]\n".replace("[groups]", "[[groups]]").replace(
        "[groups2]", "[[groups]]\nwhole = true"
    )
    (folder / "two.toml").write_text(f"{STUDY}{two}", encoding="utf-8")
    code, said, _ = call("bounds", "two.toml", *asked[2:], "--no-ledger", "--force")
    assert (code, together in said) == (0, True)
    code, said, _ = call(*asked, "--no-ledger", "--force", "--no-groups")
    assert (code, "most_groups" in said) == (0, False)
    code, said, _ = call(*asked, "--no-ledger", "--force", "--column", "spent")
    assert (code, "most_groups" in said) == (0, False)
    totals = "[unit.totals]\nspent = [0, 9]\norders = [0, 9]\n"
    known = f"{STUDY}{grouped}{totals}".replace(
        "[bounds]\n", "[bounds]\nspent = [0, 9]\n"
    )
    (folder / "study.toml").write_text(known, encoding="utf-8")
    code, said, _ = call(*asked, "--no-ledger", "--force")
    assert (code, "most_groups = 3" in said, "Proposed bounds" in said) == (
        0,
        True,
        False,
    )
