"""One printable page for the person who must approve a study.

It says who is protected and how well, what is asked, where each bound comes from, what
is not covered, and what the budget is before and after. It names the plan by its hash,
which the report of the release carries too, and holds the plan itself, so that the
viewer can hold one to the other.
"""

from collections.abc import Mapping, Sequence
from os import PathLike

from dpratio.plan.plan import Plan
from dpratio.release.plan_file import plan_hash, plan_to_bytes
from dpratio.release.release import MADE_BY
from dpratio.release.writing import check_writable, write_whole
from dpratio.show.chart.picture import chart_style
from dpratio.show.report import is_report
from dpratio.show.report_words import promise_in_words
from dpratio.show.sections.embedded import MOST_EMBEDDED, pack
from dpratio.show.sections.template import page_file, render_page, safe
from dpratio.show.sheet.odds_chart import odds_chart
from dpratio.terms.bounds import Bounds

__all__ = ["render_sheet", "write_sheet"]

Facts = Sequence[tuple[str, str]]

_NOT_SAID = "not said"
_NATURAL = "no other value can occur"
_FOUND = "found by the release itself, in noisy histograms"


def write_sheet(
    path: str | PathLike[str],
    plan: Plan,
    *,
    notes: Sequence[str] = (),
    bounds_from: Mapping[str, str] | None = None,
    budget: Facts = (),
    replace: bool = False,
) -> None:
    """Write what must be read before a study is approved, as one HTML file.

    Args:
        path: The file to write; a page of dpratio that is there is replaced.
        plan: What would be measured.
        notes: What to expect of it, in sentences.
        bounds_from: Where the bounds of each column come from, in the asker's words.
        budget: What the ledger has, what this costs, what would be left.
        replace: Whether another file that is there may be replaced.

    Raises:
        FileRefused: When the file cannot be written, or something else is there.
    """
    check_writable(path)
    text = render_sheet(plan, notes=notes, bounds_from=bounds_from, budget=budget)
    write_whole(path, text.encode(), replace=replace or is_report(path))


def render_sheet(
    plan: Plan,
    *,
    notes: Sequence[str] = (),
    bounds_from: Mapping[str, str] | None = None,
    budget: Facts = (),
) -> str:
    """Give the sheet as text; arguments as in `write_sheet`."""
    packed = pack(plan_to_bytes(plan))
    asked = plan.asked()
    own = {*asked, *plan.not_covered}
    return render_page(
        "sheet.html",
        title=_heading(plan),
        heading=_heading(plan),
        made_by=MADE_BY,
        promise=promise_in_words(plan, "this release"),
        pictures=odds_chart(plan).pictures(),
        asked=asked,
        rows=_bound_rows(plan, bounds_from or {}),
        terms=[line for line in plan.summary() if line not in own],
        notes=notes,
        not_covered=plan.not_covered,
        budget=budget,
        plan_table=safe(plan.to_html()),
        plan_hash=plan_hash(plan),
        held=packed if len(packed) <= MOST_EMBEDDED else "",
        style=safe(chart_style() + page_file("report.css") + page_file("sheet.css")),
    )


def _heading(plan: Plan) -> str:
    names = list(dict.fromkeys(str(each.ratio) for each in plan.questions))
    return f"For approval: {plan.title or '; '.join(names)}"


def _bound_rows(plan: Plan, told: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Say of every bound where it comes from, or that nobody said."""
    rows = [
        (name, _within(held), _origin(held, told.get(name, "")))
        for name, held in plan.bounds.items()
        if not held.is_one
    ]
    listed = [("", plan.unit.totals)]
    listed += [(f" in {each.name}", each.totals) for each in plan.questions]
    return rows + [
        (
            f"{name}, total of one person{where}",
            _within(held),
            _origin(held, told.get(name, "")),
        )
        for where, totals in listed
        for name, held in totals.items()
    ]


def _within(held: Bounds) -> str:
    ends = f"{held.lower:g} to {held.upper:g}"
    return f"what is found, {ends} at most" if held.to_find else ends


def _origin(held: Bounds, told: str) -> str:
    """Say what the plan knows, and what is said: words hide no release."""
    if held.natural:
        return told or _NATURAL
    known = _FOUND if held.to_find else str(held.proposed or "")
    return "; ".join(filter(None, [known, told])) or _NOT_SAID
