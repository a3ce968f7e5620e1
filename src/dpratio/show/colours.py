"""Colours that colour-blind readers tell apart: Okabe & Ito (2008).

A verdict also has a shape, so that it is told apart in print and without colours. Greys
of half lightness can be read on white and on black alike.
"""

from typing import Any

__all__ = [
    "LINE_COLOURS",
    "METHOD_COLOURS",
    "VERDICT_COLOURS",
    "VERDICT_SHAPES",
    "themed",
]

METHOD_COLOURS = {
    "public": "#000000",
    "fieller": "#56B4E9",
    "no_correction": "#D55E00",
    "monte_carlo": "#E69F00",
    "analytical": "#0072B2",
    "pivot": "#009E73",
}

LINE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7")

VERDICT_COLOURS = {
    "above": "#D55E00",
    "below": "#0072B2",
    "not told apart": "#767676",
    "no finite interval": "#CC79A7",
    "finite interval": "#009E73",
}
VERDICT_SHAPES = {
    "above": "triangle-up",
    "below": "triangle-down",
    "not told apart": "circle",
    "no finite interval": "cross",
    "finite interval": "square",
}


def themed(chart: Any) -> Any:  # noqa: ANN401 (Altair)
    """Give a chart colours that can be read on light and dark paper."""
    return (
        chart.configure(background="transparent")
        .configure_axis(
            labelColor="#767676",
            titleColor="#767676",
            gridColor="#76767633",
            domainColor="#767676",
            tickColor="#767676",
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_legend(labelColor="#767676", labelFontSize=12, orient="top")
        .configure_title(color="#767676", fontSize=14, anchor="start")
        .configure_header(labelColor="#767676", labelFontSize=12)
        .configure_view(stroke="#76767633")
    )
