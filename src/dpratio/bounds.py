"""Bounds that are found privately: plan histograms, release them, choose a bound."""

from dpratio.analyst.bounds.proposals import BoundChoices, Proposals
from dpratio.analyst.bounds.propose_bounds import (
    choose_bounds,
    count_beyond,
    propose_bounds,
)
from dpratio.curator.release_bounds import release_bounds
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.terms.bounds import Proposed

__all__ = [
    "BoundChoices",
    "Proposals",
    "Proposed",
    "choose_bounds",
    "count_beyond",
    "plan_bounds",
    "propose_bounds",
    "release_bounds",
]
