"""Budget spent over time: steps of charges below the line of the cap."""

import datetime as dt
from collections.abc import Iterator

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import LOSS_NAMES
from dpratio.show.chart.marks import Line, Rule, point
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale, Tick, spread

_DAY = 86_400
_STEPS = (1, 5, 15, 60, 300, 900, 3_600, 10_800, 21_600, _DAY, 7 * _DAY)
_MONTHS = (1, 3, 12, 60, 120)
_MOST = 6
_LEAST = 10.0


def instant_of(written: str) -> float:
    """Read a time of the ledger as seconds, in UTC.

    Example:
        >>> instant_of("1970-01-02T00:00:00Z")
        86400.0
    """
    read = dt.datetime.fromisoformat(written)
    return read.replace(tzinfo=read.tzinfo or dt.UTC).timestamp()


def time_scale(instants: list[float]) -> Scale:
    """Make an axis of times; its first tick of each day says the date."""
    low, high = (min(instants), max(instants)) if instants else (0.0, _DAY)
    room = max(0.06 * (high - low), _LEAST)
    low, high = low - room, high + room
    return Scale(low, high, given=tuple(_ticks(low, high)))


def _ticks(low: float, high: float) -> list[Tick]:
    reach = high - low
    for step in _STEPS:
        if reach / step <= _MOST:
            return list(_even_ticks(low, high, step))
    months = next(
        each for each in (*_MONTHS, 10**6) if reach / _DAY / 30 / each <= _MOST
    )
    return list(_month_ticks(low, high, months))


def _even_ticks(low: float, high: float, step: int) -> Iterator[Tick]:
    day = ""
    # Weeks begin on Monday; the first day of 1970 was a Thursday.
    shift = 4 * _DAY if step == 7 * _DAY else 0
    instant = (low - shift) // step * step + step + shift
    while instant <= high:
        at = dt.datetime.fromtimestamp(instant, dt.UTC)
        date = f"{at:%Y-%m-%d}"
        clock = f"{at:%H:%M:%S}" if step < 60 else f"{at:%H:%M}"  # noqa: PLR2004
        if step >= _DAY:
            yield Tick(instant, date)
        else:
            yield Tick(instant, clock if date == day else f"{date} {clock}")
        day = date
        instant += step


def _month_ticks(low: float, high: float, months: int) -> Iterator[Tick]:
    first = dt.datetime.fromtimestamp(low, dt.UTC)
    at = (first.year * 12 + first.month - 1) // months * months
    while True:
        at += months
        date = dt.datetime(at // 12, at % 12 + 1, 1, tzinfo=dt.UTC)
        if date.timestamp() > high:
            return
        text = f"{date:%Y}" if months >= 12 else f"{date:%Y-%m}"  # noqa: PLR2004
        yield Tick(date.timestamp(), text)


def budget_chart(account: Account) -> Chart:
    """Chart what was spent on a scope after each release, beside its cap."""
    loss, cap = LOSS_NAMES[account.scope.accounting], float(account.scope.cap.loss)
    charged = [each for each in account.releases.values() if each.state != "void"]
    spent, points = 0.0, []
    steps: list[tuple[float, float]] = []
    for number, held in enumerate(charged, start=1):
        time = held.entries[0].time
        at = instant_of(time)
        steps += [(at, 0.0)] if not steps else []
        spent += float(held.charge.loss)
        steps.append((at, spent))
        told = f"release {number}, {time}: {spent:g} {loss} spent"
        points.append(point((at, spent), told, "below"))
    across = time_scale([at for at, _ in steps])
    if steps:
        steps.append((across.high, spent))
    panel = Panel(
        [Rule(cap, upright=False), Line(steps, "below", is_stepped=True), *points],
        across,
        spread([0.0, cap, spent], reference=cap),
        220.0,
        x_title="charged (UTC)",
        y_title=f"{loss} spent",
    )
    signs = [
        Sign("spent", "below", is_line=True),
        Sign(f"cap {cap:g}", "rule", is_line=True),
    ]
    return Chart(f"Spent on scope '{account.scope.name}'", [panel], signs)
