"""Whatever a release shows beside its noisy sums is the same for neighbours."""

import logging
import re
import sqlite3
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import dpratio as dpr
from curator.ledger.attacks.books import name_of, open_book
from dpratio.cli.main import run
from dpratio.curator import release_sums as door
from dpratio.curator.ledger import claim
from dpratio.curator.ledger.admission import charging
from dpratio.curator.ledger.history import describe
from dpratio.curator.ledger.store import clock
from dpratio.curator.noise import entropy
from dpratio.curator.reading.exact import ExactSums
from dpratio.release.files import release_to_bytes
from planned import plan_scores
from tiers import quick_first

Rows = list[tuple[Any, ...]]
NAMES = ("score", "label", "region")
ROWS: Rows = [(at / 60, at % 2, "ab"[at % 2]) for at in range(60)]

# One row more, of every kind that someone might count or mention.
NEIGHBOURS: dict[str, tuple[Any, ...]] = {
    "a usual row": (0.5, 1, "a"),
    "an outlier": (1e300, 1, "b"),
    "no number": (float("nan"), 0, "a"),
    "a missing cell": (None, 1, "a"),
    "an undeclared key": (0.5, 1, "someone"),
    "a missing key": (0.5, 1, None),
}
STUDY = """
[ratio]
numerator = "score"
per = "label"
answers = ["ratio", "means"]

[bounds]
score = [0, 1]
label = "binary"

[groups]
column = "region"
keys = ["a", "b"]

[privacy]
epsilon = 0.5
"""


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze what may differ: the noisy sums, the id, the salt and the clock."""

    def noisy(_: ExactSums, noise: NDArray[np.int64]) -> NDArray[np.int64]:
        sums = np.arange(1, 1 + noise.size, dtype=np.int64).reshape(noise.shape)
        return sums * 2**28

    monkeypatch.setattr(ExactSums, "plus", noisy)
    for room in (door, entropy):
        monkeypatch.setattr(room, "fresh_id", lambda: name_of(29))
    for room in (charging, claim):
        monkeypatch.setattr(room, "fresh_salt", lambda: "0" * 64)
    monkeypatch.setattr(clock, "time_now", lambda: "2026-01-31T00:00:00Z")


def write_csv(rows: Rows, folder: Path) -> str:
    lines = [
        ",".join("" if cell is None else str(cell) for cell in row) for row in rows
    ]
    (folder / "people.csv").write_text("\n".join([",".join(NAMES), *lines]) + "\n")
    return "people.csv"


def write_parquet(rows: Rows, folder: Path) -> str:
    columns = zip(*rows, strict=True)
    kinds = (pa.float64(), pa.int64(), pa.string())
    arrays = [pa.array(cells, kind) for cells, kind in zip(columns, kinds, strict=True)]
    pq.write_table(pa.table(arrays, names=NAMES), folder / "people.parquet")
    return "people.parquet"


@pytest.fixture
def call(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Run a command; give its exit code and what it printed."""

    def called(words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["dpratio", *words.split()])
        with pytest.raises(SystemExit) as stopped:
            run()
        said = capfd.readouterr()
        return f"{words}\n{stopped.value.code}\n{said.out}\n{said.err}"

    return called


def outputs_of(folder: Path, data: str, call: Callable[[str], str]) -> list[str]:
    """Release, estimate, report and look at the ledger; give all there is to see."""
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    again = f"--format json --id {name_of(29)} -v"
    commands = [
        "ledger init --epsilon 3 --delta 1e-5 --anchor heads",
        f"release study.toml --data {data} --anchor heads --by ann -o r.json -v",
        f"release study.toml --data {data} --anchor heads -o s.json {again}",
        "estimate r.json",
        "report r.json -o r.html",
        "ledger show --wide --anchor heads",
        "ledger verify r.json --anchor heads",
    ]
    said = [call(words) for words in commands]
    assert [each.splitlines()[1] for each in said] == ["0"] * len(commands)
    (folder / data).unlink()
    estimates = dpr.estimate_ratios(dpr.read_release("r.json"))
    said.append(estimates.chart().svg())
    with closing(sqlite3.connect("dpratio.db")) as connection:
        said += list(connection.iterdump())
    (folder / "dpratio.db").unlink()
    for path in sorted(folder.iterdir()):
        said.append(f"{path.name}: {path.read_bytes()!r}")
        path.unlink()
    return said


def test_29_where_output_is_kept_no_stage_has_its_time(
    call: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long a query runs depends on the rows; a terminal alone shows it.

    Source: Haeberlen et al. (2011), Differential Privacy Under Fire (the time that a
    query took told who was in the data). More: tests/cli/data_holder/test_running.py.
    """
    monkeypatch.chdir(tmp_path)
    data = write_csv(ROWS, tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    assert "\n0\n" in call("ledger init --epsilon 3")
    said = call(f"release study.toml --data {data} -o r.json --verbose --format json")
    assert [each for each in said.splitlines() if each.startswith("dpratio: ")] == [
        f"dpratio: {stage}" for stage in door.STAGES
    ]
    assert not re.search(r"\d:\d\d|\d ?m?s\b|second|elapsed", said)


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize(
    ("write", "kinds"),
    quick_first(
        [(write_csv, list(NEIGHBOURS)), (write_parquet, ["an outlier", "no number"])]
    ),
)
def test_29_all_other_outputs_are_the_same_for_neighbours(
    write: Callable[[Rows, Path], str],
    kinds: list[str],
    call: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Files, screen, report, charts, logs and ledger hold no count and no extreme.

    Source: Opacus, issue 571 (the exact number of rows told who was in them).
    More: tests/curator/test_release_sums.py, tests/curator/test_canaries.py.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("DPRATIO_LEDGER", "DPRATIO_ANCHOR"):
        monkeypatch.delenv(name, raising=False)
    caplog.set_level(logging.DEBUG)
    # A Spark session of another test, which is being cleared away.
    caplog.set_level(logging.WARNING, "py4j")
    first = outputs_of(tmp_path, write(ROWS, tmp_path), call)
    assert any("r.html" in each for each in first)
    for kind in kinds:
        again = outputs_of(tmp_path, write([*ROWS, NEIGHBOURS[kind]], tmp_path), call)
        assert again == first, kind
    assert caplog.text == ""


class Loud(list[Any]):
    """A column of a loader that tells how many cells it has read, as loaders do."""

    def __iter__(self) -> Iterator[Any]:
        logging.getLogger("loader").critical("read %d cells", len(self))
        warnings.warn(f"{len(self)} cells are wide", RuntimeWarning, stacklevel=2)
        return super().__iter__()


@pytest.mark.usefixtures("frozen")
def test_29_what_others_say_while_rows_are_read_is_not_heard(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Loggers and warnings that count the rows are silent until the sums are noisy.

    Source: Opacus, issue 571.
    More: tests/curator/sql/test_silence.py.
    """
    caplog.set_level(logging.DEBUG)
    plan = plan_scores(dpr.Budget(0.5))
    seen = []
    for at, rows in enumerate([ROWS, [*ROWS, NEIGHBOURS["an outlier"]]]):
        columns = zip(*rows, strict=True)
        table = {name: Loud(cells) for name, cells in zip(NAMES, columns, strict=True)}
        ledger = open_book(str(tmp_path / f"{at}.db"))
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            release = dpr.release_sums(table, plan, ledger=ledger)
        told = [*map(str, warned), caplog.text, *capfd.readouterr()]
        assert "".join(told) == ""
        account = ledger.account()
        seen.append((release_to_bytes(release), account, describe(account)))
    assert seen[0] == seen[1]
