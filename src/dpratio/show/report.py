"""One HTML file that opens anywhere, written whole, in the place of a report alone."""

import contextlib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from dpratio.checks import require
from dpratio.release.files import check_writable, write_whole
from dpratio.release.release import Release
from dpratio.show.sections.answers import Answer
from dpratio.show.sections.page import render_report

if TYPE_CHECKING:
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.curator.ledger.record import Record

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
    ledger: "Ledger | None" = None,
    replace: bool = False,
) -> None:
    """Write what a release says as one HTML file that needs no network.

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
        ledger: The ledger of the release, for its scope, dates, who asked, who
            approved, and what was left. All of this is then published in the report.
        replace: Whether another file that is there may be replaced.

    Raises:
        FileRefused: When the file cannot be written, or something else is there.
        InvalidInput: When an option breaks a rule.
        LedgerRefused: When the release is not in the ledger, or not as it was sealed.

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
        ...     "In region west, score per label is 20.7" in file.read_text("utf-8")
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
        record=None if ledger is None else _recorded(ledger, release),
    )
    write_whole(path, text.encode(), replace=replace or is_report(path))


def is_report(path: str | PathLike[str]) -> bool:
    """Tell whether a file is a report, which can be written again at no cost."""
    if not Path(path).is_file():  # A pipe would be waited for.
        return False
    with contextlib.suppress(OSError), Path(path).open("rb") as file:
        return _MADE_BY in file.read(_HEAD)
    return False


def _recorded(ledger: "Ledger", release: Release) -> "Record":
    """Look a release up; the room of the ledger is loaded for this alone."""
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.curator.ledger.record import record_of

    require(isinstance(ledger, Ledger), "ledger must be a Ledger", ledger)
    return record_of(ledger, release)
