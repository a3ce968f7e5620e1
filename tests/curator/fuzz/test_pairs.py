"""Hostile neighbours on every engine of this process: what moves, and what is told.

At least 2,000 pairs of tables at every run of the tests and 100,000 in a soak, counted
here. Noise is frozen, so that the two releases of a pair may differ in their integers
alone, and in those by no more than is paid for.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from curator.door_for_tests import release_with
from curator.fuzz.pairs import PAIRS, Batch, make_batch, require_batch_paid
from curator.table_sources import CSV_DIALECTS, mapping_of, write_csv
from dpratio.cli.main import app
from dpratio.curator import measure, release_sums
from dpratio.curator.choose_engine import open_keys
from dpratio.curator.reading.statement import KeyCount
from dpratio.curator.statements import unit_rule
from dpratio.release.files import read_release, release_to_bytes, write_plan
from dpratio.release.release import Release
from soak import IS_SOAK

LONGER = 50 if IS_SOAK else 1
# Batches of each engine; a batch holds `PAIRS` pairs.
BATCHES = {
    "lists": 12 * LONGER,
    "duckdb": 58 * LONGER,
    "polars": 16 * LONGER,
}
TEXT_BATCHES = {"duckdb": 16 * LONGER}
KEY_BATCHES = 2 * LONGER
COMMANDS = 2 * LONGER
# Batches of people whose question has totals of its own.
OWN_BATCHES = {"lists": 5 * LONGER, "duckdb": 5 * LONGER}
WANTED = 100_000 if IS_SOAK else 2_000

Open = Callable[[Any], tuple[object, str]]


@pytest.fixture(scope="module")
def engines() -> Iterator[dict[str, Open]]:
    """Every engine that runs in this process, and lazy frames of Polars."""
    with duckdb.connect(config={"threads": 1}) as connection:
        yield {
            "lists": lambda rows: (mapping_of(rows), "duckdb"),
            "duckdb": lambda rows: (connection.from_arrow(rows), "duckdb"),
            "polars": lambda rows: (pl.DataFrame(rows).lazy(), "duckdb"),
        }


@pytest.fixture
def _frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put no noise on sums, and the same name on every release."""

    def nothing(_law: object, scales: Any, count: int, _bits: object) -> Any:  # noqa: ANN401
        return np.zeros((count, len(scales)), dtype=np.int64)

    monkeypatch.setattr(measure, "draw_noise", nothing)
    # What is paid for holds for each key of the ranks; two releases have two.
    monkeypatch.setattr(measure, "fresh_id", str)
    monkeypatch.setattr(release_sums, "fresh_id", lambda: "0" * 32)


def released(table: object, batch: Batch, engine: str) -> Release:
    return release_with(engine, table, batch.plan, ledger=None)


def require_alike(whole: Release, less: Release) -> None:
    """Two releases differ in their integers and in the checksum over them."""
    told = [json.loads(release_to_bytes(each)) for each in (whole, less)]
    for document in told:
        del document["sha256"]
        for question in document["questions"]:
            del question["values"]
    assert told[0] == told[1]
    assert whole.questions[0].values.shape == less.questions[0].values.shape


def compare(batch: Batch, *releases: Release) -> int:
    require_alike(*releases)
    one, other = (each.questions[0].values.tolist() for each in releases)
    return require_batch_paid(batch.plan, one, other)


def require_silence(
    capfd: pytest.CaptureFixture[str], log: pytest.LogCaptureFixture
) -> None:
    printed = capfd.readouterr()
    assert (printed.out, printed.err, log.text) == ("", "", "")


