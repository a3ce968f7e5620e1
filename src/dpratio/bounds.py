"""Bounds and bins that are found privately: plan histograms, choose."""

from dpratio.analyst.bounds.proposals import BoundChoices, Proposals
from dpratio.analyst.bounds.propose_bins import BinProposal, propose_bins
from dpratio.analyst.bounds.propose_bounds import (
    choose_bounds,
    count_beyond,
    propose_bounds,
)
from dpratio.analyst.bounds.propose_groups import GroupChoices, propose_groups
from dpratio.plan.histograms import plan_bins, plan_bounds

__all__ = [
    "BinProposal",
    "BoundChoices",
    "GroupChoices",
    "Proposals",
    "choose_bounds",
    "count_beyond",
    "plan_bins",
    "plan_bounds",
    "propose_bins",
    "propose_bounds",
    "propose_groups",
]
