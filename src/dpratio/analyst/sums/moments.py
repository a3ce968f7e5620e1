"""From noisy integers to moments with known noise: floats first appear here.

Moments are named by their factors: ``ws``, ``wy``, ``wss`` …; ``a`` stands for w·s and
``b`` for w·y, so that ``ab`` is Σ (ws)(wy).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.noise import Noise, noise_of, side_by_side, take
from dpratio.arrays import Flags, Floats, Integers
from dpratio.checks import require
from dpratio.plan.measurement import Measurement, pick_question
from dpratio.plan.sensitivity.sums import CUT, MOMENTS, Contrast, Summand
from dpratio.release.release import NoisySums, Release, ReleasedQuestion, kind_of
from dpratio.terms.bounds import Bounds

Matrix = dict[str, list[float]]


def reconstruction(summands: Sequence[Summand], contrast: Contrast | None) -> Matrix:
    """Give each moment as a combination of the measured sums.

    Moments are named by their factors; ``a`` stands for w·s and ``b`` for w·y. A moment
    that was left out may equal one that was measured: w² = w without weights,
    wy² = wy for a binary denominator.

    Example:
        >>> from dpratio.plan.sensitivity.sums import summands_for
        >>> sums = summands_for(weighted=False, binary=True)
        >>> reconstruction(sums, None)["ww"]
        [1.0, 0.0, 0.0, 0.0, 0.0]
    """
    names = [each.name for each in summands]
    if contrast is not None:
        return _from_contrast(names, contrast)
    unweighted = not any("w" in each.factors for each in summands)
    # Sums from elsewhere may hold no weight, or squares of units' products instead.
    stand_ins = {"wyy": "wy"} if "wss" in names else {}
    if unweighted:
        stand_ins |= {"ww": "w", "aa": "wss", "ab": "wys", "bb": "wyy"}
        stand_ins |= {"wa": "ws", "wb": "wy"}
    sources: dict[str, str] = {}
    for name in dict.fromkeys((*MOMENTS, "aa", "ab", "bb", "wa", "wb", *names)):
        found = name if name in names else stand_ins.get(name, "")
        found = sources.get(found, found)
        if found in names:
            sources[name] = found
    return {
        moment: [float(source == name) for name in names]
        for moment, source in sources.items()
    }


def _from_contrast(names: Sequence[str], contrast: Contrast) -> Matrix:
    numerator, denominator = contrast.inverse()
    parts = {
        "ws": _first(numerator),
        "wy": _first(denominator),
        "aa": _second(numerator, numerator),
        "ab": _second(numerator, denominator),
        "bb": _second(denominator, denominator),
    }
    if "w" in names:
        parts["w"] = {"w": 1.0}
        parts["ww"] = {"ww": 1.0} if "ww" in names else {"w": 1.0}
        mark = "w" if "wz" in names else ""
        parts["wa"] = {mark + name: part for name, part in parts["ws"].items()}
        parts["wb"] = {mark + name: part for name, part in parts["wy"].items()}
    if CUT.name in names:
        parts[CUT.name] = {CUT.name: 1.0}
    return {
        moment: [given.get(name, 0.0) for name in names]
        for moment, given in parts.items()
    }


def _first(row: tuple[float, float]) -> dict[str, float]:
    return {"z": row[0], "h": row[1]}


def _second(
    first: tuple[float, float], second: tuple[float, float]
) -> dict[str, float]:
    return {
        "zz": first[0] * second[0],
        "zh": first[0] * second[1] + first[1] * second[0],
        "hh": first[1] * second[1],
    }


# Groups in one product: few enough that a matrix library does it on one core.
_AT_ONCE = 2048
_SQUARES = (
    "strategy='joint', and answers=('ratio', 'spread') for variances, correlation or "
    "slope"
)
_PLAN_FOR = {
    **dict.fromkeys(("w", "wa", "wb"), "answers=('ratio', 'means')"),
    "ww": "strategy='joint'",
    **dict.fromkeys(("wyy", "wss", "wys"), _SQUARES),
    "wsss": "strategy='joint' and answers=('ratio', 'spread')",
    **dict.fromkeys(("aa", "ab", "bb"), "strategy='focused'"),
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

    def only(self, chosen: Flags | Integers | slice) -> "Moments":
        """Keep some cells, told by truths, by their places or as a slice."""
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
    box = release.measured.box(question.measurement)
    parts = [_moments(question.measurement, sums, box) for sums in question.sums]
    return parts[0] if len(parts) == 1 else _added(parts)


def _moments(asked: Measurement, sums: NoisySums, box: Mapping[str, Bounds]) -> Moments:
    """Reconstruct moments from sums around one guess."""
    steps = np.array(sums.steps)
    names, matrix = _matrix(asked, sums.contrast)
    noise = noise_of(sums.noise, steps)
    if _has_one_label(sums.contrast, box):
        matrix = _knowing_labels(names, matrix, noise)
    return Moments(
        names=names,
        values=_mixed(matrix * steps, sums.values),
        matrix=matrix,
        noise=noise,
    )


def _mixed(matrix: Floats, values: Integers) -> Floats:
    """Give the matrix times each group's sums, moment by moment in memory.

    Each moment is worked on for all groups at once. A matrix library would share a
    long product between all cores, for ten times the work.
    """
    mixed = np.empty((len(matrix), len(values)))
    for at in range(0, len(values), _AT_ONCE):
        some = slice(at, at + _AT_ONCE)
        np.matmul(matrix, values[some].T, out=mixed[:, some])
    return mixed.T


def _added(parts: Sequence[Moments]) -> Moments:
    """Add up moments of different people; each keeps the noise of its own sums.

    Moments mean the same around every guess, so they add where sums do not
    (docs/methods/merging.md).
    """
    return Moments(
        names=parts[0].names,
        values=np.add.reduce([each.values for each in parts]),
        matrix=np.concatenate([each.matrix for each in parts], axis=1),
        noise=side_by_side([each.noise for each in parts]),
    )


def exact_moments(sums: Floats, question: Measurement) -> Moments:
    """Give the moments of sums without noise: public ones, or invented ones."""
    names, matrix = _matrix(question, kind_of(question)[0])
    none = np.zeros((1, matrix.shape[1]))
    return Moments(names, sums @ matrix.T, matrix, Noise(none, none))


def _matrix(
    question: Measurement, contrast: Contrast | None
) -> tuple[tuple[str, ...], Floats]:
    summands = [each.summand for each in question.sums]
    rows = reconstruction(summands, contrast)
    return tuple(rows), np.array(list(rows.values()))


def _has_one_label(contrast: Contrast | None, box: Mapping[str, Bounds]) -> bool:
    """Tell whether y is 0 or 1 for every unit, and z and h were not cut off."""
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
