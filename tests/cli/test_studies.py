"""Studies of people, of several ratios and of several partitions, from a file."""

import csv
import io
import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

import dpratio as dpr
from cli.commands_for_tests import Call, is_refused, shown
from dpratio.cli.studies import table_of
from dpratio.errors import FileRefused
from dpratio.terms import study_file

BOUNDS = """
[bounds]
score = [0, 1]
other = [0, 1]
label = "binary"
"""

TWO_RATIOS = """
[[ratio]]
numerator = "score"
per = "label"

[[ratio]]
numerator = "other"
per = "label"
"""

PAIRED = """
[ratio]
numerator = "score"
minus = "other"
per = "label"
"""

UNIT = """
[unit]
column = "user"
totals = { score = [0, 4], other = [0, 4], label = [0, 4] }
"""

GROUPS = """
[[groups]]
cross = [
  { column = "sex", keys = ["f", "m"] },
  { column = "seen", every = "month", first = 2026-01-01, last = 2026-02-28 },
]

[[groups]]
column = "sex"
keys = ["f", "m"]
budget_share = 2

[[groups]]
whole = true
"""

PRIVACY = """
[privacy]
epsilon = 1000
"""

ROWS = "user,sex,seen,score,other,label\n" + "".join(
    f"{at // 4},{'fm'[at % 8 // 4]},2026-0{1 + at // 8 % 2}-03,"
    f"{0.5 + at % 3 / 10},0.4,{int(at % 5 < 2)}\n"
    for at in range(1600)
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


def write_study(*tables: str) -> None:
    text = '[data]\npath = "rows.csv"\n' + "".join(tables)
    Path("study.toml").write_text(text, encoding="utf-8")


def exact(numerator: str, rows: list[dict[str, str]], minus: str = "") -> float:
    top = sum(float(row[numerator]) - float(row.get(minus, 0)) for row in rows)
    return top / sum(float(row["label"]) for row in rows)


TABLE = list(csv.DictReader(io.StringIO(ROWS)))


def test_several_ratios_over_several_partitions_are_released_and_answered(
    folder: Path,
) -> None:
    write_study(TWO_RATIOS, BOUNDS, GROUPS, PRIVACY)
    planned = json.loads(shown("plan", "study.toml", "--format", "json"))["sums"]
    assert {row["question"] for row in planned} == {1, 2, 3, 4, 5, 6}
    assert sum(row["share"] for row in planned) == pytest.approx(1)
    shown("release", "study.toml", "--no-ledger", "-o", "r.json")
    assert (folder / "r.json").is_file()
    rows = json.loads(shown("estimate", "r.json", "--format", "json"))
    assert [row["question"] for row in rows] == (
        ["Σ score / Σ label"] * 4
        + ["Σ other / Σ label"] * 4
        + ["Σ score / Σ label"] * 2
        + ["Σ other / Σ label"] * 2
        + ["Σ score / Σ label", "Σ other / Σ label"]
    )
    months = ["2026-01-01", "2026-02-01"]
    assert [row["seen"] for row in rows] == months * 4 + ["(all)"] * 6
    assert [row["sex"] for row in rows] == list("ffmm") * 2 + list("fmfm") + [
        "(all)",
        "(all)",
    ]
    for row in rows:
        numerator = row["question"].split()[1]
        cell = [
            each
            for each in TABLE
            if row["sex"] in {each["sex"], "(all)"}
            and (row["seen"] == "(all)" or row["seen"][:7] == each["seen"][:7])
        ]
        assert row["ratio"] == pytest.approx(exact(numerator, cell), abs=0.05)


def test_several_label_columns_stand_before_the_answers() -> None:
    write_study(TWO_RATIOS, BOUNDS, GROUPS, PRIVACY)
    shown("release", "study.toml", "--no-ledger", "-o", "r.json")
    names = ["question", "sex", "seen", "ratio"]
    text = shown("estimate", "r.json", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0])[:4] == names
    assert len(rows) == 14
    assert rows[0]["seen"] == "2026-01-01"
    assert float(rows[-1]["ratio"]) == pytest.approx(exact("other", TABLE), abs=0.05)
    for layout in ("markdown", "table"):
        text = shown("estimate", "r.json", "--format", layout)
        head = next(line for line in text.splitlines() if "ci_lower" in line)
        assert head.replace("|", " ").split()[:4] == names
        assert "2026-02-01" in text
        assert "(all)" in text