@pytest.mark.usefixtures("_frozen")
@pytest.mark.parametrize("engine", BATCHES)
def test_neighbours_differ_in_integers_alone_and_by_what_is_paid_for(
    engine: str,
    engines: dict[str, Open],
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    compared = 0
    for number in range(BATCHES[engine]):
        batch = make_batch(number)
        releases = []
        for rows in (batch.whole, batch.neighbour):
            table, name = engines[engine](rows)
            capfd.readouterr()
            releases.append(released(table, batch, name))
            require_silence(capfd, caplog)
        compared += compare(batch, *releases)
    assert compared == BATCHES[engine] * PAIRS


@pytest.mark.usefixtures("_frozen")
@pytest.mark.parametrize("engine", OWN_BATCHES)
def test_neighbours_differ_by_what_their_own_question_paid_for(
    engine: str, engines: dict[str, Open]
) -> None:
    compared = 0
    numbers = (number for number in range(4_000, 5_000) if _is_of_people(number))
    for number in itertools.islice(numbers, OWN_BATCHES[engine]):
        batch = make_batch(number, asks_itself=True)
        (question,) = batch.plan.measurements
        assert question.question.totals != batch.plan.unit.totals
        releases = []
        for rows in (batch.whole, batch.neighbour):
            table, name = engines[engine](rows)
            releases.append(released(table, batch, name))
        compared += compare(batch, *releases)
    assert compared == OWN_BATCHES[engine] * PAIRS


def _is_of_people(number: int) -> bool:
    return any(each.startswith("people") for each in make_batch(number).features)


# Lines that are no rows of a table: each spoils itself and nothing else.
SPOILT = [
    b'"',
    b'"north,1',
    b",,,,,,,,,,,,,,,,,",
    b"\xff\xfe",
    b"\x00",
    b"",
    b'1,"a""b,2',
    b"'",
    b"\\",
    "\u2028".encode(),
]


@pytest.mark.usefixtures("_frozen")
@pytest.mark.parametrize("engine", TEXT_BATCHES)
def test_neighbours_in_text_files_differ_no_more(
    engine: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    compared = 0
    dialects = [
        name for name in sorted(CSV_DIALECTS) if name not in {"gzip", "no_quote"}
    ]
    for number in range(TEXT_BATCHES[engine]):
        batch = make_batch(1_000 + number)
        dialect = dialects[number % len(dialects)]
        releases = []
        for at, rows in enumerate((batch.whole, batch.neighbour)):
            file = write_csv(rows, tmp_path, dialect)
            if at == 0:
                # Lines of the pair that is left out: they may be anything.
                ending = CSV_DIALECTS[dialect][5].encode()
                path = Path(file.path)
                lines = path.read_bytes().split(ending)
                lines[2:2] = SPOILT
                path.write_bytes(ending.join([*lines, *SPOILT]))
            capfd.readouterr()
            releases.append(released(file, batch, engine))
            require_silence(capfd, caplog)
        compared += compare(batch, *releases)
    assert compared == TEXT_BATCHES[engine] * PAIRS


@pytest.mark.usefixtures("_frozen")
def test_the_command_says_and_writes_the_same_for_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code, output, files and their names: only integers may differ."""
    monkeypatch.chdir(tmp_path)
    words = [
        "release",
        "plan.json",
        "--data",
        "rows.csv",
        "--no-ledger",
        "-o",
        "r.json",
    ]
    for number in range(COMMANDS):
        batch = make_batch(3_000 + number)
        write_plan(batch.plan, "plan.json")
        told, releases = [], []
        for rows in (batch.whole, batch.neighbour):
            write_csv(rows, tmp_path, "plain")
            done = CliRunner().invoke(app, words)
            there = sorted(path.name for path in tmp_path.iterdir())
            told.append((done.exit_code, done.output, done.stderr, there))
            releases.append(read_release("r.json"))
            Path("r.json").unlink()
        assert told[0] == told[1]
        assert told[0][0] == 0
        assert compare(batch, *releases) == PAIRS


@pytest.mark.parametrize("engine", BATCHES)
def test_one_unit_moves_so_many_counts_of_keys_by_one(
    engine: str, engines: dict[str, Open]
) -> None:
    """Keys carry the number of their pair, as ids do."""
    compared = 0
    for number in range(KEY_BATCHES):
        batch = next(
            each
            for each in map(make_batch, range(2_000 + 40 * number, 2_040 + 40 * number))
            if (each.plan.unit.column is not None) == bool(number % 2)
        )
        asked = KeyCount("key", "text", unit_rule(batch.plan.unit))
        counts = []
        for rows in (batch.whole, batch.neighbour):
            table, name = engines[engine](with_keys(rows))
            counts.append(open_keys(table, asked, name)())
        moved = dict.fromkeys(map(str, range(PAIRS)), 0)
        for key in {*counts[0], *counts[1]}:
            apart = abs(counts[0].get(key, 0) - counts[1].get(key, 0))
            sides = 2 if batch.plan.unit.neighbours == "change-one" else 1
            assert apart <= 1
            moved[str(key).partition(":")[0]] += apart
            assert (
                moved[str(key).partition(":")[0]] <= sides * batch.plan.unit.most_groups
            )
        compared += len(moved)
    assert compared == KEY_BATCHES * PAIRS


def with_keys(rows: Any) -> Any:  # noqa: ANN401
    """Add a column of keys, each of one pair; those of no pair are missing."""
    import pyarrow as pa

    keys = [
        f"{pair}:{region}" if pair in range(PAIRS) and region is not None else None
        for pair, region in zip(
            rows["pair"].to_pylist(), rows["region"].to_pylist(), strict=True
        )
    ]
    return rows.append_column("key", pa.array(keys, pa.string()))


def test_enough_pairs_of_every_kind_are_compared() -> None:
    batches = sum(BATCHES.values()) + sum(TEXT_BATCHES.values())
    batches += KEY_BATCHES * len(BATCHES) + COMMANDS
    assert batches * PAIRS >= WANTED
    fewest = min(BATCHES.values())
    seen = set().union(*(make_batch(number).features for number in range(fewest)))
    every = {"even", "joint", "focused", "laplace", "analytic_gaussian", "rows"}
    every |= {"add-or-remove-one", "change-one", "weights", "minus", "binary", "none"}
    every |= {"text keys", "whole keys", "truths", "bins", "days", "weeks", "months"}
    assert every <= seen
    assert any(each.startswith("people in") for each in seen)
