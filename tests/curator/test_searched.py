"""Bounds that are found, and sums within them: two readings, one charge, one file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest
from pyarrow import parquet

from curator.tables_for_tests import exact
from dpratio.curator import measure as readings
from dpratio.curator import searched as room
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.preflight import check_release
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed, InvalidInput, LedgerRefused, PlanRefused
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.search.realise_bounds import realise_bounds
from dpratio.release.files import read_release
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from plan.search_plans import PERSON, REGIONS, counts_at, search_plan

PLAN = search_plan(budget=Budget(10), groups=REGIONS)
PEOPLE = search_plan(budget=Budget(10), groups=REGIONS, unit=PERSON)
CHANCE = np.random.default_rng(5)
COUNT = 1_200
COLUMNS: dict[str, list[Any]] = {
    "spent": CHANCE.lognormal(3, 0.8, COUNT).tolist(),
    "orders": CHANCE.integers(1, 5, COUNT).astype(float).tolist(),
    "region": [["north", "south", "west"][at % 3] for at in range(COUNT)],
    "id": [f"person {at % 400}" for at in range(COUNT)],
}
ARROW = pa.table(COLUMNS)


@contextmanager
def without_noise() -> Iterator[None]:
    def nothing(_: str, question: PlannedQuestion, cells: int, __: object) -> Any:  # noqa: ANN401
        return np.zeros((cells, len(question.sums)), dtype=np.int64)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(readings, "draw_noise", nothing)
        yield


def released(table: object, plan: Plan = PLAN, engine: str = "auto") -> Release:
    return release_sums(table, plan, engine=engine, ledger=None)


@pytest.mark.parametrize("plan", [PLAN, PEOPLE], ids=["rows", "people"])
def test_both_stages_are_the_same_on_every_engine_and_source(
    plan: Plan, tmp_path: Path
) -> None:
    file, text = str(tmp_path / "a.parquet"), str(tmp_path / "a.csv")
    parquet.write_table(ARROW, file)
    arrow_csv.write_csv(ARROW, text)
    frames = [ARROW.to_pandas(), pl.from_arrow(ARROW), ARROW]
    with without_noise():
        first = released(COLUMNS, plan)
        others = [
            released(each, plan, engine)
            for engine, tables in (
                ("python", (ARROW, file)),
                ("duckdb", (*frames, file, text)),
            )
            for each in tables
        ]
    assert first.searched is not None
    assert first.searched.is_taken
    for each in others:
        assert (each.searched, each.questions) == (first.searched, first.questions)


def test_the_sums_are_those_of_a_plan_with_the_found_bounds() -> None:
    with without_noise():
        release = released(COLUMNS)
    assert release.searched is not None
    second, searched = realise_bounds(PLAN, release.searched.counts)
    assert searched == release.searched
    assert second.bounds["spent"].upper < 4096
    assert release.questions[0].values.tolist() == exact(COLUMNS, second, "python")


def test_too_few_people_are_measured_within_the_widest_bounds() -> None:
    few = {name: each[:3] for name, each in COLUMNS.items()}
    release = released(few)
    assert release.searched is not None
    assert not release.searched.is_taken
    assert release.measured.bounds["spent"] == Bounds(0, 4096)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "ledger.db")
    made.open_scope(Scope("shop", Budget(20)))
    return made


def spent(ledger: Ledger) -> Fraction:
    account = ledger.account()
    return sum((each.charge.loss for each in account.releases.values()), Fraction(0))


def test_one_charge_pays_for_both_stages_and_both_are_sealed(
    ledger: Ledger, tmp_path: Path
) -> None:
    out = tmp_path / "r.json"
    release = release_sums(COLUMNS, PLAN, ledger=ledger, source="shop", out=out)
    assert spent(ledger) == 10
    assert read_release(out) == release
    assert release.plan == PLAN
    found = verify_ledger(ledger, [release])
    assert found.wrong == ()
    with pytest.warns(match="given again, for free"):
        again = release_sums(COLUMNS, PLAN, ledger=ledger, source="shop")
    assert again == release
    assert spent(ledger) == 10


def test_an_approval_is_of_both_stages(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.open_scope(Scope("shop", Budget(20), needs_approval=True))
    ledger.approve(PLAN, source="shop", by="officer")
    other = search_plan(budget=Budget(10), groups=REGIONS, search=0.2)
    with pytest.raises(LedgerRefused):
        release_sums(COLUMNS, other, ledger=ledger, source="shop", by="ann")
    assert spent(ledger) == 0
    release_sums(COLUMNS, PLAN, ledger=ledger, source="shop", by="ann")
    assert spent(ledger) == 10


@pytest.mark.parametrize("kind", ["relation", "lazy"])
def test_what_others_may_write_to_is_refused_before_the_charge(
    kind: str, ledger: Ledger, tmp_path: Path
) -> None:
    connection = duckdb.connect(str(tmp_path / "rows.duckdb"))
    connection.register("given", ARROW)
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    table: Any = connection.table("rows")
    if kind == "lazy":
        table = pl.from_arrow(ARROW).lazy()  # type: ignore[union-attr]
    for ask in (release_sums, check_release):
        with pytest.raises(InvalidInput, match="`dpratio bounds`"):
            ask(table, PLAN, ledger=ledger, source="shop")
    assert ledger.account().seq == 0


def test_a_dry_run_looks_at_what_both_stages_need(ledger: Ledger) -> None:
    found = check_release(COLUMNS, PLAN, ledger=ledger, source="shop")
    assert [name for name, *_ in found.columns_read] == ["spent", "orders", "region"]
    assert found.charge is not None
    assert found.charge.loss == 10


@pytest.mark.parametrize("change", ["written", "replaced", "added", "removed"])
def test_files_that_change_between_the_readings_stop_the_release(
    change: str, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(ARROW, tmp_path / "a.parquet")
    parquet.write_table(ARROW, tmp_path / "b.parquet")

    def meanwhile(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        if change == "written":
            os.utime(tmp_path / "a.parquet")
        if change == "replaced":
            (tmp_path / "b.parquet").replace(tmp_path / "a.parquet")
        if change == "added":
            parquet.write_table(ARROW, tmp_path / "c.parquet")
        if change == "removed":
            (tmp_path / "b.parquet").unlink()
        return realise_bounds(plan, counts)

    monkeypatch.setattr(room, "realise_bounds", meanwhile)
    with pytest.raises(EngineFailed, match="changed while they were read"):
        release_sums(str(tmp_path / "*.parquet"), PLAN, ledger=ledger)
    assert spent(ledger) == 10
    assert verify_ledger(ledger).wrong == ()


def test_a_file_that_is_gone_afterwards_is_told_without_its_folder(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a folder may be a cell, and the system's own words would show it."""
    file = tmp_path / "lake" / "day=secret" / "a.parquet"
    file.parent.mkdir(parents=True)
    parquet.write_table(ARROW, file)
    within = room.measure_within

    def gone_after(*given: Any) -> Any:  # noqa: ANN401
        found = within(*given)
        file.unlink()
        file.symlink_to("nowhere")
        return found

    monkeypatch.setattr(readings, "measure_within", gone_after)
    with pytest.raises(EngineFailed, match="changed while they were read") as stopped:
        release_sums(f"{tmp_path}/lake/", PLAN, ledger=ledger)
    assert "secret" not in str(stopped.value)
    assert stopped.value.__context__ is None


