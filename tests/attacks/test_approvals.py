"""What was approved is what runs: whatever was changed since is refused, uncharged."""

from pathlib import Path

import duckdb
import pandas as pd
import pytest

from attacks.bound_data import (
    DECLARED,
    PATH,
    STUDY,
    Call,
)
from dpratio.curator.ledger.ledger import Ledger


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("data/a.csv", "data/b.csv", "path"),
        ("data/a.csv", "data/*.csv", "path"),
        ("data/a.csv", "link/a.csv", "path"),
        ('delimiter = ";"', 'delimiter = ","', "delimiter"),
        ('delimiter = ";"', 'delimiter = ";"\nquote = ""', "quote"),
        ('delimiter = ";"', 'delimiter = ";"\ndecimal = ","', "decimal"),
        ('delimiter = ";"', 'delimiter = ";"\ndates = "D.M.YYYY"', "dates"),
        # One customer with twenty orders would be twenty "customers".
        ('"customer", "order"]', '"order", "customer"]', "columns"),
        (
            f"{PATH}\n{DECLARED}",
            'url = "duckdb:///data.db"\ntable = "loans"',
            "path, delimiter, quote, columns, scheme, database, table",
        ),
    ],
)
def test_38_a_study_that_was_changed_after_its_approval_is_refused(
    old: str, new: str, differs: str, call: Call, folder: Path
) -> None:
    """An approval is of terms and data: path, dialect, names of columns, database.

    Source: found by an independent attack on this code, 2026.
    """
    with duckdb.connect(folder / "data.db") as own:
        own.execute("CREATE TABLE loans (s REAL, y INTEGER, customer TEXT)")
    words = ("--scope", "loans", "--unit", "customer", "--epsilon", "1", "--approval")
    assert call("ledger", "init", *words)[0] == 0
    assert call("ledger", "approve", "study.toml", "--by", "officer")[0] == 0
    assert old in STUDY
    (folder / "changed.toml").write_text(STUDY.replace(old, new), "utf-8")
    code, said = call("release", "changed.toml", "-o", "r.json")
    assert code == 10
    assert f"was approved for another source, which differs in: {differs}." in said
    assert "ask for a new approval with `dpratio ledger approve`" in said
    assert Ledger("dpratio.db").account().spent.loss == 0
    assert not (folder / "r.json").exists()
    assert call("release", "study.toml", "-o", "r.json")[0] == 0


@pytest.mark.parametrize("file", ["study.toml", "plan.json"])
def test_38_data_are_not_named_aside_of_an_approved_study(
    file: str, call: Call, folder: Path
) -> None:
    """Neither a plan alone nor --data runs where studies are approved.

    Source: found by an independent attack on this code, 2026.
    """
    study = STUDY.replace(f"{PATH}\n{DECLARED}", 'path = "data/a.parquet"')
    (folder / "study.toml").write_text(study, "utf-8")
    frame = pd.DataFrame({"s": [0.5], "y": [1], "customer": ["a"], "order": ["b"]})
    frame.to_parquet(folder / "data" / "a.parquet")
    words = ("--scope", "loans", "--unit", "customer", "--epsilon", "1", "--approval")
    assert call("ledger", "init", *words)[0] == 0
    assert call("ledger", "approve", "study.toml")[0] == 0
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    code, said = call("release", file, "--data", "data/a.parquet", "-o", "r.json")
    assert code == 10
    assert "neither a plan alone nor --data" in said
    assert Ledger("dpratio.db").account().spent.loss == 0
    assert call("release", "study.toml", "-o", "r.json")[0] == 0
