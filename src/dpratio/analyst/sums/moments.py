"""From noisy integers to moments with known noise: floats first appear here.

Moments are named by their factors: ``ws``, ``wy``, ``wss`` …; ``a`` stands for w·s and
``b`` for w·y, so that ``ab`` is Σ (ws)(wy).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.sums.noise import Noise, noise_of, take
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion, pick_question
from dpratio.plan.strategy.layout import reconstruction
from dpratio.release.release import Release, ReleasedQuestion

__all__ = ["Moments", "exact_moments", "moments_of"]


_SQUARES = (
    "strategy='joint', and answers=('ratio', 'spread') for variances, correlation or "
    "slope"
)
_PLAN_FOR = {
    "w": "answers=('ratio', 'means')",
    "ww": "strategy='joint'",
    "wyy": _SQUARES,
    "wss": _SQUARES,
    "wys": _SQUARES,
    "wa": "answers=('ratio', 'means')",
    "wb": "answers=('ratio', 'means')",
    "wsss": "strategy='joint' and answers=('ratio', 'spread')",
    "aa": "strategy='focused'",
    "ab": "strategy='focused'",
    "bb": "strategy='focused'",
}


@dataclass(frozen=True, slots=True)
class Moments:
    """Estimated moments, cells × names, and the noise of the sums behind them.

    ``matrix`` (names × sums) says how moments are made of sums.
    """

    names: tuple[str, ...]
    values: Floats
    matrix: Floats
    noise: Noise

    def __getitem__(self, name: str) -> Floats:
        """Give one moment for every cell.

        Raises:
            InvalidInput: When the release does not hold it.
        """
        column: Floats = self.values[:, self._place(name)]
        return column

    def loading(self, name: str) -> Floats:
        """Give the weight of every sum in a moment."""
        weights: Floats = self.matrix[self._place(name)]
        return weights

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "Moments":
        """Keep some cells, told by truths or by their places."""
        noise = Noise(
            take(self.noise.variance, chosen), take(self.noise.laplace, chosen)
        )
        return Moments(self.names, self.values[chosen], self.matrix, noise)

    def noise_covariance(self, first: str, second: str) -> Floats:
        """Give the covariance of the noise of two moments, by cell or for all."""
        both = self.loading(first) * self.loading(second)
        covariance: Floats = self.noise.variance @ both
        return covariance

    def _place(self, name: str) -> int:
        """Refuse what the release does not hold, and name the plan that would."""
        rule = f"this release does not hold the sum {name}, which this answer needs"
        higher = _PLAN_FOR["wsss"] if len(name) > 3 else "another strategy"  # noqa: PLR2004
        hint = f"Make the plan with {_PLAN_FOR.get(name, higher)}."
        require(name in self.names, rule, list(self.names[:2]), hint)
        return self.names.index(name)


def moments_of(release: Release, question: ReleasedQuestion | None = None) -> Moments:
    """Reconstruct moments from the measured sums of a question, or of the only one."""
    question = question or pick_question(release.questions, None)
    steps = np.array([each.step for each in question.asked.sums])
    names, matrix = _matrix(release.plan, question.asked)
    noise = noise_of(question.noise, steps)
    if _has_one_label(release.plan, question.asked):
        matrix = _knowing_labels(names, matrix, noise)
    return Moments(
        names=names,
        # Moment by moment in memory: each is worked on for all cells at once.
        values=((matrix * steps) @ question.values.T).T,
        matrix=matrix,
        noise=noise,
    )


def exact_moments(sums: Floats, plan: Plan, question: PlannedQuestion) -> Moments:
    """Give the moments of sums without noise: public ones, or invented ones."""
    names, matrix = _matrix(plan, question)
    none = np.zeros((1, matrix.shape[1]))
    return Moments(names, sums @ matrix.T, matrix, Noise(none, none))


def _matrix(plan: Plan, question: PlannedQuestion) -> tuple[tuple[str, ...], Floats]:
    summands = [each.summand for each in question.sums]
    rows = reconstruction(summands, plan.contrast(question))
    return tuple(rows), np.array(list(rows.values()))


def _has_one_label(plan: Plan, question: PlannedQuestion) -> bool:
    """Tell whether y is 0 or 1 for every unit, and z and h were not cut off."""
    contrast, box = plan.contrast(question), plan.box(question)
    if contrast is None or contrast.limit is not None or "w" in box:
        return False
    return box["y"].is_binary


def _knowing_labels(names: tuple[str, ...], matrix: Floats, noise: Noise) -> Floats:
    """Use Σy² = Σy: what noise put between the two is taken off the squares.

    Generalised least squares for Σa², Σab and Σb² alone; Σa and Σb keep the noise that
    the test of a ratio is made of. One matrix serves all cells: it is the best where
    their noise differs by a factor only, and right where it does not.
    """
    places = [names.index(name) for name in ("aa", "ab", "bb")]
    gap = matrix[names.index("bb")] - matrix[names.index("wy")]
    moved = noise.variance.mean(axis=0) * gap
    whole = gap @ moved
    if not 0 < whole < np.inf:
        return matrix
    known = matrix.copy()
    known[places] -= np.outer(matrix[places] @ (moved / whole), gap)
    return known
