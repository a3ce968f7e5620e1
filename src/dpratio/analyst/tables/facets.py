"""Which rows of an answer belong to which question, and what gives them an order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dpratio.release.release import Release
from dpratio.terms.groups import Dimension, Periods, ScoreBins

BINS, NUMBERS, DATES = "bins", "numbers", "dates"


@dataclass(frozen=True, slots=True)
class Facet:
    """The rows of one question.

    ``asked`` is what they measure, as in "revenue per visit". ``orders`` holds the
    label columns of the question: "day", "week" or "month" for periods, "bins",
    "numbers" or "dates" where keys have an order of their own, "" where they have none.
    """

    asked: str
    count: int
    orders: Mapping[str, str] = field(default_factory=dict)
    reference: float | None = None


def facets_of(
    release: Release, references: Sequence[float | None]
) -> tuple[Facet, ...]:
    """Say of every question of a release what its rows are, in their order."""
    return tuple(
        Facet(
            " per ".join(question.ratio.totals),
            len(question.values),
            {}
            if question.groups is None
            else {each.column: _order(each) for each in question.groups.dimensions},
            reference,
        )
        for question, reference in zip(release.questions, references, strict=True)
    )


def key_text(key: object, order: str) -> str:
    """Write a key as its column is read: a month as 2026-01.

    Example:
        >>> import datetime as dt
        >>> key_text(dt.date(2026, 1, 1), "month"), key_text("(all)", "month")
        ('2026-01', '(all)')
    """
    written = str(key)
    return written.removesuffix("-01") if order == "month" else written


def _order(dimension: Dimension) -> str:
    if isinstance(dimension, Periods):
        return dimension.every
    if isinstance(dimension, ScoreBins):
        return BINS
    return {"int": NUMBERS, "date": DATES}.get(dimension.kind.__name__, "")
