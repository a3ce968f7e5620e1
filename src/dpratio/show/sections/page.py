"""The page of a report as text: the answer, its pictures, its promises.

Nothing in it comes from the network, and its policy allows nothing to: the one script
that may run is named by its hash. Texts are escaped by the template.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpratio.analyst.curve.curve_results import Curve
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.analyst.tables.provenance import heading_stamp, stamps
from dpratio.checks import require
from dpratio.plan.search.realise_bounds import describe_unfound
from dpratio.release.release import Release
from dpratio.show.chart.picture import chart_style
from dpratio.show.chart.strip import STRIP_SHAPES, draw_places
from dpratio.show.report_curves import curve_sets_of
from dpratio.show.report_rows import MOST_ROWS, block_terms, counted_verdicts
from dpratio.show.report_words import (
    answer_of,
    asked_of,
    chances_of,
    merged_of,
    promised_of,
    shortened,
    sure_of,
)
from dpratio.show.sections.answers import Answer, answer_terms, require_answers
from dpratio.show.sections.embedded import embedded_release
from dpratio.show.sections.facts import (
    Recorded,
    header_facts,
    recorded_facts,
    verify_commands,
)
from dpratio.show.sections.template import hash_of, page_file, render_page, safe
from dpratio.show.text import render
from dpratio.tabular import PUBLIC

__all__ = ["render_report"]


def render_report(
    release: Release,
    *,
    title: str | None = None,
    level: float = 0.95,
    method: str = "pivot",
    reference: float | None = None,
    answers: Sequence[Answer] = (),
    record: Recorded | None = None,
) -> str:
    """Give the report as text; arguments as in `write_report`.

    ``record`` is what the ledger says of the release. This page knows no ledger: who
    only reads releases must have no way to one.
    """
    require(isinstance(release, Release), "release must be a Release", release)
    require_answers(release, answers)
    estimates = estimate_ratios(release, level=level, method=method)
    script, style = page_file("report.js"), chart_style() + page_file("report.css")
    blocks = block_terms(estimates, reference)
    reference = estimates.reference if reference is None else reference
    chances = chances_of(release, reference)
    heading = title or release.plan.title or asked_of(release)
    embedded = embedded_release(release)
    made_up = heading_stamp(release.origin, is_simulated=release.is_simulated)
    data = {
        "blocks": [
            {"rows": [list(row.values()) for row in block["rows"]], "css": block["css"]}
            for block in blocks
        ],
        "most_rows": MOST_ROWS,
        "shapes": STRIP_SHAPES,
        "csv": render(estimates, "csv"),
        "csv_name": f"ratios-{release.id[:8]}.csv",
        "release": None if embedded is None else embedded.data(),
    }
    plan = replace(release.measured, title=None)  # It is the heading.
    missing = describe_unfound(release.plan, release.searched)
    said = [*plan.summary(), *missing, *merged_of(release)]
    summary = [shortened(line) for line in said]
    return render_page(
        title=f"{made_up}{heading}",
        heading=heading,
        answer=shortened(answer_of(estimates, reference, chances)),
        asked=" ".join(line for line in summary if line.startswith("Asked")),
        level=f"{level:g}",
        count=len(estimates),
        blocks=blocks,
        most_rows=MOST_ROWS,
        verdicts=counted_verdicts(blocks),
        shapes=STRIP_SHAPES,
        draw_places=draw_places,
        stamps=stamps(release.origin, is_simulated=release.is_simulated),
        answers=answer_terms(release, answers),
        curve_sets=curve_sets_of(release, level, shown=_curves(answers)),
        sure=sure_of(estimates),
        statuses=[
            (name, words)
            for name, words in STATUSES.items()
            if name in estimates.status
        ],
        promised=promised_of(release),
        not_covered=plan.not_covered,
        measured=[line for line in summary if not line.startswith("Asked")],
        plan_table=safe(plan.to_html()),
        facts=header_facts(release, record),
        recorded=recorded_facts(release, record),
        embedded=embedded,
        commands=verify_commands(release, embedded, level, method),
        release_id="none" if release.origin == PUBLIC else release.id,
        made_by=release.made_by,
        data=safe(_embedded(data)),
        script=safe(script),
        script_hash=hash_of(script),
        style=safe(style),
    )


def _curves(answers: Sequence[Answer]) -> list[tuple[str, str]]:
    """Name the curves that the report answers first."""
    return [(each.score, each.bins) for each in answers if isinstance(each, Curve)]


def _embedded(data: dict[str, Any]) -> str:
    """Write JSON that no text can break out of."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
