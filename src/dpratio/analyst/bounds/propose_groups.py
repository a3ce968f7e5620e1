"""From noisy counts of people by their groups to a limit on these, at no cost."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpratio.analyst.bounds.propose_bounds import count_within
from dpratio.analyst.tables.options import require_level
from dpratio.analyst.tables.provenance import stamps
from dpratio.checks import require
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.tabular import Tabular

if TYPE_CHECKING:
    from dpratio.terms.groups import Groups

# A limit may cut one person in twenty, as far as noise lets us tell.
_CUT = 0.05


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """One limit: how many people are in more groups, with an interval."""

    most_groups: int
    people_cut: float
    ci_lower: float
    ci_upper: float
    share: float | None


@dataclass(frozen=True, slots=True)
class GroupChoices(Tabular):
    """Limits to choose from, one row each, and the one that is proposed.

    ``people_cut`` are noisy counts of people who are in more groups than that: in
    some of theirs they would not be counted. ``share`` is their part of all people,
    None where no people are seen. Noise grows with ``most_groups``.
    """

    name: str
    within: str
    rows: tuple[GroupChoice, ...]
    level: float
    is_simulated: bool

    @property
    def proposed(self) -> int | None:
        """The least limit that surely cuts few; None where too little is known."""
        every = self.rows[0].ci_lower
        fits = [each for each in self.rows[1:] if each.ci_upper <= _CUT * every]
        # Where nobody is surely there, any limit cuts few.
        return fits[0].most_groups if fits and every > 0 else None

    def lines(self) -> list[str]:
        """Write the limit as a study file has it."""
        return [] if self.proposed is None else [f"most_groups = {self.proposed}"]

    def columns(self) -> dict[str, list[Any]]:
        """One row per limit; counting nobody is not a limit."""
        shown = self.rows[1:]
        names = GroupChoice.__slots__
        return {name: [getattr(each, name) for each in shown] for name in names}

    def notes(self) -> list[str]:
        """Say what is shown and what is proposed."""
        told = (
            f"Too little is known of {self.name}: more people or more epsilon would "
            "tell, or a limit from outside."
            if self.proposed is None
            else f"Proposed: most_groups = {self.proposed}, the least that cuts at "
            f"most {_CUT:.0%} of the people, at level {self.level:g}."
        )
        shown = f"People who are in more groups of {self.within} than that"
        return [
            *stamps(is_simulated=self.is_simulated),
            f"{shown}, at level {self.level:g}.",
            told,
        ]

    def __len__(self) -> int:
        return len(self.rows) - 1


def propose_groups(release: Release, *, level: float = 0.95) -> list[GroupChoices]:
    """Propose in how many groups a person counts at most.

    Args:
        release: A release of a plan of `plan_bounds` with ``most_groups=True``.
        level: The confidence level of how many are cut.

    Returns:
        Limits to choose from, for each list of groups.

    Raises:
        InvalidInput: When the release did not count people by their groups.
    """
    require_level(level)
    rule = "most_groups is proposed from a release that counted people by their groups"
    hint = "Release a plan of plan_bounds(…, most_groups=True)."
    known = isinstance(release, Release) and isinstance(release.plan, HistogramPlan)
    require(known and not release.sources, rule, type(release).__name__, hint)
    asked = release.questions
    found = [
        _choices(each, each.histogram, level, is_simulated=release.is_simulated)
        for each in asked
        if each.histogram.counts_groups
    ]
    require(found, rule, [each.name for each in asked], hint)
    return found


def _choices(
    question: ReleasedQuestion,
    asked: Histogram,
    level: float,
    *,
    is_simulated: bool,
) -> GroupChoices:
    counts = question.values[:, 0].tolist()
    every_group: Groups = asked.within  # type: ignore[assignment]  # it counts groups
    first = asked.cells.place(1.0)  # type: ignore[union-attr]  # a ladder
    # The cells of 1, of 2 and 3, of 4 to 7 and so on; none is in more than there are.
    held = counts[first : first + every_group.count.bit_length()]
    every = float(sum(held))
    rows = []
    for at in range(len(held)):
        people, low, high = count_within(held[at:], question.histogram.scale, level)
        share = min(people / every, 1.0) if every > 0 else None
        rows.append(GroupChoice(2**at - 1, people, low, high, share))
    # As many as there are groups cut nobody.
    share = 0.0 if every > 0 else None
    rows.append(GroupChoice(every_group.count, 0.0, 0.0, 0.0, share))
    within = " and ".join(every_group.columns)
    return GroupChoices(question.name, within, tuple(rows), level, is_simulated)
