"""Two groups of a watched ratio against each other, at every look.

Where each of two sequences holds at all looks, so does every difference between a value
of one and a value of the other. docs/methods/watching.md.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpratio.analyst.tables.digits import rounded_to
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.sentence import compared_in_words, percent, short
from dpratio.arrays import Floats, Integers
from dpratio.checks import require, require_one_of
from dpratio.tabular import Tabular

LINKS = ("difference", "lift")
WAYS = {1: "above", -1: "below", 0: ""}


@dataclass(frozen=True, slots=True, eq=False)
class WatchedArms(Tabular):
    """How one group stands to another at every look, with one guarantee for all.

    Between ``cs_lower`` and ``cs_upper`` the difference, or the lift, lies at all looks
    at once. ``apart`` is 1 from where the first group is above the second, −1 where it
    is below, and 0 where they cannot be told apart.

    Example:
        >>> import dpratio as dpr
        >>> looks, new = [dpr.example_release()], {"people_are_new": True}
        >>> found = dpr.watch(looks, question=1, last_look=1, **new)
        >>> found.compare("west", "north").apart.tolist()
        [1]
    """

    periods: tuple[str, ...]
    first: str
    second: str
    link: str
    estimate: Floats
    cs_lower: Floats
    cs_upper: Floats
    level: float
    asked: str
    people_are_new: bool
    is_simulated: bool
    origin: str | None = None

    @property
    def apart(self) -> Integers:
        """On which side of the second group the first one lies, at each look."""
        above, below = self.cs_lower > 0, self.cs_upper < 0
        ways: Integers = above.astype(np.int64) - below.astype(np.int64)
        return ways

    def columns(self) -> dict[str, list[Any]]:
        """One row per look."""
        names = ("estimate", "cs_lower", "cs_upper")
        table: dict[str, list[Any]] = {"period": list(self.periods)}
        table |= {name: getattr(self, name).tolist() for name in names}
        return table | {"apart": [WAYS[each] for each in self.apart.tolist()]}

    def precision(self) -> dict[str, list[float]]:
        """Numbers are rounded to a quarter of their sequence."""
        quarter = (self.cs_upper - self.cs_lower) / 4
        unsure = np.where(np.isfinite(quarter), quarter, np.inf)
        ends = ("cs_lower", "cs_upper")
        return rounded_to(unsure, values=("estimate",), ends=ends)

    def summary(self) -> str:
        """Say since when the groups are apart, and by how much they are now."""
        seen = np.flatnonzero(self.apart)
        told = "cannot be told apart so far"
        if len(seen):
            way = WAYS[int(self.apart[seen[0]])]
            told = f"{self.first} is {way} {self.second}, seen at "
            told += self.periods[seen[0]]
        show = percent if self.link == "lift" else short
        ends = [show(float(each[-1])) for each in (self.cs_lower, self.cs_upper)]
        now = compared_in_words(
            self.first, self.second, float(self.estimate[-1]), self.link
        )
        names = "" if len(seen) else f"{self.first} and {self.second} "
        return (
            f"{names}{told}; at {self.periods[-1]} {now}, confidence sequence "
            f"{ends[0]} to {ends[1]}"
        )

    def notes(self) -> list[str]:
        """Say what holds, and what it costs in width."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        what = "running ratios" if self.people_are_new else "ratios of single periods"
        lines.append(
            f"The {self.link} of {self.asked} lies between cs_lower and cs_upper at "
            f"all looks at once with {100 * self.level:.4g} % at least, whatever the "
            f"groups share: both sequences of their {what} hold together. Stop at any "
            "look, and quote that look's numbers."
        )
        return lines

    def said(self) -> list[str]:
        """The summary, then the notes."""
        return [self.summary(), *self.notes()]

    def __len__(self) -> int:
        return len(self.estimate)


def compare_arms(
    found: Any,  # noqa: ANN401 (a Watch, which knows this module)
    first: object,
    second: object,
    link: str | None,
) -> WatchedArms:
    """Compare two groups at every look; arguments as for `Watch.compare`."""
    names = found.names
    places = []
    for each in (first, second):
        hint = f"Groups are: {', '.join(names[:5])}{', …' if len(names) > 5 else ''}."  # noqa: PLR2004
        require(str(each) in names, "no such group", each, hint)
        places.append(names.index(str(each)))
    rule = "two groups must be compared"
    require(places[0] != places[1], rule, first, "Name another one.")
    rule = "arms are compared where all sequences hold together"
    hint = "Watch with adjust='bonferroni': each of two arms has half of the error."
    require(found.adjust == "bonferroni", rule, f"adjust='{found.adjust}'", hint)
    kinds = ("running", "cs_lower", "cs_upper")
    if not found.people_are_new:
        kinds = ("ratio", "ci_lower", "ci_upper")
    middle, low, high = (getattr(found, name)[:, places] for name in kinds)
    positive = bool((low >= 0).all())
    link = link or ("lift" if positive else "difference")
    require_one_of(link, LINKS, "link")
    rule = "a lift needs ratios that cannot be negative"
    require(positive or link != "lift", rule, link, "Use link 'difference'.")
    lower, upper = apart_by((low[:, 0], high[:, 0]), (low[:, 1], high[:, 1]), link)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = middle.T
        estimate = one - two if link == "difference" else one / two - 1
    return WatchedArms(
        periods=found.periods,
        first=str(first),
        second=str(second),
        link=link,
        estimate=estimate,
        cs_lower=lower,
        cs_upper=upper,
        level=found.level,
        asked=found.asked,
        people_are_new=found.people_are_new,
        is_simulated=found.is_simulated,
        origin=found.origin,
    )


def apart_by(
    first: tuple[Floats, Floats], second: tuple[Floats, Floats], link: str
) -> tuple[Floats, Floats]:
    """Give the ends of all differences, or lifts, that two intervals allow."""
    (low, high), (other_low, other_high) = first, second
    if link == "difference":
        return low - other_high, high - other_low
    with np.errstate(divide="ignore", invalid="ignore"):
        # Where the second may be 0 a lift has no upper end; 0/0 is one such.
        upper = np.where(other_low > 0, high / other_low - 1, np.inf)
        lower = np.where(np.isfinite(other_high), low / other_high - 1, -1.0)
    return lower, upper
