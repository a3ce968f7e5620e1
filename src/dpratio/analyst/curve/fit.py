"""The straight line through a calibration curve, and the Brier score of its people.

Both are functions of sums over all bins of a curve. Their sampling variances need sums
of fourth powers, which a plan with ``spread`` among its answers measures; other plans
give no answer.
"""

from collections.abc import Sequence

from dpratio.analyst.curve.calibration_error import Measured
from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.functions import slope
from dpratio.analyst.function.scores import brier_score, calibration_intercept
from dpratio.analyst.sums.moments import Moments
from dpratio.release.combine import roll_up
from dpratio.release.release import Release, ReleasedQuestion

_FUNCTIONS = {
    "calibration_intercept": calibration_intercept(),
    "calibration_slope": slope(),
    "brier_score": brier_score(),
}
_NEEDED = "wssss"


def fit_of(
    release: Release,
    question: ReleasedQuestion,
    moments: Moments,
    columns: Sequence[str],
    level: float,
) -> dict[str, Measured]:
    """Give intercept, slope and Brier score of every curve; nothing where not told.

    Args:
        release: Noisy sums over bins.
        question: The question that has the bins.
        moments: What its sums tell.
        columns: What there is a curve for each of, beside the bins.
        level: The level of the intervals.
    """
    if _NEEDED not in moments.names:
        return {}
    at = next(
        place
        for place, each in enumerate(release.questions, start=1)
        if each is question
    )
    whole = roll_up(release, list(columns), question=at)
    found = {}
    for name, function in _FUNCTIONS.items():
        told = estimate_function(whole, function, level=level)
        found[name] = Measured(told.estimate, told.ci_lower, told.ci_upper)
    return found