def test_a_study_of_people_says_who_is_protected_and_answers() -> None:
    keys = '[groups]\ncolumn = "sex"\nkeys = ["f", "m"]\n'
    write_study(TWO_RATIOS, BOUNDS, UNIT, keys, PRIVACY)
    said = shown("plan", "study.toml")
    assert "all rows of one user, counted in at most 1 group" in said
    shown("release", "study.toml", "--no-ledger", "-o", "r.json")
    rows = json.loads(shown("estimate", "r.json", "--format", "json"))
    assert len(rows) == 4
    for row in rows:
        cell = [each for each in TABLE if each["sex"] == row["sex"]]
        numerator = row["question"].split()[1]
        assert row["ratio"] == pytest.approx(exact(numerator, cell), abs=0.05)


def test_a_paired_study_is_about_the_difference() -> None:
    write_study(PAIRED, BOUNDS, PRIVACY)
    assert "Σ (score − other) / Σ label" in shown("plan", "study.toml")
    shown("release", "study.toml", "--no-ledger", "-o", "r.json")
    (row,) = json.loads(shown("estimate", "r.json", "--format", "json"))
    assert row["ratio"] == pytest.approx(exact("score", TABLE, "other"), abs=0.05)


def test_keys_that_are_found_are_answered() -> None:
    found = """
[groups]
column = "sex"
find = { epsilon = 10, delta = 1e-6 }
"""
    write_study(PAIRED, BOUNDS, found, PRIVACY, "delta = 1e-6\n")
    shown("release", "study.toml", "--no-ledger", "-o", "r.json")
    rows = json.loads(shown("estimate", "r.json", "--format", "json"))
    assert sorted(row["sex"] for row in rows) == ["f", "m"]


def test_a_release_is_not_replaced_by_accident(folder: Path, call: Call) -> None:
    write_study(PAIRED, BOUNDS, PRIVACY)
    shown("release", "study.toml", "--no-ledger", "-o", "r.json")
    first = (folder / "r.json").read_bytes()
    words = ("release", "study.toml", "--no-ledger", "-o", "r.json")
    assert is_refused(call(*words), 5, "holds a release already")
    assert (folder / "r.json").read_bytes() == first
    shown(*words, "--force")
    assert (folder / "r.json").read_bytes() != first


def test_data_in_parquet_are_no_release(folder: Path, call: Call) -> None:
    import pandas as pd

    write_study(PAIRED, BOUNDS, PRIVACY)
    pd.DataFrame({"score": [1.0]}).to_parquet("data.parquet")
    kept = (folder / "data.parquet").read_bytes()
    code, _, said = call("estimate", "data.parquet")
    assert code == 5
    assert said.startswith(
        "FileRefused: 'data.parquet' cannot be read: it is not UTF-8"
    )
    for more in ((), ("--force",)):
        words = ("release", "study.toml", "--no-ledger", "-o", "data.parquet", *more)
        assert is_refused(call(*words), 5, "exists and is no release")
    assert (folder / "data.parquet").read_bytes() == kept


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (
            (PAIRED, BOUNDS, UNIT.replace('"user"', '""'), PRIVACY),
            "$.unit: a column name must be text",
        ),
        (
            (PAIRED, BOUNDS, '[unit]\nneighbours = "swap"\n', PRIVACY),
            "$.unit.neighbours: must be one of",
        ),
        (
            (PAIRED, BOUNDS, '[[groups]]\ncolumn = "g"\nkeys = []\n', PRIVACY),
            "$.groups[0].keys: groups need at least one key",
        ),
        (
            (TWO_RATIOS.replace("other", "label"), BOUNDS, PRIVACY),
            "$.ratio[1]: the columns of a ratio differ",
        ),
        (
            (PAIRED, BOUNDS, "[[groups]]\nwhole = false\n", PRIVACY),
            "$.groups[0].whole: must be true, or left out",
        ),
    ],
)
def test_a_study_that_breaks_a_rule_is_refused_with_its_place(
    tables: tuple[str, ...], said: str, call: Call
) -> None:
    write_study(*tables)
    assert is_refused(call("plan", "study.toml"), 6, f"study.toml: {said}")


