"""Terms that differ only in which release proposed them are the same terms."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.release.merge import merge
from dpratio.release.release import Release
from dpratio.terms.bins.score_bins import ProposedBins
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit
from release.releases_for_tests import BOUNDS, plan_of, release_of

COST = Fraction(1, 20)


def origin(name: str) -> Proposed:
    return Proposed(name * 32, COST)


def site(number: int, name: str | None, *, upper: float = 1) -> Release:
    """A site whose bounds of the score a release proposed, or nobody."""
    found = None if name is None else origin(name)
    bounds = {**BOUNDS, "score": Bounds(0, upper, proposed=found)}
    return release_of(plan_of(None, bounds=bounds, strategy="even"), number)


def merged(*releases: Release) -> Release:
    return merge(list(releases), units_are_disjoint=True)


def test_bounds_of_two_origins_add_up_and_name_none() -> None:
    for other in ("b", None):
        both = merged(site(1, "a"), site(2, other))
        assert both.plan.bounds["score"] == Bounds(0, 1)
        wanted = site(1, None).questions[0].values + site(2, None).questions[0].values
        assert both.questions[0].values.tolist() == wanted.tolist()


def test_bounds_of_one_origin_keep_it() -> None:
    assert merged(site(1, "a"), site(2, "a")).plan.bounds["score"].proposed == origin(
        "a"
    )


def test_other_bounds_are_refused_whatever_proposed_them() -> None:
    with pytest.raises(InvalidInput, match="another bounds"):
        merged(site(1, "a"), site(2, "b", upper=2))


def test_totals_of_two_origins_add_up() -> None:
    def people(number: int, name: str) -> Release:
        totals = {each: Bounds(0, 4, proposed=origin(name)) for each in BOUNDS}
        return release_of(plan_of(None, unit=PrivacyUnit("u", totals=totals)), number)

    both = merged(people(1, "a"), people(2, "b"))
    assert all(each.proposed is None for each in both.plan.unit.totals.values())


def test_bins_of_two_origins_add_up() -> None:
    def binned(number: int, name: str, **changed: Any) -> Release:  # noqa: ANN401
        found = ProposedBins(name * 32, COST, 2)
        edges = changed.get("edges", [0, 0.5, 1])
        groups = Groups.cross(ScoreBins("score", edges, proposed=found))
        return release_of(plan_of(groups), number)

    both = merged(binned(1, "a"), binned(2, "b"))
    assert both.questions[0].groups == Groups.cross(ScoreBins("score", [0, 0.5, 1]))
    assert both.plan.partitions == (both.questions[0].groups,)
    with pytest.raises(InvalidInput, match="the same cells"):
        merged(binned(1, "a"), binned(2, "b", edges=[0, 0.4, 1]))
    same = merged(binned(1, "a"), binned(2, "a"))
    assert same.questions[0].groups == binned(1, "a").questions[0].groups
    assert same.id != replace(both).id
