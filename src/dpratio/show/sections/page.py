"""The page of a report as text: the answer, its pictures, its promises.

Nothing in it comes from the network, and its policy allows nothing to: the one script
that may run is named by its hash. Texts are escaped by the template.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Protocol

from dpratio.analyst.curve.curve_results import Curve
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.analyst.tables.provenance import heading_stamp, stamps
from dpratio.checks import require
from dpratio.plan.plan import Plan
from dpratio.plan.words import NOT_COVERED
from dpratio.release.external import ExternalSums
from dpratio.release.files import plan_hash
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
from dpratio.show.sections.embedded import Embedded, embedded_release
from dpratio.show.text import render
from dpratio.tabular import printable
from dpratio.terms.budget import cost_words

Facts = list[tuple[str, str]]


class Recorded(Protocol):
    """What a ledger says of a release, as names and texts."""

    def header(self) -> Facts:
        """Give what stands below the heading: data, day, who asked."""

    def facts(self) -> Facts:
        """Give everything: scope, dates, who asked and approved, what was left."""


def header_facts(release: Release, record: Recorded | None) -> Facts:
    """Give what stands below the heading: data, day, who asked, who is protected."""
    return [*([] if record is None else record.header()), *_promised(release)]


def recorded_facts(release: Release, record: Recorded | None) -> Facts:
    """Give what a regulator asks for, as far as release and ledger know it."""
    facts = [*([] if record is None else record.facts()), *_promised(release)]
    if not isinstance(release.plan, ExternalSums):
        facts.append(("Neighbours by", release.plan.unit.neighbours))
        facts.append(("Plan hash", plan_hash(release.plan)))
    facts.append(("Release", release.id))
    facts += [("Made from", each) for each in release.sources]
    facts += [("Ledger head", each) for each in release.all_heads]
    if release.source_hash is not None:
        facts.append(("Salted hash of the source", release.source_hash))
    return [*facts, ("Made by", release.made_by)]


def verify_commands(
    release: Release, embedded: Embedded, level: float, method: str
) -> list[tuple[str, str]]:
    """Return what each command checks, and the command.

    The ledger stands as a word: where it lies is not published.
    """
    file = embedded.name
    options = f" --method {method}" if method != "pivot" else ""
    found = [
        ("The bytes are those of this report:", f"sha256sum {file}"),
        (
            "The file is whole, and the ratios follow from it. This needs no data:",
            f"dpratio estimate {file} --level {level:g}{options}",
        ),
    ]
    if release.ledger_head is not None:
        proof = "The release is as it was sealed, and was paid for. For its curator:"
        found.append((proof, f"dpratio ledger verify {file} --ledger LEDGER"))
    return found


def _promised(release: Release) -> Facts:
    """Say who is protected, and how much that costs; of others what they claim."""
    cost = cost_words(release.cost)
    if release.origin is not None:
        return [("Measured by", release.origin), ("Claimed there", cost)]
    return [("Protected", str(release.plan.unit)), ("Cost", cost)]


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
    script, style = _page_file("report.js"), chart_style() + _page_file("report.css")
    blocks = block_terms(estimates, reference)
    reference = estimates.reference if reference is None else reference
    chances = chances_of(release, reference)
    plan, own_title = release.measured, None
    if isinstance(plan, Plan):
        plan, own_title = plan.titled(None), plan.title  # It is the heading.
    heading = title or own_title or asked_of(release)
    embedded = embedded_release(release)
    made_up = heading_stamp(is_simulated=release.is_simulated)
    data = {
        "blocks": [
            {"rows": [list(row.values()) for row in block["rows"]], "css": block["css"]}
            for block in blocks
        ],
        "most_rows": MOST_ROWS,
        "shapes": STRIP_SHAPES,
        "csv": render(estimates, "csv"),
        "csv_name": f"ratios-{release.id[:8]}.csv",
        "release": embedded.data(),
    }
    summary = [shortened(line) for line in (*plan.summary(), *merged_of(release))]
    return _filled_in(
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
        not_covered=NOT_COVERED,
        measured=[line for line in summary if not line.startswith("Asked")],
        plan_table=_safe(plan.to_html()),
        facts=header_facts(release, record),
        recorded=recorded_facts(release, record),
        embedded=embedded,
        commands=verify_commands(release, embedded, level, method),
        release_id=release.id,
        made_by=release.made_by,
        data=_safe(_embedded(data)),
        script=_safe(script),
        script_hash=_hash_of(script),
        style=_safe(style),
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


def _filled_in(**terms: object) -> str:
    """Fill in the report; what its template does not know is an error, not a gap."""
    from jinja2 import Environment, StrictUndefined

    # Marks of direction in a key would turn the words and numbers beside it around.
    rules = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda said: printable(said) if type(said) is str else said,
    )
    return rules.from_string(_page_file("report.html")).render(**terms)


def _page_file(name: str) -> str:
    """Read a template, a style sheet or a script."""
    return (files("dpratio.show") / "page_files" / name).read_text(encoding="utf-8")


def _hash_of(script: str) -> str:
    """Name a script as the policy of a page does, so that it alone may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _safe(text: str) -> Any:  # noqa: ANN401 (Jinja is loaded here)
    """Mark what this room made itself as not to be escaped again."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 (made here, or escaped by to_html)
