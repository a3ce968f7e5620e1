"""One HTML file that opens anywhere: the answer, its pictures, its promises.

Nothing in it comes from the network, and its policy allows nothing to: the one script
that may run is named by its hash. Texts are escaped by the template.
"""

import base64
import contextlib
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from dpratio.analyst.curve.curve_results import Curve
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.analyst.tables.provenance import stamps
from dpratio.checks import require
from dpratio.plan.plan_words import NOT_COVERED
from dpratio.release.release import Release
from dpratio.release.writing import check_writable, write_whole
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
from dpratio.show.text import render
from dpratio.tabular import printable

__all__ = ["MOST_ROWS", "is_report", "render_report", "write_report"]

_HEAD, _MADE_BY = 2**10, b'<meta name="generator" content="dpratio '


def write_report(  # noqa: PLR0913 (keyword-only options of a report)
    path: str | PathLike[str],
    release: Release,
    *,
    title: str | None = None,
    level: float = 0.95,
    method: str = "pivot",
    reference: float | None = None,
    answers: Sequence[Answer] = (),
    replace: bool = False,
) -> None:
    """Write what a release says as one HTML file, free of any network.

    Args:
        path: The file to write; a report that is there is replaced, and nothing else.
        release: What the report is about; no data and no budget are needed.
        title: The heading; by default what was asked.
        level: Confidence level of the intervals.
        method: How intervals are made, as in `estimate_ratios`.
        reference: The ratio that verdicts are about; by default 1 for columns of the
            same range and 0 for differences; other questions have no verdicts.
        answers: What the report is to answer first, each in a sentence and a chart:
            what `compare_ratios`, `assess_homogeneity`, `assess_equivalence`,
            `estimate_function`, `calibration_curve` or `watch` found. After `watch` the
            release is the newest.
        replace: Whether another file that is there may be replaced.

    Raises:
        FileRefused: When the file cannot be written, or something else is there.
        InvalidInput: When an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "report.html")
        ...     dpr.write_report(file, dpr.example_release(), title="Is it calibrated?")
        ...     "Is it calibrated?" in file.read_text(encoding="utf-8")
        ...     west = dpr.compare_ratios(dpr.example_release(), "west", "north")
        ...     dpr.write_report(file, dpr.example_release(), answers=[west])
        ...     "In west, score per label is 19.8 % higher" in file.read_text("utf-8")
        True
        True
    """
    check_writable(path)
    text = render_report(
        release,
        title=title,
        level=level,
        method=method,
        reference=reference,
        answers=answers,
    )
    write_whole(path, text.encode(), replace=replace or is_report(path))


def is_report(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a report, which can be written again at no cost."""
    if not Path(path).is_file():  # A pipe would be waited for.
        return False
    with contextlib.suppress(OSError), Path(path).open("rb") as file:
        return _MADE_BY in file.read(_HEAD)
    return False


def render_report(
    release: Release,
    *,
    title: str | None = None,
    level: float = 0.95,
    method: str = "pivot",
    reference: float | None = None,
    answers: Sequence[Answer] = (),
) -> str:
    """Give the report as text; arguments as in `write_report`."""
    require(isinstance(release, Release), "release must be a Release", release)
    require_answers(release, answers)
    estimates = estimate_ratios(release, level=level, method=method)
    script, style = _file("report.js"), chart_style() + _file("report.css")
    blocks = block_terms(estimates, reference)
    reference = estimates.reference if reference is None else reference
    chances = None if len(estimates) == 1 else chances_of(release, reference)
    heading = title or asked_of(release)
    made_up = "SIMULATED: " if release.is_simulated else ""
    data = {
        "blocks": [
            {"rows": [list(row.values()) for row in block["rows"]], "css": block["css"]}
            for block in blocks
        ],
        "most_rows": MOST_ROWS,
        "shapes": STRIP_SHAPES,
        "csv": render(estimates, "csv"),
        "csv_name": f"ratios-{release.id[:8]}.csv",
    }
    plan = release.measured
    summary = [shortened(line) for line in [*plan.summary(), *merged_of(release)]]
    return str(
        _template().render(
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
            answers=answer_terms(answers),
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
            release_id=release.id,
            made_by=release.made_by,
            ledger_heads=release.all_heads,
            data=_safe(_embedded(data)),
            script=_safe(script),
            script_hash=_hash_of(script),
            style=_safe(style),
        )
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


def _hash_of(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _file(name: str) -> str:
    return (files("dpratio.show") / "page_files" / name).read_text(encoding="utf-8")


def _template() -> Any:  # noqa: ANN401 (Jinja is loaded here)
    from jinja2 import Environment, StrictUndefined

    # Marks of direction in a key would turn the words and numbers beside it around.
    rules = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda said: printable(said) if type(said) is str else said,
    )
    return rules.from_string(_file("report.html"))


def _safe(text: str) -> Any:  # noqa: ANN401 (Jinja is loaded here)
    """Mark what this file made itself as not to be escaped again."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 (made here, or escaped by to_html)
