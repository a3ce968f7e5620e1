"""A few invented people, and a release of them."""

import dpratio as dpr

__all__ = ["people", "released"]


def people() -> dict[str, list[object]]:
    """Invent a few people as columns."""
    return {
        "score": [i % 5 / 4 for i in range(2000)],
        "label": [i % 2 for i in range(2000)],
        "region": [("north", "south")[i % 2] for i in range(2000)],
    }


def released(table: object) -> None:
    """Release a table with few terms, and find its groups."""
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        groups=dpr.Groups("region", ["north", "south"]),
        budget=dpr.Budget(epsilon=5),
    )
    release = dpr.release_sums(table, plan, ledger=None)
    assert len(dpr.estimate_ratios(release)) == 2
