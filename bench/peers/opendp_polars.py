"""Release with OpenDP's Context on a Polars scan: float sums, Laplace noise."""

import math
import time
from typing import Any

import opendp.prelude as dp
import polars as pl
from opendp.extras.polars import Margin
from question import BY_HAND_SHARES, EPSILON, LEVEL, PERSON, WHOLE, Question
from stopwatch import Released, timed


def release(table: str, question: Question, _: None) -> Released:
    """Find the scale that spends the budget, then collect."""
    start = time.monotonic()
    context = _context(table, question)
    measurement = _query(context, question).resolve()
    found = time.monotonic()
    frame = context(measurement).collect()
    end = time.monotonic()
    keys = [WHOLE] if question.groups == 1 else frame["region"]
    by_hand = "z" in question.sums
    score = frame["z"] + frame["b"] if by_hand else frame["a"]
    return Released(
        score=dict(zip(keys, score, strict=True)),
        label=dict(zip(keys, frame["b"], strict=True)),
        noise_sd=lambda: math.sqrt(2) * _summary(measurement, "scale"),
        accuracy=None if by_hand else lambda: _summary(measurement, "accuracy"),
        stages={"search_s": found - start, "collect_s": end - found},
    )


def _context(table: str, question: Question) -> dp.Context:
    whole = Margin(by=[], max_length=2 * question.rows)
    region = Margin(
        by=["region"], max_length=question.longest, max_groups=question.groups
    )
    person = None if question.most_rows is None else PERSON
    return dp.Context.compositor(
        data=pl.scan_parquet(table),
        privacy_unit=dp.unit_of(contributions=1, identifier=person),
        privacy_loss=dp.loss_of(epsilon=EPSILON),
        split_evenly_over=1,
        margins=[whole] if question.groups == 1 else [region, whole],
    )


def _query(context: dp.Context, question: Question) -> Any:  # noqa: ANN401
    """Ask for all sums at once; of a person some rows are kept, drawn at random."""
    a, b = (pl.col("weight") * pl.col(name) for name in ("score", "label"))
    terms = {"a": a, "b": b, "aa": a * a, "ab": a * b, "bb": b * b, "z": a - b}
    query: Any = context.query()  # Its class says less than it can do.
    if question.most_rows is not None:
        query = query.truncate_per_group(question.most_rows)
    query = query.with_columns(*(terms[name].alias(name) for name in question.sums))
    sums = [
        _noisy(pl.col(name).fill_nan(0.0).fill_null(0.0), name, question)
        for name in question.sums
    ]
    if question.groups == 1:
        return query.select(*sums)
    keys = pl.LazyFrame({"region": question.keys})
    return query.group_by("region").agg(*sums).with_keys(keys)


def _noisy(term: pl.Expr, name: str, question: Question) -> pl.Expr:
    largest, scale = question.sums[name], None
    if "z" in question.sums:
        scale = largest / (EPSILON * BY_HAND_SHARES[name])
    bounds = (-largest if name == "z" else 0.0, largest)
    noisy: pl.Expr = term.dp.sum(bounds, scale=scale)  # type: ignore[attr-defined]
    return noisy


def _summary(measurement: dp.Measurement, column: str) -> float:
    """Read the first sum's scale, or its accuracy at 95 %, as OpenDP states it."""
    summary = dp.summarize_polars_measurement(measurement, alpha=1 - LEVEL)
    return float(summary.row(0, named=True)[column])


if __name__ == "__main__":
    dp.enable_features("contrib")
    timed(release, None, ("opendp", "polars"))
