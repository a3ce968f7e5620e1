"""What watching gives: one row for each group and look, and where each group stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpratio.analyst.tables.digits import rounded_to
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.analyst.tables.labels import labelled
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.sentence import short
from dpratio.analyst.tables.statuses import Codes, meanings_of, words_of
from dpratio.analyst.watch.arms import WAYS, WatchedArms, compare_arms
from dpratio.arrays import Floats, Integers
from dpratio.tabular import Table, Tabular

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class Watch(Tabular):
    """A ratio over time, for every group: arrays are looks × groups.

    ``ratio`` with ``ci_lower`` and ``ci_upper`` is that of each period by itself.
    ``running`` is that of all periods so far; between ``cs_lower`` and ``cs_upper`` is
    its confidence sequence, which holds at all looks at once. ``alarm`` is 1 where the
    sequence lies above the band, −1 where it lies below, and 0 elsewhere.
    ``change_seen`` is the place of the look at which a change was first visible (−1
    where none was), ``change_since`` the place of the period where it seems to have
    begun, and ``change_way`` is 1 or −1. Where people return (``people_are_new`` is
    False) there is no running ratio and no change, and alarms are about single periods.

    Example:
        >>> import dpratio as dpr
        >>> found = dpr.watch(dpr.example_release(), question=1, within=(0.9, 1.1))
        >>> found.ratio.shape, found.alarm.tolist()
        ((1, 4), [[0, 0, 0, 1]])
    """

    spare: ClassVar = ("status", "change_since", "ci_lower", "ci_upper")

    periods: tuple[str, ...]
    labels: Mapping[str, Sequence[Any]]
    ratio: Floats
    ci_lower: Floats
    ci_upper: Floats
    codes: Codes
    running: Floats
    cs_lower: Floats
    cs_upper: Floats
    alarm: Integers
    change_seen: Integers
    change_since: Integers
    change_way: Integers
    within: tuple[float, float] | None
    people_are_new: bool
    looks: int
    is_last: bool
    level: float
    adjust: str
    asked: str
    is_simulated: bool
    origin: str | None = None
    release_id: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def groups(self) -> int:
        """How many groups are watched."""
        return len(self.ratio[0])

    @property
    def alarm_seen(self) -> Integers:
        """The place of the look that raised the first alarm of each group, or −1."""
        out = self.alarm != 0
        first: Integers = np.where(out.any(axis=0), out.argmax(axis=0), -1)
        return first

    @property
    def names(self) -> list[str]:
        """What each group is called."""
        columns = [[str(each) for each in cells] for cells in self.labels.values()]
        return [", ".join(row) for row in zip(*columns, strict=True)] or [""]

    def columns(self) -> dict[str, list[Any]]:
        """One row per group and look, group after group."""
        looks, groups = self.ratio.shape
        labels: dict[str, Sequence[Any]] = {
            name: [each for each in cells for _ in range(looks)]
            for name, cells in self.labels.items()
        }
        answers: dict[str, list[Any]] = {"period": list(self.periods) * groups}
        for name in self._numbers:
            answers[name] = getattr(self, name).T.ravel().tolist()
        codes = self.codes.T.ravel()
        answers["status"] = list(words_of(codes, STATUSES))
        answers["alarm"] = [WAYS[each] for each in self.alarm.T.ravel().tolist()]
        if self.people_are_new:
            since = [""] * (looks * groups)
            for at in np.flatnonzero(self.change_seen >= 0).tolist():
                begun = self.periods[self.change_since[at]]
                seen = int(self.change_seen[at])
                since[at * looks + seen : (at + 1) * looks] = [begun] * (looks - seen)
            answers["change_since"] = since
        return labelled(labels, answers)

    @property
    def _numbers(self) -> tuple[str, ...]:
        alone = ("ratio", "ci_lower", "ci_upper")
        together = ("running", "cs_lower", "cs_upper")
        return alone + together if self.people_are_new else alone

    def precision(self) -> dict[str, list[float]]:
        """Numbers are rounded to a quarter of their interval."""
        found = _rounded(self.ratio, self.ci_lower, self.ci_upper, self._numbers[:3])
        if not self.people_are_new:
            return found
        ends = (self.running, self.cs_lower, self.cs_upper)
        return found | _rounded(*ends, self._numbers[3:])

    def newest(self) -> Table:
        """Say where each group stands at the newest look: one row per group."""
        known: dict[str, list[Any]] = {
            name: [float(f"{each:.4g}") for each in getattr(self, name)[-1].tolist()]
            for name in self._numbers[-3:]
        }
        seen = self.alarm_seen
        ways = [WAYS[int(self.alarm[at, n])] for n, at in enumerate(seen.tolist())]
        known |= {"alarm": ways, "alarm_at": self._named(seen)}
        if self.people_are_new:
            known["change_since"] = self._named(self.change_since)
        return Table(labelled(self.labels, known))

    def compare(
        self, first: object, second: object, *, link: str | None = None
    ) -> WatchedArms:
        """Compare two groups at every look, such as the arms of an A/B test.

        Args:
            first: A group, by its key or as `names` has it.
            second: The one that it is held against.
            link: ``"lift"`` or ``"difference"``; by default the lift, and the
                difference where ratios may be negative.

        Returns:
            One row per look. The sequence holds at all looks at once, so that one may
            stop at any of them.

        Raises:
            InvalidInput: When there is no such group, or sequences hold only one by
                one (``adjust="none"``).
        """
        return compare_arms(self, first, second, link)

    def notes(self) -> list[str]:
        """Say what holds, and on which promise."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        sure = f"{100 * self.level:.4g} %"
        many = self._in_groups()
        if not self.people_are_new:
            lines.append(
                "People may return: each period is answered by itself, and all "
                f"intervals hold at once with {sure}{many}. Sums of periods do not add "
                "up where people are in several of them, so there is no running ratio "
                "and no change is looked for. The promise that nobody returns is "
                "people_are_new=True, or --people-are-new."
            )
        else:
            where = "declared as the last" if self.is_last else "narrowest there"
            error = f"{100 * (1 - self.level):.3g} %"
            lines.append(
                "Nobody is in two periods, as was promised or planned: running ratios "
                "rest on it. "
                "cs_lower to cs_upper holds the running ratio at all looks at once "
                f"with {sure}{many}; {self.looks} looks, {where}. Intervals of single "
                f"periods are {sure} intervals, each by itself."
            )
            lines.append(
                f"A change is seen where there is none with chance {error} at most"
                f"{many}, over all looks. It is held against {self._held()}."
            )
        return [*lines, *self.remarks, *meanings_of(self.codes.ravel(), STATUSES)]

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        looks = len(self.periods)
        said = [f"{self.asked} at {looks:,} look{'' if looks == 1 else 's'}"]
        if self.groups == 1 and self.people_are_new:
            ends = [float(each[-1, 0]) for each in (self.cs_lower, self.cs_upper)]
            said[0] += (
                f": {short(float(self.running[-1, 0]))} so far, confidence sequence "
                f"{short(ends[0])} to {short(ends[1])}"
            )
        if self.within is not None:
            said.append(self._alarms())
        if self.people_are_new:
            said.append(self._changes())
        return "; ".join(said)

    def said(self) -> list[str]:
        """The summary, then the notes."""
        return [self.summary(), *self.notes()]

    def __len__(self) -> int:
        return self.ratio.size

    def _alarms(self) -> str:
        band, seen = self._held(), self.alarm_seen
        told = [
            f"{self.names[at]} {WAYS[int(self.alarm[seen[at], at])]} at "
            f"{self.periods[seen[at]]}".strip()
            for at in np.flatnonzero(seen >= 0).tolist()
        ]
        return f"ALARM, outside {band}: {_few(told)}" if told else f"no alarm ({band})"

    def _changes(self) -> str:
        told = [
            f"{self.names[at]} {'up' if self.change_way[at] > 0 else 'down'} since "
            f"{self.periods[self.change_since[at]]}, seen at "
            f"{self.periods[self.change_seen[at]]}".strip()
            for at in np.flatnonzero(self.change_seen >= 0).tolist()
        ]
        return f"CHANGE: {_few(told)}" if told else "no change is visible"

    def _held(self) -> str:
        if self.within is None:
            return "the periods before"
        low, high = self.within
        return f"{low:g} to {high:g}" if low < high else f"{low:g}"

    def _in_groups(self) -> str:
        if self.groups == 1:
            return ""
        if self.adjust == "none":
            return ", in each group by itself"
        return f", in all {self.groups:,} groups together"

    def _named(self, places: Integers) -> list[str]:
        return ["" if at < 0 else self.periods[at] for at in places.tolist()]


def _rounded(
    middle: Floats, low: Floats, high: Floats, names: Sequence[str]
) -> dict[str, list[float]]:
    with np.errstate(invalid="ignore"):
        unsure: Floats = (high - low).T.ravel() / 4
        half = np.abs(middle - low).T.ravel() / 2
    unsure = np.where(np.isfinite(unsure), unsure, half)
    unsure = np.where(np.isfinite(unsure), unsure, np.inf)
    return rounded_to(unsure, values=names[:1], ends=names[1:])


def _few(told: Sequence[str]) -> str:
    more = len(told) - _MOST_NAMED
    shown = ", ".join(told[:_MOST_NAMED])
    return f"{shown} and {more:,} more" if more > 0 else shown
