"""Colours that colour-blind readers tell apart: Okabe & Ito (2008).

Floor: show. Imports: nothing.
"""

__all__ = ["LINE_COLOURS", "METHOD_COLOURS"]

METHOD_COLOURS = {
    "public": "#000000",
    "fieller": "#56B4E9",
    "no_correction": "#D55E00",
    "monte_carlo": "#E69F00",
    "analytical": "#0072B2",
    "pivot": "#009E73",
}

LINE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7")
