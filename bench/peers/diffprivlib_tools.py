"""Release with diffprivlib: pandas groups, one call for every sum of every group."""

import math

import numpy as np
import pandas as pd
from diffprivlib import BudgetAccountant, tools
from question import EPSILON, PERSON, WHOLE, Question
from stopwatch import Released, timed


def release(table: str, question: Question, _: None) -> Released:
    """Group, then spend the budget of each group on its sums."""
    people = pd.read_parquet(table, columns=question.columns)
    a, b = people["weight"] * people["score"], people["weight"] * people["label"]
    terms = {"a": a, "b": b}
    if "aa" in question.sums:
        terms |= {"aa": a * a, "ab": a * b, "bb": b * b}
    frame = pd.DataFrame(terms)
    if question.most_rows is not None:  # diffprivlib knows rows only: added up by hand.
        frame = frame.groupby(people[PERSON]).sum()
    groups = {WHOLE: frame}
    if question.groups > 1:
        groups = {key: rows for key, rows in frame.groupby(people["region"])}  # noqa: C416
    nobody = frame.iloc[:0]
    seed = question.seed
    random = None if seed is None else np.random.RandomState(seed)  # None: the system's
    released = {
        key: _sums(groups.get(key, nobody), question, random) for key in question.keys
    }
    return Released(
        score={key: sums["a"] for key, sums in released.items()},
        label={key: sums["b"] for key, sums in released.items()},
        noise_sd=lambda: math.sqrt(2) * question.moved("a") / question.share,
    )


def _sums(
    rows: pd.DataFrame, question: Question, random: np.random.RandomState | None
) -> dict[str, float]:
    accountant = BudgetAccountant(EPSILON, 0)  # Groups are disjoint: one budget each.
    return {
        name: tools.sum(
            rows[name].to_numpy(),
            epsilon=question.share,
            bounds=(0, question.moved(name)),
            random_state=random,
            accountant=accountant,
        )
        for name in question.sums
    }


if __name__ == "__main__":
    timed(release, None, ("diffprivlib", "numpy", "pandas"))