def test_a_forecast_of_people_and_of_partitions_is_shown() -> None:
    unit = """
[unit]
column = "user"
totals = { "score - other" = [-4, 4], label = [0, 4] }
"""
    write_study(PAIRED, BOUNDS, unit, GROUPS, PRIVACY)
    rows = json.loads(shown("forecast", "study.toml", "--n", "500", "--format", "json"))
    assert all(row["n"] == 500 for row in rows)
    write_study(TWO_RATIOS, BOUNDS, GROUPS, PRIVACY)
    assert json.loads(shown("forecast", "study.toml", "--format", "json"))


def test_the_study_of_the_documentation_can_be_planned(folder: Path) -> None:
    text = str(study_file.__doc__).split("::\n")[1].split("The fields")[0]
    (folder / "study.toml").write_text(textwrap.dedent(text), encoding="utf-8")
    assert "Protected: one row" in shown("plan", "study.toml")


def test_a_population_of_people_is_planned_and_simulated() -> None:
    """With ids the guess is about the totals of one person."""
    unit = UNIT.replace("other = [0, 4], ", "")
    population = """
[population]
n = 500
numerator = { mean = 2, sd = 1 }
per = { mean = 1.8, sd = 1 }
"""
    bounds = BOUNDS.replace("other = [0, 1]\n", "")
    ratio = '[ratio]\nnumerator = "score"\nper = "label"\n'
    write_study(ratio, bounds, unit, "[privacy]\nepsilon = 4\n", population)
    assert "for 500 people per answer" in shown("plan", "study.toml")
    words = ["coverage", "study.toml", "--n", "500", "--reps", "400", "--seed", "1"]
    rows = json.loads(shown(*words, "--format", "json"))
    (pivot,) = (row for row in rows if row["method"] == "pivot")
    # Five standard errors of 400 repetitions.
    assert pivot["coverage"] == pytest.approx(0.95, abs=0.055)


DATA = {
    'path = "lake/"': "beside/lake/",
    'path = "lake/*.parquet"': "beside/lake/*.parquet",
    'path = "lake/"\npartitions = { year = "text" }': "beside/lake/",
    'path = "s3://lake/a.csv"\ndelimiter = ";"': "s3://lake/a.csv",
    'path = "s3://lake/"\npartitions = { year = "text" }': "s3://lake/",
    'path = "gs://lake/a.parquet"': "gs://lake/a.parquet",
}


@pytest.mark.parametrize("data", DATA)
def test_paths_stand_beside_the_study_and_addresses_keep_their_slashes(
    data: str,
) -> None:
    study = dpr.parse_study(
        'ratio = { numerator = "a", per = "b" }\n'
        'bounds = { a = [0, 1], b = "binary" }\n'
        f"privacy = {{ epsilon = 1 }}\n[data]\n{data}\n"
    )
    table = table_of(replace(study, folder="beside"))
    assert getattr(table, "path", table) == DATA[data]
    if "://" in data:
        plan = dpr.make_plan(study)
        with pytest.raises(FileRefused, match=f"got the address '{DATA[data]}'"):
            dpr.release_sums(table, plan, ledger=None)
