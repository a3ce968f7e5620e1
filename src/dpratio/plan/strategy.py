"""Which linear combinations of moments are measured, and how they are undone.

Strategy ``even`` is the paper's: the moments themselves, each with the same share
of epsilon and delta, added up by basic composition.
Floor: plan. Imports: terms, calibrate, lattice, sensitivity, sums.
"""

from collections.abc import Mapping, Sequence

from dpratio.plan.calibrate import calibrate
from dpratio.plan.lattice import step_for
from dpratio.plan.plan import MeasuredSum
from dpratio.plan.sensitivity import reach_of, sensitivity_in_cells
from dpratio.plan.sums import MOMENTS, summands_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget

__all__ = ["STRATEGIES", "measure_evenly", "reconstruction"]

STRATEGIES = ("even",)


def measure_evenly(
    bounds: Mapping[str, Bounds], budget: Budget, mechanism: str
) -> tuple[MeasuredSum, ...]:
    """Give each sum an equal share: Miao & Li (2022), section 2.3.1.

    Args:
        bounds: Bounds of the factors ``s``, ``y`` and, where there is one, ``w``.
        budget: What all sums may cost together.
        mechanism: The noise law.
    """
    summands = summands_for(weighted="w" in bounds, binary=bounds["y"].is_binary)
    epsilon = budget.epsilon / len(summands)
    delta = budget.delta / len(summands) if mechanism != "laplace" else budget.delta * 0
    measured = []
    for summand in summands:
        step = step_for(reach_of(summand.factors, bounds))
        sensitivity = sensitivity_in_cells(summand.factors, bounds, step)
        scale = calibrate(
            mechanism, sensitivity=sensitivity, epsilon=epsilon, delta=delta
        )
        measured.append(MeasuredSum(summand, step, sensitivity, scale, epsilon, delta))
    return tuple(measured)


def reconstruction(names: Sequence[str]) -> list[list[int]]:
    """Give the matrix that turns measured sums into the seven moments.

    A moment that was left out equals one that was measured: w² = w without weights,
    wy² = wy for a binary denominator.

    Example:
        >>> reconstruction(["w", "wy", "ws", "wss", "wys"])[3]
        [1, 0, 0, 0, 0]
    """
    stand_ins = {"ww": "w", "wyy": "wy"}
    sources = [name if name in names else stand_ins[name] for name in MOMENTS]
    return [[int(source == name) for name in names] for source in sources]
