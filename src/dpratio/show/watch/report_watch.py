"""The time view of a report: alarms and changes in words, and the chart."""

from typing import Any

import numpy as np

from dpratio.analyst.watch.watch_results import Watch
from dpratio.show.report_words import shortened
from dpratio.show.watch.watch_chart import MOST_PANELS, watch_chart


def watched_of(watch: Watch) -> dict[str, Any]:
    """Give what the template needs of a ratio over time."""
    loud = np.flatnonzero((watch.alarm_seen >= 0) | (watch.change_seen >= 0)).tolist()
    told = [line for at in loud[:MOST_PANELS] for line in _told(watch, at)]
    more = len(loud) - MOST_PANELS
    if more > 0:
        told.append(f"{more:,} more groups have an alarm or a change.")
    return {
        "headline": f"{shortened(watch.summary())}.",
        "heading": "Over time",
        "lines": [shortened(line) for line in told],
        "pictures": watch_chart(watch).pictures(),
        "css": "watched",
        "notes": watch.notes(),
    }


def _told(watch: Watch, at: int) -> list[str]:
    """Explain the first alarm of a group, and its change."""
    name = f"{watch.names[at]}: " if watch.names[at] else ""
    lines = []
    look = int(watch.alarm_seen[at])
    if look >= 0 and watch.within is not None:
        ends = (watch.ci_lower, watch.ci_upper)
        what = "the ratio of this period lies"
        if watch.people_are_new:
            ends = (watch.cs_lower, watch.cs_upper)
            what = "the ratio of all periods so far lies"
        low, high = (float(each[look, at]) for each in ends)
        side = "above" if watch.alarm[look, at] > 0 else "below"
        lines.append(
            f"{name}first alarm at {watch.periods[look]}. By then {what} between "
            f"{low:.4g} and {high:.4g}, {side} the tolerated "
            f"{watch.within[0]:g} to {watch.within[1]:g}; this holds at all looks at "
            f"once with {100 * watch.level:.4g} %."
        )
    if watch.change_seen[at] >= 0:
        way = "up" if watch.change_way[at] > 0 else "down"
        lines.append(
            f"{name}a change, {way}, which was visible at "
            f"{watch.periods[watch.change_seen[at]]} and seems to have begun at "
            f"{watch.periods[watch.change_since[at]]}."
        )
    return lines
