"""Values of a function of sums with intervals: one row per cell, or pair of arms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dpratio.analyst.tables.digits import rounded_to
from dpratio.analyst.tables.labels import labelled
from dpratio.analyst.tables.provenance import stamps
from dpratio.analyst.tables.statuses import FLOORED, Codes, meanings_of, words_of
from dpratio.arrays import Floats
from dpratio.tabular import Tabular

FUNCTION_STATUSES = {
    "ok": "the interval holds at its level",
    "variance_floored": FLOORED,
    "weak": (
        "what the function divides by and what it divides lie within six standard "
        "deviations of zero, or somewhat further out where noise hides the variance, "
        "or the divisor alone within three, and the interval may be bounded by luck; "
        "its level is not promised: where few answers of its kind are bounded, they "
        "cover less"
    ),
    "curved": (
        "the function bends within the reach of the noise; the interval is "
        "approximate, and covers less where few answers of its kind bend"
    ),
    "selected": (
        "the key was found because it seemed to have many people, and its total may be "
        "too large for that; where few keys of its size are found, it covers less than "
        "its level"
    ),
    "unbounded": "noise leaves the function undefined; no finite interval is honest",
}


@dataclass(frozen=True, slots=True, eq=False)
class FunctionEstimates(Tabular):
    """A function of sums with confidence intervals.

    ``se`` is the standard error of the estimate; ``se_sampling`` and ``se_privacy`` are
    its two parts, whose squares add up. ``status`` is one of `FUNCTION_STATUSES`.

    Example:
        >>> import dpratio as dpr
        >>> release, mean = dpr.example_release(), dpr.functions.mean("per")
        >>> found = dpr.estimate_function(release, mean, question=1)
        >>> found.function, found.se.round(4)
        ('mean_of_per', array([0.0071, 0.0071, 0.0071, 0.007 ]))
    """

    spare: ClassVar = ("se_privacy", "se_sampling", "se")

    function: str
    labels: Mapping[str, Sequence[Any]]
    estimate: Floats
    ci_lower: Floats
    ci_upper: Floats
    se: Floats
    se_sampling: Floats
    se_privacy: Floats
    codes: Codes
    method: str
    level: float
    is_simulated: bool
    origin: str | None = None
    release_id: str = ""

    @property
    def status(self) -> tuple[str, ...]:
        """The status of every row, one of `FUNCTION_STATUSES`."""
        return words_of(self.codes, FUNCTION_STATUSES)

    def columns(self) -> dict[str, list[Any]]:
        """One row per cell, or per pair of arms."""
        names = ["estimate", "ci_lower", "ci_upper", "se", "se_sampling", "se_privacy"]
        answers = {name: getattr(self, name).tolist() for name in names}
        return labelled(self.labels, answers | {"status": list(self.status)})

    def precision(self) -> dict[str, list[float]]:
        """Estimates and ends are rounded to their standard error."""
        values = ("estimate", "se", "se_sampling", "se_privacy")
        return rounded_to(self.se, values=values, ends=("ci_lower", "ci_upper"))

    def notes(self) -> list[str]:
        """Say what is shown, how it was made and what the statuses mean."""
        shown = self.function.replace("_", " ")
        made = f"intervals at level {self.level:g}, method {self.method}"
        return [
            *stamps(self.origin, is_simulated=self.is_simulated),
            f"Estimates of {shown}; {made}.",
            *meanings_of(self.codes, FUNCTION_STATUSES),
        ]

    def __len__(self) -> int:
        return len(self.estimate)
