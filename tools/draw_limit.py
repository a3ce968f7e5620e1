"""Draw docs/methods/width_against_epsilon.svg: paper, joint, focused, limit, none.

Usage: python tools/draw_limit.py [repetitions]
"""

import sys
from pathlib import Path

import vl_convert

from dpratio.show.width_charts import limit_chart
from dpratio.study.limit import measure_limit

TARGET = Path(__file__).parent.parent / "docs" / "methods" / "width_against_epsilon.svg"


def main() -> None:
    """Simulate both strategies and draw their widths."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000
    focused = measure_limit(repetitions=repetitions, rng=1).to_dicts()
    joint = measure_limit(strategy="joint", repetitions=repetitions, rng=1).to_dicts()
    rows = [
        {**row, "width_joint": other["width"]}
        for row, other in zip(focused, joint, strict=True)
    ]
    chart = limit_chart(rows).to_json()
    TARGET.write_text(vl_convert.vegalite_to_svg(chart), encoding="utf-8")


if __name__ == "__main__":
    main()
