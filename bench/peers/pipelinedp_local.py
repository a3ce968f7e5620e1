"""Release with PipelineDP's local backend: one vector sum over rows in Python."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pipeline_dp
import pyarrow.parquet as pq
from pipeline_dp.aggregate_params import NormKind
from question import COLUMNS, EPSILON, KEYS, LARGEST
from stopwatch import Released, timed

# One bound holds for a whole vector, so each sum is scaled to reach it: the budget is
# then shared evenly. Five calls of SUM have the same noise and took four times as long.
BOUND = LARGEST["a"]
SCALES = np.array([BOUND / largest for largest in LARGEST.values()])


def release(table: str, _: None) -> Released:
    """Aggregate vectors per region."""
    accountant = pipeline_dp.NaiveBudgetAccountant(EPSILON, total_delta=0)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    result = engine.aggregate(
        _rows(table),
        pipeline_dp.AggregateParams(
            metrics=[pipeline_dp.Metrics.VECTOR_SUM],
            noise_kind=pipeline_dp.NoiseKind.LAPLACE,
            max_partitions_contributed=1,
            max_contributions_per_partition=1,
            vector_norm_kind=NormKind.Linf,
            vector_max_norm=BOUND,
            vector_size=len(LARGEST),
            contribution_bounds_already_enforced=True,
            public_partitions_already_filtered=True,
        ),
        pipeline_dp.DataExtractors(
            partition_extractor=lambda row: row[0], value_extractor=lambda row: row[1]
        ),
    )
    accountant.compute_budgets()
    released = {key: metrics.vector_sum for key, metrics in result}
    return Released(
        score={key: float(vector[0]) for key, vector in released.items()},
        label={key: float(vector[1]) for key, vector in released.items()},
        noise_sd=lambda: math.sqrt(2) * BOUND * len(LARGEST) / EPSILON,
    )


def _rows(table: str) -> Iterator[tuple[str, np.ndarray]]:
    """Give every row of a declared key, and a row of zeros for each key.

    With ``public_partitions`` PipelineDP 0.3.1 cannot add up vectors: its empty
    accumulator is None. The zeros declare the keys in its place and change no sum.
    """
    people = pq.read_table(table, columns=list(COLUMNS))
    score, label, weight = (people[name].to_numpy() for name in COLUMNS[:3])
    a, b = weight * score, weight * label
    vectors = np.stack([a, b, a * a, a * b, b * b], axis=1) * SCALES
    declared = set(KEYS)
    rows = zip(people["region"].to_pylist(), vectors, strict=True)
    zeros = ((key, np.zeros(len(LARGEST))) for key in KEYS)
    return itertools.chain(zeros, (row for row in rows if row[0] in declared))


if __name__ == "__main__":
    timed(release, None)
