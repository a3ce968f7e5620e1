"""Row 19: what is proposed from histograms that were counted after a look."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpratio.analyst.bounds.propose_bins import propose_bins
from dpratio.analyst.bounds.propose_bounds import choose_bounds, propose_bounds
from dpratio.analyst.bounds.propose_groups import propose_groups
from dpratio.analyst.bounds.read_check import read_check
from dpratio.analyst.tables.provenance import LOOK_WORDS
from dpratio.curator.release_bins import release_bins
from dpratio.curator.release_bounds import release_bounds
from dpratio.curator.release_sums import release_sums
from dpratio.plan.check.plan_check import plan_check
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpratio.release.release import Release


def test_19_what_histograms_propose_keeps_the_mark() -> None:
    """Bounds, bins, limits on groups and a check of rows, as answers do.

    Source: IBM diffprivlib, issue 20.
    """
    people = {
        "user": [f"u{at}" for at in range(400)],
        "month": ["jan", "feb"] * 200,
        "s": [0.5] * 400,
        "y": [1.0] * 400,
    }
    by_month = Study(
        Ratio("s", per="y"),
        groups=Groups("month", ["jan", "feb"]),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        unit=PrivacyUnit("user", totals={"y": Bounds(0, 4)}),
        budget=Budget(1),
    )
    rows = replace(by_month, unit=PrivacyUnit())
    counts = release_bounds(
        people, by_month, budget=Budget(1), most_groups=True, ledger=None
    )
    grid = release_bins(people, rows, "s", budget=Budget(1), ledger=None)
    check = release_sums(people, plan_check(rows, budget=Budget(1)), ledger=None)
    readers: list[tuple[Release, Callable[[Release], Any]]] = [
        (counts, lambda read: propose_bounds(read, budget=Budget(1))),
        (counts, lambda read: choose_bounds(read, "s", budget=Budget(1))),
        (counts, lambda read: propose_groups(read)[0]),
        (grid, lambda read: propose_bins(read, 4)),
        (check, lambda read: read_check(read, rows)),
    ]
    for release, read in readers:
        assert LOOK_WORDS not in read(release).said()
        assert LOOK_WORDS in read(replace(release, is_after_look=True)).said()
