"""Release with PipelineDP's local backend: one vector sum over rows in Python."""

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pipeline_dp
import pyarrow.parquet as pq
from pipeline_dp.aggregate_params import NormKind
from question import EPSILON, PERSON, WHOLE, Question
from stopwatch import Released, timed

Row = tuple[str, np.ndarray]  # A key and what is added up.
# Both sums by key, once the budget is shared out.
Result = Callable[[], tuple[dict[str, float], ...]]


def release(table: str, question: Question, _: None) -> Released:
    """Aggregate by region: all sums of a row as one vector, those of people one by one.

    One bound holds for a whole vector, so each sum is scaled to reach it: the budget is
    then shared evenly. Five calls of SUM have the same noise and took four times as
    long.
    """
    accountant = pipeline_dp.NaiveBudgetAccountant(EPSILON, total_delta=0)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    ask = _vectors if question.most_rows is None else _totals
    result = ask(table, question, engine)
    accountant.compute_budgets()
    score, label = result()
    noise_sd = math.sqrt(2) * question.moved("a") * len(question.sums) / EPSILON
    return Released(
        score=score,
        label=label,
        noise_sd=lambda: noise_sd,
        # SUM states this standard deviation; 1.96 of it is what a reader makes of it.
        accuracy=lambda: 1.96 * noise_sd,
    )


def _vectors(table: str, question: Question, engine: pipeline_dp.DPEngine) -> Result:
    result = engine.aggregate(
        _rows(table, question),
        pipeline_dp.AggregateParams(
            metrics=[pipeline_dp.Metrics.VECTOR_SUM],
            noise_kind=pipeline_dp.NoiseKind.LAPLACE,
            max_partitions_contributed=1,
            max_contributions_per_partition=1,
            vector_norm_kind=NormKind.Linf,
            vector_max_norm=question.moved("a"),
            vector_size=len(question.sums),
            contribution_bounds_already_enforced=True,
            public_partitions_already_filtered=True,
        ),
        pipeline_dp.DataExtractors(
            partition_extractor=lambda row: row[0], value_extractor=lambda row: row[1]
        ),
    )

    def released() -> tuple[dict[str, float], ...]:
        sums = {key: metrics.vector_sum for key, metrics in result}
        return tuple(
            {key: float(vector[at]) for key, vector in sums.items()} for at in (0, 1)
        )

    return released


def _totals(table: str, question: Question, engine: pipeline_dp.DPEngine) -> Result:
    """Bound the total of each person: no row is dropped, as in dpratio."""
    people = pq.read_table(table, columns=question.columns)
    score, label, weight = (people[name].to_numpy() for name in question.columns[:3])
    ids = people[PERSON].to_pylist()
    columns = [(weight * each).tolist() for each in (score, label)]
    results = [
        engine.aggregate(
            zip(ids, column, strict=True),
            pipeline_dp.AggregateParams(
                metrics=[pipeline_dp.Metrics.SUM],
                noise_kind=pipeline_dp.NoiseKind.LAPLACE,
                max_partitions_contributed=1,
                max_contributions_per_partition=1,  # Asked for; totals are bounded.
                min_sum_per_partition=0,
                max_sum_per_partition=question.moved("a"),
                output_noise_stddev=True,
            ),
            pipeline_dp.DataExtractors(
                privacy_id_extractor=lambda row: row[0],
                partition_extractor=lambda _: WHOLE,
                value_extractor=lambda row: row[1],
            ),
            public_partitions=[WHOLE],
        )
        for column in columns
    ]
    return lambda: tuple(
        {key: float(metrics.sum) for key, metrics in result} for result in results
    )


def _rows(table: str, question: Question) -> Iterator[Row]:
    """Give every row of a declared key, and a row of zeros for each key.

    With ``public_partitions`` PipelineDP 0.3.1 cannot add up vectors: its empty
    accumulator is None. The zeros declare the keys in its place and change no sum.
    """
    people = pq.read_table(table, columns=question.columns)
    score, label, weight = (people[name].to_numpy() for name in question.columns[:3])
    a, b = weight * score, weight * label
    terms = {"a": a, "b": b}
    if "aa" in question.sums:
        terms |= {"aa": a * a, "ab": a * b, "bb": b * b}
    scales = [question.sums["a"] / largest for largest in question.sums.values()]
    vectors = np.stack([terms[name] for name in question.sums], axis=1) * scales
    size = len(question.sums)
    zeros = ((key, np.zeros(size)) for key in question.keys)
    if question.groups == 1:
        return itertools.chain(zeros, zip(itertools.repeat(WHOLE), vectors))
    declared = set(question.keys)
    rows = zip(people["region"].to_pylist(), vectors, strict=True)
    return itertools.chain(zeros, (row for row in rows if row[0] in declared))


if __name__ == "__main__":
    timed(release, None, ("pipeline-dp", "python-dp", "numpy"))
