"""Budget spent over time: steps of charges below the line of the cap."""

from typing import Any

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import LOSS_NAMES
from dpratio.show.colours import LINE_COLOURS, themed

__all__ = ["budget_chart"]


def budget_chart(account: Account) -> Any:  # noqa: ANN401 (Altair)
    """Chart what was spent on a scope after each release, beside its cap."""
    import altair as alt

    loss = LOSS_NAMES[account.scope.accounting]
    spent, steps = 0.0, []
    charged = [each for each in account.releases.values() if each.state != "void"]
    for number, held in enumerate(charged, start=1):
        spent += float(held.charge.loss)
        first = held.entries[0]
        steps.append({"release": number, "time": first.time, "spent": spent})
    start = {"release": 0, "time": steps[0]["time"] if steps else None, "spent": 0.0}
    data = alt.InlineData(values=[start, *steps])
    line = (
        alt.Chart(data)
        .mark_line(interpolate="step-after", point=True, color=LINE_COLOURS[0])
        .encode(
            x=alt.X("time:T", title="charged (UTC)"),
            y=alt.Y("spent:Q", title=f"{loss} spent"),
            tooltip=["release:Q", "time:T", "spent:Q"],
        )
    )
    cap = (
        alt.Chart(alt.InlineData(values=[{"cap": float(account.scope.cap.loss)}]))
        .mark_rule(strokeDash=[4, 3], color=LINE_COLOURS[1])
        .encode(y="cap:Q")
    )
    title = f"Spent on scope '{account.scope.name}', below its cap"
    return themed(alt.layer(cap, line).properties(width=520, height=220, title=title))
