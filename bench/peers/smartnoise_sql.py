"""Release with SmartNoise SQL on pandas, which it copies into SQLite to query."""

import math

import pandas as pd
from question import LEVEL, PERSON, WHOLE, Question
from snsql import Privacy, from_df
from snsql.sql.private_reader import PrivateReader
from stopwatch import Released, timed


def release(table: str, question: Question, _: None) -> Released:
    """Make the products, which its SQL cannot bound, then ask one query."""
    reader = from_df(
        _frame(table, question),
        privacy=Privacy(epsilon=question.share, delta=1e-6),  # Epsilon is per column.
        metadata={"": {"public": {"people": _terms(question)}}},
    )
    query = _query(question)
    rows = reader.execute(query)[1:]
    if question.groups == 1:
        rows = [(WHOLE, *row) for row in rows]
    return Released(
        score={row[0]: row[1] for row in rows},
        label={row[0]: row[2] for row in rows},
        # The scale b by the stated accuracy x: P(|Laplace| > x) = exp(−x/b).
        noise_sd=lambda: math.sqrt(2) * _accuracy(reader, query) / -math.log(1 - LEVEL),
        accuracy=lambda: _accuracy(reader, query),
    )


def _frame(table: str, question: Question) -> pd.DataFrame:
    people = pd.read_parquet(table, columns=question.columns)
    a, b = people["weight"] * people["score"], people["weight"] * people["label"]
    terms = {"a": a, "b": b}
    if "aa" in question.sums:
        terms |= {"aa": a * a, "ab": a * b, "bb": b * b}
    more = {name: people[name] for name in ("region", PERSON) if name in people}
    return pd.DataFrame(terms | more)


def _terms(question: Question) -> dict[str, object]:
    # Keys are public here; SmartNoise answers those that it finds, and no others.
    terms: dict[str, object] = {"censor_dims": False}
    if question.most_rows is None:
        terms |= {"row_privacy": True}
    else:  # Of a person some rows are kept, drawn at random.
        terms |= {"max_ids": question.most_rows, "sample_max_ids": True}
        terms |= {PERSON: {"type": "int", "private_id": True}}
    if question.groups > 1:
        terms |= {"region": {"type": "string"}}
    return terms | {
        name: {"type": "float", "lower": 0.0, "upper": largest}
        for name, largest in question.sums.items()
    }


def _query(question: Question) -> str:
    sums = ", ".join(f"SUM({each}) AS {each}" for each in question.sums)
    if question.groups == 1:
        return f"SELECT {sums} FROM public.people"
    return f"SELECT region, {sums} FROM public.people GROUP BY region"


def _accuracy(reader: PrivateReader, query: str) -> float:
    stated = reader.get_simple_accuracy(query, alpha=1 - LEVEL)
    return float(next(each for each in stated if each is not None))


if __name__ == "__main__":
    timed(release, None, ("smartnoise-sql", "opendp", "pandas"))
