"""Two groups that are watched: how far they are apart at every look."""

from dpratio.analyst.watch.arms import WatchedArms
from dpratio.show.chart.picture import Chart
from dpratio.show.forest_chart import draw_intervals

__all__ = ["arms_chart"]


def arms_chart(arms: WatchedArms) -> Chart:
    """Draw the confidence sequence of a lift or difference, look under look."""
    rows = [
        row | {"ci_lower": row["cs_lower"], "ci_upper": row["cs_upper"]}
        for row in arms.to_dicts()
    ]
    measure = f"{arms.link} of {arms.asked}, {arms.first} against {arms.second}"
    return draw_intervals(
        rows, name="period", measure=measure, value="estimate", reference=0.0
    )
