"""Aggregates in: noisy sums of another system, wrapped into a release for inference."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import require_one_of
from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE
from dpratio.release.external import ExternalSums
from dpratio.release.release import MADE_BY, Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

_LAWS = {"laplace": LAPLACE, "gaussian": GAUSSIAN}
_LARGEST_SUM = 2.0**62


def wrap_sums(  # noqa: PLR0913 (keyword-only terms)
    sums: Mapping[str, Sequence[float]],
    ratio: Ratio,
    *,
    noise_sd: Mapping[str, float],
    law: str,
    bounds: Mapping[str, Bounds],
    origin: str,
    claimed: Budget,
    groups: Groups | None = None,
    is_simulated: bool = False,
) -> Release:
    """Wrap noisy sums of another system into a release, stamped as external.

    Args:
        sums: By name, one noisy sum per cell. Names are products of factors: ``w`` the
            weight (or the count), ``s`` the numerator and ``y`` the denominator:
            ``ws``, ``wy``, ``wss``, ``wys``, ``wyy`` (which a binary denominator does
            not need); ``w`` for means. With weights also ``ww``, or the squares of
            units ``aa``, ``ab``, ``bb`` with a = w·s and b = w·y.
        ratio: What the sums are about.
        noise_sd: By name, the standard deviation of the noise of each sum; 0 for a
            sum without noise.
        law: ``"laplace"`` or ``"gaussian"``; a discrete law counts as its continuous
            one. Of another law, give its deviation and say gaussian.
        bounds: The public ranges to which values were clipped there.
        origin: The name of the system, for every answer to repeat.
        claimed: What that system says it spent; repeated, not checked.
        groups: The cells, in the order of the sums; None for one.
        is_simulated: Whether the people are invented.

    Returns:
        A release from which everything can be estimated that its sums allow.

    Raises:
        InvalidInput: When sums are missing or do not fit their cells.

    Example:
        >>> release = wrap_sums(
        ...     {"ws": [51.0], "wy": [48.0], "wss": [31.0], "wys": [30.0]},
        ...     Ratio("score", per="label"),
        ...     noise_sd=dict.fromkeys(["ws", "wy", "wss", "wys"], 1.4), law="laplace",
        ...     bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        ...     origin="another system", claimed=Budget(4),
        ... )
        >>> release.origin
        'another system'
    """
    require_one_of(law, _LAWS, "law of noise")
    sums = sums if isinstance(sums, Mapping) else {}
    stated = noise_sd if isinstance(noise_sd, Mapping) else {}
    external = ExternalSums(
        origin=origin,
        ratio=ratio,
        groups=groups,
        bounds=bounds,
        law=_LAWS[law],
        noise_sd={name: stated.get(name) for name in sums},  # type: ignore[misc]
        claimed=claimed,
    )
    (planned,), cells = external.measurements, external.groups
    rows = 1 if cells is None else cells.count
    values = np.stack(
        [
            _counted(part.summand.name, sums[part.summand.name], part.step, rows)
            for part in planned.sums
        ],
        axis=1,
    )
    detail = repr((origin, values.tolist(), planned.sums, cells, ratio))
    return Release(
        id=hashlib.sha256(detail.encode()).hexdigest()[:32],
        plan=external,
        questions=(fresh_question(external.law, planned, cells, values),),
        made_by=MADE_BY,
        is_simulated=is_simulated,
    )


def _counted(name: str, cells: object, step: float, rows: int) -> Integers:
    """Return a sum of every cell in whole lattice cells."""
    try:
        values = np.array(cells, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    counted = np.floor(values / step + 0.5)
    if len(values) != rows or not bool((np.abs(counted) < _LARGEST_SUM).all()):
        raise InvalidInput(
            f"the sum {name} must hold {rows} finite numbers, none of them too large "
            "for the bounds.",
            field="sums",
        )
    return counted.astype(np.int64)
