"""Products across pairs of groups: every engine adds up the same integers."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from curator.pairs_for_tests import MONTHS, exact_of, pairs_plan, table_of
from curator.table_sources import mapping_of
from curator.warehouse.shops_for_tests import in_duckdb
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.preflight import check_release
from dpratio.curator.release_sums import release_sums
from dpratio.curator.warehouse.on_duckdb import DuckDb
from dpratio.errors import SchemaRefused
from dpratio.plan.plan import Plan
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

PLANS = [
    pairs_plan(),
    pairs_plan(strategy="joint", most_groups=2),
    pairs_plan(ratio=Ratio("spent", per="visits", guess=-1.0, residual_bound=6.0)),
    pairs_plan([("jan", "apr"), ("jan", "feb")], most_groups=4, clipping="measured"),
]


def people(seed: int = 1, rows: int = 400) -> pa.Table:
    """Rows of some people in some months, beyond their bounds too."""
    rng = np.random.default_rng(seed)
    months = (*MONTHS, "may")
    return table_of(
        [
            (
                f"p{rng.integers(60)}",
                months[rng.integers(5)],
                float(rng.normal(2, 4)),
                float(rng.integers(0, 4)),
            )
            for _ in range(rows)
        ]
    )


def by_hand(table: pa.Table, plan: Plan) -> list[list[float]]:
    """Add up products of clipped totals, where nobody is in too many groups."""
    totals: dict[str, dict[int, list[float]]] = {}
    for row in table.to_pylist():
        if row["month"] in MONTHS:
            held = totals.setdefault(row["id"], {})
            own = held.setdefault(MONTHS.index(row["month"]), [0.0, 0.0])
            own[0] += min(max(row["spent"], -4), 10)
            own[1] += min(max(row["visits"], 0), 5)
    (question,) = plan.questions
    assert question.pairs is not None
    contrast = plan.contrast(question)
    rows = np.eye(2) if contrast is None else np.array(contrast.rows)
    found = []
    for first, second in question.pairs.places:
        products = np.zeros(4)
        for held in totals.values():
            if first in held and second in held:
                one, other = (
                    rows @ np.clip(held[at], [-4, 0], [10, 5]) for at in (first, second)
                )
                products += np.outer(one, other).ravel()
        found.append(products.tolist())
    return found


@pytest.mark.parametrize("plan", PLANS)
def test_engines_agree_on_every_product(plan: Plan, tmp_path: Path) -> None:
    table = people()
    wanted = exact_of(mapping_of(table), plan, "python")
    assert any(any(row) for row in wanted[1])
    pa.csv.write_csv(table, tmp_path / "people.csv")
    pa.parquet.write_table(table, tmp_path / "people.parquet")
    sources: list[Any] = [
        table,
        table.to_pandas(),
        str(tmp_path / "people.csv"),
        str(tmp_path / "people.parquet"),
    ]
    for source in sources:
        assert exact_of(source, plan, "duckdb") == wanted
    for source in sources[2:]:
        assert exact_of(source, plan, "python") == wanted


@pytest.mark.parametrize("strategy", ["focused", "joint"])
def test_products_are_those_of_clipped_totals(strategy: str) -> None:
    plan = pairs_plan(strategy=strategy, most_groups=4)
    table = people(2)
    _, products = exact_of(table, plan, "duckdb")
    (question,) = plan.questions
    assert question.pairs is not None
    steps = [each.step for each in question.pairs.sums]
    assert np.array(products) * steps == pytest.approx(
        np.array(by_hand(table, plan)), rel=1e-5, abs=1e-3
    )


def test_a_table_of_other_people_has_no_products() -> None:
    rows = [(f"p{at}", MONTHS[at % 4], 1.0, 1.0) for at in range(8)]
    for engine in ("python", "duckdb"):
        source = mapping_of(table_of(rows)) if engine == "python" else table_of(rows)
        _, products = exact_of(source, pairs_plan(), engine)
        assert products == [[0] * 4] * 2


def test_sums_beyond_53_bits_are_added_in_whole_numbers() -> None:
    """Totals at their bounds have 2^24 cells and more: a few hundred are exact."""
    plan = pairs_plan([("jan", "feb")])
    rows = [
        (f"p{at}", month, 10.0, 0.0) for at in range(500) for month in ("jan", "feb")
    ]
    one = exact_of(table_of(rows[:2]), plan, "duckdb")[1]
    many = exact_of(table_of(rows), plan, "duckdb")[1]
    assert many == [[500 * cell for cell in one[0]]]


@pytest.mark.parametrize("seed", range(3))
def test_a_release_holds_the_products_with_noise(seed: int) -> None:
    plan = pairs_plan()
    release = release_sums(people(seed), plan, ledger=None)
    products = release.questions[0].products
    assert products is not None
    _, exact = exact_of(people(seed), plan, "duckdb")
    apart = products - np.array(exact)
    (question,) = plan.questions
    assert question.pairs is not None
    assert (apart != 0).all()
    assert (np.abs(apart) < 40 * np.array(question.pairs.scales)).all()


def test_warehouses_refuse_before_anything_is_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(tmp_path / "ledger")
    ledger.open_scope(Scope("people", Budget(5, "1e-5"), unit="id"))
    terms: dict[str, Any] = {"ledger": ledger, "engine": "ibis"}
    held = in_duckdb(tmp_path, mapping_of(people())).table
    monkeypatch.setattr(DuckDb, "snapshot", lambda *_: None)
    with pytest.raises(SchemaRefused, match="has no snapshot that is held"):
        release_sums(held, pairs_plan(), **terms)
    assert not ledger.account("people").sources
    assert release_sums(held, pairs_plan(()), **terms)
    assert ledger.account("people").sources


def test_a_rehearsal_of_the_release_opens_both_readings() -> None:
    told = check_release(people(), pairs_plan(), ledger=None)
    assert told.columns()["column"].count("id") == 1
