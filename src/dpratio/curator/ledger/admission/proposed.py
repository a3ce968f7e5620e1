"""Bounds and bins that are said to be found are computed again from what was sealed.

A bound or an edge that was read off the rows, but claims to come from a release of
histograms, would reveal somebody without noise and without a charge.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.source import Source
from dpratio.curator.ledger.admission.same_request import is_charged_for, same_requests
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import LedgerRefused
from dpratio.plan.histogram.found_bins import find_bins, grid_of
from dpratio.plan.histogram.found_bounds import (
    bounding,
    bounds_by_name,
    find_bounds,
    is_search,
)
from dpratio.plan.histogram.histograms import histogram_of
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.release.files import release_from_bytes
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.budget import decimal_text
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.question import Partition

__all__ = ["proposing_releases", "require_proposed", "require_unproposed"]

_DRAWN = ("sealed", "published")
# A total is told apart by its weight, and by the groups in which it is made.
_Total = tuple[str, str | None, Partition]
_INSTEAD = "Or write the {what} by judgement, without the release"


@dataclass(frozen=True, slots=True)
class _Claim:
    """Bounds of a column, or of a total, or bins of a column that name a release.

    ``clipped`` are the questions whose totals they clip; None where rows are clipped.
    """

    name: str
    found: Bounds | ScoreBins
    origin: Proposed
    clipped: tuple[PlannedQuestion, ...] | None = None

    @property
    def what(self) -> str:
        """What is claimed, in a word."""
        return "bins" if isinstance(self.found, ScoreBins) else "bounds"

    @property
    def instead(self) -> str:
        """What to do without a release."""
        return _INSTEAD.format(what=self.what)

    def __str__(self) -> str:
        return f"the {self.what} of '{self.name}' are {self.origin}"


def require_unproposed(plan: Plan) -> None:
    """Refuse what a release proposed where no ledger can tell whether it did.

    Raises:
        LedgerRefused: When a bound, or bins, of the plan name a release.
    """
    for claim in _claims(plan):
        _refuse(
            f"{claim}, and no ledger was named that holds this release. Name the "
            f"ledger. {claim.instead}"
        )


def proposing_releases(plan: Plan) -> str:
    """Name the releases that proposed bounds of a plan, for its line in the ledger."""
    return " ".join(sorted({claim.origin.release_id for claim in _claims(plan)}))


def require_proposed(
    tables: Tables, account: Account, plan: Plan, source: Source | None
) -> None:
    """Refuse bounds and bins that the release they name does not propose here.

    Args:
        tables: The ledger, which keeps what was sealed.
        account: The scope that would be charged.
        plan: What would be measured.
        source: What would be read; None for a table in memory without a name.

    Raises:
        LedgerRefused: When a bound or bins name a release that is not sealed in this
            scope, or is of another source, unit, column or total; or that proposes
            other bounds for the epsilon of the plan, or other bins, or cost another
            epsilon than is said.
        LedgerFailed: When the bytes are not those that were sealed.

    Guarantee:
        Bounds that name a release are a function of its sealed bytes and of the plan's
        epsilon; bins, of its sealed bytes and of how many were asked for. The data are
        not looked at. Proof: docs/proofs/histogram.md.
    """
    for claim in _claims(plan):
        release = _sealed(tables, account, claim, source)
        _require_same_unit(plan, release, claim)
        if isinstance(claim.found, ScoreBins):
            _require_same_bins(plan, release, claim, claim.found)
            continue
        _require_counted(plan, release, claim)
        _require_same_bounds(plan, release, claim)


def _claims(plan: Plan) -> Iterator[_Claim]:
    """List what names a release: bounds of columns, totals wherever given, and bins."""
    for name, each in plan.bounds.items():
        if each.proposed is not None:
            yield _Claim(name, each, each.proposed)
    for name, each in plan.unit.totals.items():
        if each.proposed is not None:
            clipped = (asked for asked in plan.questions if name not in asked.totals)
            yield _Claim(name, each, each.proposed, tuple(clipped))
    for asked in plan.questions:
        for name, each in asked.totals.items():
            if each.proposed is not None:
                yield _Claim(name, each, each.proposed, (asked,))
    yield from _claimed_bins(plan)


def _claimed_bins(plan: Plan) -> Iterator[_Claim]:
    for partition in plan.partitions:
        for each in getattr(partition, "dimensions", ()):
            if isinstance(each, ScoreBins) and each.proposed is not None:
                yield _Claim(each.column, each, each.proposed)


def _sealed(
    tables: Tables, account: Account, claim: _Claim, source: Source | None
) -> Release:
    """Give the release of histograms that a claim names, of the same source."""
    scope, release_id = account.scope.name, claim.origin.release_id
    held = account.releases.get(release_id)
    if held is None or held.state not in _DRAWN:
        _refuse(
            f"{claim}, which is not sealed in scope '{scope}'. Release histograms in "
            "this scope with `dpratio bounds`, and take what they propose. "
            f"{claim.instead}"
        )
    if source is None:
        _refuse(
            f"{claim}, and a table in memory without a name may be another one than "
            "was counted there. Name both, the same for the same rows: source='…'"
        )
    if not is_charged_for(held, source):
        _refuse(
            f"{claim}, which read another source. Release histograms of this source "
            f"with `dpratio bounds`, and take what they propose. {claim.instead}"
        )
    seal = held.said("sealed")
    content = tables.artifact(release_id, seal["sha256"])
    release = release_from_bytes(content)
    is_found = release.plan.strategy == HISTOGRAM and _looks_for(claim, release.plan)
    if not is_found or release.is_simulated:
        _refuse(
            f"{claim}, which holds no histograms of real people. Name a release that "
            f"`dpratio bounds` made for {claim.what}. {claim.instead}"
        )
    drawn = [
        name
        for name, each in same_requests(account, release.plan, source)
        if each.state in _DRAWN
    ]
    if drawn[-1] != release_id:
        # Who draws again until noise proposes what is wanted chose it by hand.
        _refuse(
            f"{claim}, which drew again what release {drawn[-1]} had counted. Take "
            f"what the first of them proposes. {claim.instead}"
        )
    cost = release.plan.budget.epsilon
    if cost != claim.origin.epsilon:
        _refuse(f"{claim}, which cost epsilon {decimal_text(cost)}. Write that")
    return release


def _looks_for(claim: _Claim, plan: Plan) -> bool:
    """Tell whether histograms look for what is claimed."""
    if isinstance(claim.found, ScoreBins):
        return grid_of(plan) is not None
    return is_search(plan)


def _require_same_unit(plan: Plan, release: Release, claim: _Claim) -> None:
    counted, asked = (replace(each.unit, totals={}) for each in (release.plan, plan))
    if counted != asked:
        _refuse(
            f"{claim}, which protects {counted}, {counted.neighbours}; the plan "
            f"protects {asked}, {asked.neighbours}. Release histograms for this unit. "
            f"{claim.instead}"
        )


def _require_counted(plan: Plan, release: Release, claim: _Claim) -> None:
    """Hold a bound to what was counted: the column, or each total that it clips."""
    counted = {_total_of(release.plan, each) for each in bounding(release.plan)}
    has_totals = release.plan.unit.column is not None
    if claim.clipped is None:
        fits = not has_totals and claim.name in {name for name, _, _ in counted}
    else:
        totals = [
            _clipped_by(plan, each, claim.name)
            for each in claim.clipped
            if claim.name in each.ratio.totals
        ]
        fits = has_totals and counted.issuperset(totals)
    if not fits:
        names = ", ".join(f"'{each.name}'" for each in release.questions)
        _refuse(
            f"{claim}, which counted {names}. With ids totals are counted, for one "
            "weight and in the groups of the study. Release histograms of what the "
            f"plan bounds. {claim.instead}"
        )


def _total_of(plan: Plan, question: PlannedQuestion) -> _Total:
    """Say what a histogram counted."""
    found = histogram_of(plan, question)
    return found.name, found.letters.get("w"), found.within


def _clipped_by(plan: Plan, question: PlannedQuestion, name: str) -> _Total:
    return name, question.ratio.weight, plan.partitions[question.partition]


def _require_same_bounds(plan: Plan, release: Release, claim: _Claim) -> None:
    """Compute the bounds again, for the epsilon of the plan."""
    counts = [each.values[:, 0].tolist() for each in release.questions]
    epsilon = plan.budget.epsilon
    found = find_bounds(release.plan, counts, epsilon=float(epsilon))
    proposed = bounds_by_name(found, claim.origin).get(claim.name)
    if proposed != claim.found:
        instead = "nothing"
        if proposed is not None:
            instead = str(replace(proposed, proposed=None))
        _refuse(
            f"the bounds of '{claim.name}' are {claim.found}. For epsilon "
            f"{decimal_text(epsilon)} that release proposes {instead}. Take what "
            f"propose_bounds gives for the budget of the study. {claim.instead}"
        )


def _require_same_bins(
    plan: Plan, release: Release, claim: _Claim, bins: ScoreBins
) -> None:
    """Compute the edges again, of the same column within the same bounds."""
    grid: ScoreBins = grid_of(release.plan)  # type: ignore[assignment]  # looked for
    bounds = plan.bounds[claim.name]
    ends = (bounds.lower, bounds.upper)
    if claim.name != grid.column or ends != (grid.edges[0], grid.edges[-1]):
        _refuse(
            f"{claim}, which counted '{grid.column}' from {grid.edges[0]:g} to "
            f"{grid.edges[-1]:g}. Release a histogram of the column that the plan "
            f"bins, within its bounds. {claim.instead}"
        )
    (question,) = release.questions
    found = find_bins(
        grid,
        question.values[:, 0].tolist(),
        scale=question.asked.scales[0],
        asked=claim.origin.asked,  # type: ignore[attr-defined]  # of bins
    )
    if found.edges != bins.edges:
        _refuse(
            f"the bins of '{claim.name}' are {list(bins.edges)}. That release proposes "
            f"{list(found.edges) or 'nothing'}. Take what propose_bins gives. "
            f"{claim.instead}"
        )


def _refuse(words: str) -> NoReturn:
    raise LedgerRefused(f"{words}.")
