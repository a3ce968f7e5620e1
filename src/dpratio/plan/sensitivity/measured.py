"""One sum of a plan."""

from dataclasses import dataclass

from dpratio.plan.sensitivity.sums import Summand

__all__ = ["MeasuredSum"]


@dataclass(frozen=True, slots=True)
class MeasuredSum:
    """One sum that will be released, and its noise.

    ``sensitivity`` and ``scale`` count lattice cells of width ``step``.
    """

    summand: Summand
    step: float
    sensitivity: int
    scale: float
