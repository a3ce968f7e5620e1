"""Release with diffprivlib: pandas groups, one call for every sum of every group."""

import math

import pandas as pd
from diffprivlib import BudgetAccountant, tools
from question import COLUMNS, EPSILON, KEYS, LARGEST, SHARE
from stopwatch import Released, timed


def release(table: str, _: None) -> Released:
    """Group, then spend the budget of each group on its five sums."""
    people = pd.read_parquet(table, columns=list(COLUMNS))
    a, b = people["weight"] * people["score"], people["weight"] * people["label"]
    sums = {"a": a, "b": b, "aa": a * a, "ab": a * b, "bb": b * b}
    frame = pd.DataFrame(sums | {"region": people["region"]})
    groups = {key: rows for key, rows in frame.groupby("region")}  # noqa: C416
    nobody = frame.iloc[:0]
    released = {key: _sums(groups.get(key, nobody)) for key in KEYS}
    return Released(
        score={key: sums["a"] for key, sums in released.items()},
        label={key: sums["b"] for key, sums in released.items()},
        noise_sd=lambda: math.sqrt(2) * LARGEST["a"] / SHARE,
    )


def _sums(rows: pd.DataFrame) -> dict[str, float]:
    accountant = BudgetAccountant(EPSILON, 0)  # Groups are disjoint: one budget each.
    return {
        name: tools.sum(
            rows[name].to_numpy(),
            epsilon=SHARE,
            bounds=(0, largest),
            accountant=accountant,
        )
        for name, largest in LARGEST.items()
    }


if __name__ == "__main__":
    timed(release, None)
