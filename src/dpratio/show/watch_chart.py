"""A ratio over time: periods with intervals, the running band, the tolerance band.

Groups are small multiples on the same axes; those with an alarm or a change come first.
"""

import math

import numpy as np

from dpratio.analyst.watch.arms import WatchedArms
from dpratio.analyst.watch.watch_results import Watch
from dpratio.show.chart.marks import Band, Comb, Interval, Line, Mark, Rule, point
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale, Tick, spread
from dpratio.show.forest_chart import draw_intervals

MOST_PANELS = 12
_MOST_NAMED = 60  # Of more periods no interval is told by itself.
_TALL = 190.0
_SIDES = {1: ("above", "up"), -1: ("below", "down")}


def watch_chart(watch: Watch) -> Chart:
    """Chart each group along its periods."""
    shown = _in_order(watch)[:MOST_PANELS]
    ticks = tuple(Tick(float(at), name) for at, name in enumerate(watch.periods))
    across = Scale(-0.6, len(watch.periods) - 0.4, given=ticks)
    up = _ratios(watch, shown)
    made_up = "SIMULATED: " if watch.is_simulated else ""
    left = watch.groups - len(shown)
    many = f"The first {len(shown)} of {watch.groups:,} groups are drawn."
    return Chart(
        f"{made_up}{watch.asked} over time",
        [
            Panel(
                _marks(watch, at, up),
                across,
                up,
                _TALL,
                title=watch.names[at],
                x_title="period",
                y_title=watch.asked,
            )
            for at in shown
        ],
        _legend(watch, shown),
        note=many if left else "",
        columns=1 if len(shown) == 1 else 2,
        least=300.0,
    )


def arms_chart(arms: WatchedArms) -> Chart:
    """Chart how far two groups are apart: the confidence sequence, look under look."""
    rows = [
        row | {"ci_lower": row["cs_lower"], "ci_upper": row["cs_upper"]}
        for row in arms.to_dicts()
    ]
    measure = f"{arms.link} of {arms.asked}, {arms.first} against {arms.second}"
    return draw_intervals(
        rows, name="period", measure=measure, value="estimate", reference=0.0
    )


def _in_order(watch: Watch) -> list[int]:
    """Put groups with something to see first."""
    quiet = (watch.alarm_seen < 0) & (watch.change_seen < 0)
    order: list[int] = np.argsort(quiet, kind="stable").tolist()
    return order


def _ratios(watch: Watch, shown: list[int]) -> Scale:
    """Choose an axis for ratios, the band and the newest ends of the sequence.

    Early ends are wide, and may go beyond it.
    """
    alone = (watch.ratio, watch.ci_lower, watch.ci_upper)
    values = [each for ends in alone for each in ends[:, shown].ravel().tolist()]
    if watch.people_are_new:
        for ends in (watch.cs_lower, watch.cs_upper):
            values += ends[len(ends) // 3 :, shown].ravel().tolist()
    known = [each for each in values if math.isfinite(each)]
    # Single periods may be lost in noise; they do not set the axis.
    low, high = np.quantile(known, [0.02, 0.98]) if known else (0.0, 1.0)
    return spread([float(low), float(high), *(watch.within or ())], room=0.08)


def _marks(watch: Watch, at: int, up: Scale) -> list[Mark]:
    places = [float(each) for each in range(len(watch.periods))]
    marks: list[Mark] = []
    if watch.within is not None:
        low, high = watch.within
        ends = [(place, low, high) for place in (-0.6, places[-1] + 0.6)]
        marks += [Band(ends, "bounded"), Rule(low, upright=False)]
        marks.append(Rule(high, upright=False))
    if watch.people_are_new:
        lower, upper = watch.cs_lower[:, at].tolist(), watch.cs_upper[:, at].tolist()
        marks.append(Band(list(zip(places, lower, upper, strict=True)), "sky"))
        points = zip(places, watch.running[:, at].tolist(), strict=True)
        marks.append(Line(list(points), "below"))
    marks += _periods(watch, at)
    if watch.change_seen[at] >= 0:
        begun = float(watch.change_since[at])
        marks.append(Line([(begun, up.low), (begun, up.high)], "gold dash1"))
    first = int(watch.alarm_seen[at])
    return [*marks, _alarm(watch, at, first)] if first >= 0 else marks


def _periods(watch: Watch, at: int) -> list[Mark]:
    ends = [each[:, at].tolist() for each in (watch.ci_lower, watch.ci_upper)]
    rows = list(enumerate(zip(*ends, watch.ratio[:, at].tolist(), strict=True)))
    if len(rows) > _MOST_NAMED:
        return [Comb([(float(place), *row) for place, row in rows], "even")]
    return [
        Interval(
            float(place),
            low,
            high,
            value,
            f"{watch.periods[place]}: {value:.4g}, {low:.4g} to {high:.4g}",
            upright=True,
            size=0.6,
        )
        for place, (low, high, value) in rows
    ]


def _alarm(watch: Watch, at: int, look: int) -> Interval:
    """Mark the first alarm on what raised it."""
    css, shape = _SIDES[int(watch.alarm[look, at])]
    value = float((watch.running if watch.people_are_new else watch.ratio)[look, at])
    low, high = watch.within or (math.nan, math.nan)
    told = f"ALARM at {watch.periods[look]}: {css} {low:g} to {high:g}"
    return point((look, value), told, css, shape=shape, size=1.6)


def _legend(watch: Watch, shown: list[int]) -> list[Sign]:
    sure = f"{100 * watch.level:.4g} %"
    signs = [Sign(f"a period, {sure} interval", "even", "circle", is_line=True)]
    if watch.people_are_new:
        signs.append(
            Sign(f"all periods so far, {sure} at all looks", "below", is_line=True)
        )
    if watch.within is not None:
        signs.append(Sign("tolerated", "bounded", "square"))
    sides = {int(each) for each in watch.alarm[:, shown].ravel()}
    signs += [
        Sign(f"first alarm, {css}", css, shape)
        for side, (css, shape) in _SIDES.items()
        if side in sides
    ]
    if (watch.change_seen[shown] >= 0).any():
        signs.append(Sign("a change since here", "gold dash1", is_line=True))
    return signs
