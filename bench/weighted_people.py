"""Invented people with a score, a label and a weight, and the plan about them."""

from typing import Any

COLUMNS = """(random() + random() + random()) / 3 AS score,
    CAST(random() < 0.45 AS INTEGER) AS label,
    greatest(least(-ln(random() + 1e-12), 3), 1 / 3) AS weight"""

Z, H = "(weight * (score - label))", "(weight * (score + label))"


def write_people(path: str, rows: int, more: str) -> None:
    """Write rows of people as Parquet, with more columns in SQL; always the same."""
    import duckdb

    duckdb.execute("SET enable_progress_bar = false")  # It is written to stdout.
    duckdb.execute("SELECT setseed(0.5)")
    duckdb.execute(
        f"COPY (SELECT {COLUMNS}, {more} FROM range({rows})) TO '{path}' "
        "(FORMAT parquet)"
    )


def float_sums(z: str = Z, h: str = H) -> str:
    """Write the five sums of the focused strategy in SQL, as plain floats."""
    return ", ".join(
        f"sum({each})" for each in (z, h, f"{z} * {z}", f"{z} * {h}", f"{h} * {h}")
    )


def weighted_plan(**terms: Any) -> Any:  # noqa: ANN401 (imported where it is used)
    """Plan the weighted ratio of score and label."""
    import dpratio as dpr

    given: dict[str, Any] = {"budget": dpr.Budget(epsilon=1), **terms}
    return dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        clipping="unmeasured",
        **given,
    )
