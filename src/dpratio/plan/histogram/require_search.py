"""What a plan must hold whose bounds are found by the release itself."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.histogram.found_bounds import is_search
from dpratio.plan.histogram.histograms import histogram_of
from dpratio.plan.plan_terms import PlanTerms, Search
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.terms.bounds import Bounds

__all__ = ["open_names", "require_known", "require_search"]

_APART = "Or find the bounds in a release of their own: `dpratio bounds`."


def open_names(bounds: Mapping[str, Bounds]) -> list[str]:
    """Name the columns, or totals, whose bounds are to be found."""
    held = bounds.items() if isinstance(bounds, Mapping) else ()
    return [name for name, each in held if isinstance(each, Bounds) and each.to_find]


def require_known(plan: PlanTerms) -> None:
    """Refuse to say what a release will be like whose bounds nobody knows yet.

    Raises:
        InvalidInput: When the plan looks for bounds.
    """
    rule = "widths follow from bounds, and those of this plan are yet to be found"
    hint = (
        "`forecast` without a width and without looks gives a range, where a "
        "[population] describes the people. Or plan with bounds that you expect: "
        'bounds={…: Bounds(0, 1000)}, [0, 1000] in place of "find" in a copy of the '
        "study."
    )
    names = [*open_names(plan.bounds), *open_names(plan.unit.totals)]
    require(plan.search is None, rule, names, hint)


def require_search(plan: PlanTerms) -> None:
    """Keep plans that find bounds on the ground of docs/proofs/search.md.

    Raises:
        InvalidInput: With the rule, what was given and what to do.
    """
    rows, totals = open_names(plan.bounds), open_names(plan.unit.totals)
    _require_places(plan, rows)
    search = plan.search
    if search is None:
        rule = "bounds that are to be found need histograms that find them"
        require(not rows + totals, rule, rows + totals, "Make it with make_plan.")
        return
    _require_plain(plan)
    hint = "Make it with make_plan."
    rule = "bounds are found in histograms"
    held = search.histograms if isinstance(search, Search) else None
    known = isinstance(held, PlanTerms) and held.strategy == HISTOGRAM
    require(known and is_search(held), rule, "something else", hint)
    _require_histograms(plan, search, {*rows, *totals})
    flags = search.guessed
    fits = isinstance(flags, tuple) and all(type(each) is bool for each in flags)
    rule = "a search says of every question whether its guess was given"
    require(fits and len(flags) == len(plan.questions), rule, flags, hint)


def _require_places(plan: PlanTerms, rows: list[str]) -> None:
    """Refuse bounds that no histogram of this plan can find."""
    rule = "with ids the bounds of totals are found, and not those of rows"
    hint = (
        "Say it of the unit's totals, and give the column bounds as wide as one row "
        "can be."
    )
    require(plan.unit.column is None or not rows, rule, rows, hint)
    own = [name for each in plan.questions for name in open_names(each.totals)]
    rule = "totals of one question alone are not found"
    hint = f"Say it of the unit's totals. {_APART}"
    require(not own, rule, own, hint)
    binned = [each.column for each in plan.score_bins if each.column in rows]
    rule = "bins need bounds that are known"
    hint = f"Declare the bounds of the binned column. {_APART}"
    require(not binned, rule, binned, hint)


def _require_plain(plan: PlanTerms) -> None:
    rule = "a release that finds bounds has Laplace noise"
    hint = f"Use mechanism 'laplace'. {_APART}"
    require(plan.mechanism == "laplace", rule, plan.mechanism, hint)
    rule = "a release that finds bounds has groups that are declared"
    hint = f"Declare the keys. {_APART}"
    require(not plan.private_keys, rule, "private keys", hint)
    rule = "a release that finds bounds has no other first stage"
    hint = f"Leave the stage out. {_APART}"
    require(plan.stage is None, rule, "a first stage", hint)


def _require_histograms(plan: PlanTerms, search: Search, names: set[str]) -> None:
    """Hold the histograms to the plan: its unit, its open bounds, a part of epsilon."""
    held, hint = search.histograms, "Make it with make_plan."
    units = [replace(each.unit, totals={}) for each in (held, plan)]
    rule = "bounds are found for the unit that the release protects"
    require(units[0] == units[1], rule, str(held.unit), hint)
    counted = {histogram_of(held, each).name for each in held.questions}
    rule = "histograms count just what bounds are to be found for"
    require(counted == names, rule, sorted(counted), hint)
    rule = "finding bounds must leave some of the budget for the sums"
    left = isinstance(search.epsilon, Fraction) and search.epsilon > 0
    require(left and search.epsilon < plan.budget.epsilon, rule, search.epsilon)
