"""Calibration curves as values: points with intervals, and errors with a test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.curve.calibration_error import Measured
from dpratio.analyst.curve.calibration_test import CalibrationTest
from dpratio.analyst.tables.digits import rounded_to
from dpratio.analyst.tables.labels import labelled
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.sentence import chance_in_words
from dpratio.analyst.tables.statuses import (
    FLOORED,
    Codes,
    codes_of,
    meanings_of,
    words_of,
)
from dpratio.arrays import Floats
from dpratio.tabular import UNKNOWN, Tabular

CURVE_STATUSES = {
    "ok": "all intervals hold at their level",
    "variance_floored": FLOORED,
    "weak": (
        "the labels or the weight of the bin lie near zero for their noise; no level "
        "is promised: where few bins of their kind are bounded, they cover less"
    ),
    "ratio_unbounded": (
        "the labels of the bin cannot be told from zero, so its ratio has no finite "
        "interval; its means do"
    ),
    "lost": (
        "the weight of the bin cannot be told from none; little is known of its means"
    ),
}
_LOST = codes_of(CURVE_STATUSES)["lost"]
_MEASURES = ("share", "mean_score", "mean_label", "ratio", "gap")
_SHOWN = "gap is the mean score less the mean label, share that of the weight."
_RATIOS_ALONE = (
    "ratios alone: shares, means and calibration errors need a plan with "
    "answers=('ratio', 'means')."
)
_GUESSED = (
    "Noise hides how heavy weights are, and the test takes them for middling. If most "
    "are near their upper bound, it rejects calibrated scores too often (up to 8 % at "
    "0.05); if most are near the lower, it finds less. Tighter bounds of the weight "
    "help, and so may answers=('ratio', 'means')."
)
_NORMAL_WIDTH = 3.92  # Standard errors in an interval of level 0.95; enough to round.


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationErrors(Tabular):
    """How far each curve is from calibrated, and a test that it is.

    ``expected`` is the expected calibration error Σ|G|/W, ``squared`` its squared
    version, both with the bias of sampling and noise subtracted; they are known if the
    release holds means. The ``statistic`` of the test adds up squared deviates of the
    bins, each with the part of its variance that is not noise. ``fit`` holds the
    intercept and slope of the straight line of labels on scores, and the Brier score,
    where the release holds ``"spread"``.

    Example:
        >>> import dpratio as dpr
        >>> errors = dpr.calibration_curve(dpr.example_release()).errors
        >>> errors.expected.estimate.round(3), errors.pvalue < 0.05
        (array([0.041]), array([ True]))
    """

    spare: ClassVar = (
        "squared_error_ci_*",
        "squared_error",
        "calibration_intercept_ci_*",
        "calibration_slope_ci_*",
        "brier_score_ci_*",
        "bins",
        "statistic",
        "expected_error_ci_*",
        "calibration_intercept",
    )

    labels: Mapping[str, Sequence[Any]]
    expected: Measured
    squared: Measured
    test: CalibrationTest
    bins: Floats
    left_out: Floats
    level: float
    has_means: bool = True
    fit: Mapping[str, Measured] = field(default_factory=dict)
    origin: str | None = None

    @property
    def statistic(self) -> Floats:
        """The statistic of the test of each curve."""
        return self.test.statistic

    @property
    def pvalue(self) -> Floats:
        """The p-value of the test of each curve."""
        return self.test.pvalue

    def columns(self) -> dict[str, list[Any]]:
        """One row per curve."""
        answers: dict[str, list[Any]] = {}
        if self.has_means:
            answers |= _laid_out("expected_error", self.expected)
            answers |= _laid_out("squared_error", self.squared)
        answers |= {
            "statistic": self.statistic.tolist(),
            "bins": self.bins.astype(int).tolist(),
            "pvalue": self.pvalue.tolist(),
        }
        for name, measured in self.fit.items():
            answers |= _laid_out(name, measured)
        return labelled(self.labels, answers)

    def precision(self) -> dict[str, list[float]]:
        """Errors are rounded to a quarter of their intervals, about."""
        measures = dict(self.fit)
        if self.has_means:
            measures |= {"expected_error": self.expected, "squared_error": self.squared}
        found: dict[str, list[float]] = {}
        for name, measured in measures.items():
            found |= _precision(name, measured)
        return found

    def sentences(self) -> list[str]:
        """Say for each curve how far it is from calibrated."""
        table, said = self.shown(), []
        for at in range(len(self.pvalue)):
            names = [str(cells[at]) for cells in self.labels.values()]
            whose = f"{', '.join(names)}: " if names else ""
            chance = float(self.pvalue[at])
            verdict = "contradicts" if chance < 1 - self.level else "allows"
            said.append(
                f"{whose}{_within(table, at) if self.has_means else ''}"
                f"{chance_in_words(chance)}, which {verdict} a calibrated score."
            )
            if self.left_out[at]:
                count = int(self.left_out[at])
                verb = "is" if count == 1 else "are"
                said.append(
                    f"{whose}{count} of the bins {verb} too lost in noise for the "
                    f"squared error and {verb} left out of it."
                )
        return said

    def __len__(self) -> int:
        return len(self.pvalue)


@dataclass(frozen=True, slots=True, eq=False)
class Curve(Tabular):
    """Points of calibration curves with intervals, one row per bin.

    ``share`` is the part of a curve's weight that lies in the bin, ``gap`` the mean
    score less the mean label. A release without means has ratios alone, and the test.
    ``status`` is one of `CURVE_STATUSES`; ``bounds`` hold all scores and labels.

    Example:
        >>> import dpratio as dpr
        >>> curve = dpr.calibration_curve(dpr.example_release())
        >>> curve.to_dicts()[0]["score"], curve.status
        ('0 to 0.2', ('ok', 'ok', 'ok', 'ok', 'ok'))
    """

    spare: ClassVar = (
        "share_ci_*",
        "mean_score_ci_*",
        "mean_label_ci_*",
        "ratio_ci_*",
        "ratio",
        "share",
    )

    labels: Mapping[str, Sequence[Any]]
    bins: str
    score: str
    share: Measured
    mean_score: Measured
    mean_label: Measured
    ratio: Measured
    gap: Measured
    codes: Codes
    errors: CalibrationErrors
    level: float
    is_simulated: bool
    origin: str | None = None
    release_id: str = ""
    bounds: tuple[float, float] = (-np.inf, np.inf)

    @property
    def has_means(self) -> bool:
        """Whether more than the ratio is known of a bin."""
        return self.errors.has_means

    @property
    def _measures(self) -> tuple[str, ...]:
        return _MEASURES if self.has_means else ("ratio",)

    @property
    def status(self) -> tuple[str, ...]:
        """The status of every bin, one of `CURVE_STATUSES`."""
        return words_of(self.codes, CURVE_STATUSES)

    def columns(self) -> dict[str, list[Any]]:
        """One row per bin of every curve, in declared order."""
        answers: dict[str, list[Any]] = {}
        for name in self._measures:
            answers |= _laid_out(name, getattr(self, name))
        answers["status"] = list(self.status)
        return labelled(self.labels, answers)

    def precision(self) -> dict[str, list[float]]:
        """Values are rounded to a quarter of their intervals, about.

        Nothing is known of what lies in a bin that is lost.
        """
        lost = self.codes == _LOST
        found: dict[str, list[float]] = {}
        for name in self._measures:
            nowhere = lost & (name != "share")
            found |= _precision(name, getattr(self, name), nowhere)
        return found

    def summary(self) -> str:
        """Say in a sentence for each curve how far it is from calibrated."""
        return " ".join(self.errors.sentences())

    def notes(self) -> list[str]:
        """Say what is shown, what it amounts to and what the statuses mean."""
        lines = stamps(self.origin, is_simulated=self.is_simulated)
        over = (
            f"Calibration over bins of {self.bins}, intervals at level {self.level:g}"
        )
        lines.append(f"{over}; {_SHOWN if self.has_means else _RATIOS_ALONE}")
        if self.bins != self.score:
            lines.append(f"The bins are of {self.bins}, not of {self.score}.")
        lines += self.errors.sentences()
        if self.errors.test.guesses_weights.any():
            lines.append(_GUESSED)
        return lines + meanings_of(self.codes, CURVE_STATUSES)

    def __len__(self) -> int:
        return len(self.codes)


def _within(table: Mapping[str, Sequence[str]], at: int) -> str:
    """Say how large the expected calibration error of a curve is."""
    error, lower, upper = (
        table[f"expected_error{end}"][at] for end in ("", "_ci_lower", "_ci_upper")
    )
    known = "unknown" if error == UNKNOWN else f"{error} ({lower} to {upper})"
    return f"expected calibration error {known}; "


def _laid_out(name: str, measured: Measured) -> dict[str, list[Any]]:
    return {
        name: measured.estimate.tolist(),
        f"{name}_ci_lower": measured.ci_lower.tolist(),
        f"{name}_ci_upper": measured.ci_upper.tolist(),
    }


def _precision(
    name: str, measured: Measured, nowhere: NDArray[np.bool_] | None = None
) -> dict[str, list[float]]:
    width = (measured.ci_upper - measured.ci_lower) / _NORMAL_WIDTH
    value, *ends = _laid_out(name, measured)
    unsure = width if nowhere is None else np.where(nowhere, np.inf, width)
    of_value = rounded_to(unsure, values=(value,))
    return of_value | rounded_to(width, values=(), ends=ends)