def test_a_second_stage_that_costs_more_than_is_left_is_not_measured(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    dear = search_plan(
        budget=Budget(10), groups=REGIONS, bounds={"spent": Bounds(0, 9)}
    )

    def hostile(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        _, searched = realise_bounds(plan, counts)
        return dear, searched

    monkeypatch.setattr(room, "realise_bounds", hostile)
    with pytest.raises(PlanRefused, match="more than the search has left"):
        release_sums(COLUMNS, PLAN, ledger=ledger, source="shop")
    assert spent(ledger) == 10


def test_a_second_stage_is_priced_and_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hostile(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        second, searched = realise_bounds(plan, counts)
        (question,) = second.questions
        quiet = tuple(replace(each, scale=each.scale / 2) for each in question.sums)
        return replace(second, questions=(replace(question, sums=quiet),)), searched

    monkeypatch.setattr(room, "realise_bounds", hostile)
    with pytest.raises(PlanRefused, match="too small"):
        released(COLUMNS)


def test_nobody_finds_a_bound_by_the_exact_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What decides has the noise of the release: the same counts that it holds."""
    seen = []

    def noted(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        seen.append(counts)
        return realise_bounds(plan, counts)

    monkeypatch.setattr(room, "realise_bounds", noted)
    release = released(COLUMNS, search_plan(groups=REGIONS))
    assert release.searched is not None
    assert seen == [release.searched.counts]
    with without_noise():
        released(COLUMNS, search_plan(groups=REGIONS))
    assert seen[0] != seen[1]
    assert len(seen[0][0]) == len(counts_at(PLAN)[0])
