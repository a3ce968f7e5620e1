"""Budget spent over time: steps of charges below the line of the cap."""

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import LOSS_NAMES
from dpratio.show.chart.marks import Line, Rule, point
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import spread
from dpratio.show.chart.times import instant_of, time_scale


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
