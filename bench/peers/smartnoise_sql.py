"""Release with SmartNoise SQL on pandas, which it copies into SQLite to query."""

import math

import pandas as pd
from question import COLUMNS, LARGEST, SHARE
from snsql import Privacy, from_df
from snsql.sql.private_reader import PrivateReader
from stopwatch import Released, timed

QUERY = f"""SELECT region, {", ".join(f"SUM({each}) AS {each}" for each in LARGEST)}
    FROM public.people GROUP BY region"""


def release(table: str, _: None) -> Released:
    """Make the products, which its SQL cannot bound, then ask one query."""
    people = pd.read_parquet(table, columns=list(COLUMNS))
    a, b = people["weight"] * people["score"], people["weight"] * people["label"]
    sums = {"a": a, "b": b, "aa": a * a, "ab": a * b, "bb": b * b}
    frame = pd.DataFrame(sums | {"region": people["region"]})
    columns = {
        name: {"type": "float", "lower": 0.0, "upper": largest}
        for name, largest in LARGEST.items()
    }
    # Keys are public here; SmartNoise answers those that it finds, and no others.
    terms = {"row_privacy": True, "censor_dims": False, "region": {"type": "string"}}
    reader = from_df(
        frame,
        privacy=Privacy(epsilon=SHARE, delta=1e-6),  # Epsilon is per column.
        metadata={"": {"public": {"people": terms | columns}}},
    )
    rows = reader.execute(QUERY)[1:]
    return Released(
        score={row[0]: row[1] for row in rows},
        label={row[0]: row[2] for row in rows},
        noise_sd=lambda: _noise_sd(reader),
    )


def _noise_sd(reader: PrivateReader) -> float:
    """Read the scale b off the stated accuracy x: P(|Laplace| > x) = exp(−x/b)."""
    accuracy = reader.get_simple_accuracy(QUERY, alpha=0.05)[1]
    return math.sqrt(2) * float(accuracy) / -math.log(0.05)


if __name__ == "__main__":
    timed(release, None)
