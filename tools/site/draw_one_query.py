"""Draw docs/methods/width_against_epsilon.svg: paper, joint, focused, one query, none.

A second drawing is for phones: two panels beside each other instead of four.
Usage: python tools/site/draw_one_query.py [repetitions]
"""

import sys
from pathlib import Path

from dpratio.show.chart.picture import NARROW, WIDE
from dpratio.show.width_charts import one_query_chart
from dpratio.simulation.coverage.one_query import measure_one_query

TARGET = Path(__file__).parents[2] / "docs" / "methods"
NAME = "width_against_epsilon"


def main() -> None:
    """Simulate both strategies and draw their widths."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000
    focused = measure_one_query(repetitions=repetitions, rng=1).to_dicts()
    joint = measure_one_query(
        strategy="joint", repetitions=repetitions, rng=1
    ).to_dicts()
    rows = [
        {**row, "width_joint": other["width"]}
        for row, other in zip(focused, joint, strict=True)
    ]
    chart = one_query_chart(rows)
    for name, width in ((NAME, WIDE), (f"{NAME}_narrow", NARROW)):
        svg = chart.svg(width=width)
        (TARGET / f"{name}.svg").write_text(f"{svg}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
