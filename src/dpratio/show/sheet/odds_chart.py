"""What a reader may come to believe of one person, before and after a release."""

import math

from dpratio.plan.plan import Plan
from dpratio.show.chart.marks import Band, Diagonal, Interval, Line
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale, Tick

__all__ = ["odds_chart", "turned"]

_STEPS = 50
_TICKS = tuple(Tick(at / 4, f"{25 * at}") for at in range(5))
_EVEN = 0.5


def odds_chart(plan: Plan) -> Chart:
    """Chart the beliefs that a release allows, for every belief held before it.

    By Bayes' rule the odds change by at most e to the power epsilon, in either
    direction. With a delta this may fail with about that probability.
    """
    loss = min(float(plan.epsilon), 700.0)
    before = [at / _STEPS for at in range(_STEPS + 1)]
    ends = [(at, turned(at, -loss), turned(at, loss)) for at in before]
    low, high = turned(_EVEN, -loss), turned(_EVEN, loss)
    told = f"from 50 % to between {_percent(low)} and {_percent(high)}"
    scale = Scale(0.0, 1.0, given=_TICKS)
    panel = Panel(
        [
            Band(ends, "below"),
            Line([(at, most) for at, _, most in ends], "below"),
            Line([(at, least) for at, least, _ in ends], "below"),
            Diagonal(),
            Interval(_EVEN, low, high, _EVEN, told, "ink", upright=True),
        ],
        scale,
        scale,
        220.0,
        x_title="belief before the release, in %",
        y_title="belief after it, in %",
    )
    signs = [
        Sign("all that the release allows", "below", is_line=True),
        Sign("nothing learned", "rule", is_line=True),
    ]
    return Chart(
        "What a reader may come to believe of one person",
        [panel],
        signs,
        note=f"A belief of one half changes {told}.",
        widest=420.0,
    )


def turned(belief: float, loss: float) -> float:
    """Change the odds of a belief by a factor e^loss.

    Example:
        >>> round(turned(0.5, 1.0), 3), turned(0.0, 5.0), turned(1.0, -5.0)
        (0.731, 0.0, 1.0)
    """
    if belief in (0.0, 1.0):
        return belief
    # Written so that neither a large loss nor its opposite overflows.
    return 1 / (1 + (1 - belief) / belief * math.exp(-loss))


def _percent(share: float) -> str:
    """Write a share; near its ends with the digits that tell it from them."""
    digits = max(1, 1 - math.floor(math.log10(max(min(share, 1 - share), 1e-12))) - 2)
    return f"{100 * share:.{digits}f} %"
