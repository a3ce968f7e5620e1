"""Whether keys that are found privately are named as rarely as is claimed.

A key that one unit alone holds is named with probability δ at most, and one unit more
moves the count of a key by ε in units of its noise. Keys serve as samples. The sums of
keys that are named have noise of their own, which is counted too.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpratio.plan.laws import threshold_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.audit.bound import (
    RISK,
    Counts,
    least_epsilon,
    proportion_bounds,
)
from dpratio.simulation.audit.draw import Door
from dpratio.simulation.audit.invent import Columns, chunks_of
from dpratio.simulation.audit.pair import Placed, moves_of
from dpratio.simulation.audit.question import COLUMNS, QUESTIONS, SAMPLE
from dpratio.simulation.audit.refute import Fault, faults_of
from dpratio.simulation.audit.rounded_law import laws_of, names_of
from dpratio.simulation.audit.tally import Tally, marks_of, no_tally
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import UNMEASURED

# Where a test of two Laplace laws is right 88 times out of 100.
_FAR = 2.94
_DELTA = "0.05"
_LIKELY = 0.25
_EXCESS = 1.001
_ROW = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class KeyAudit:
    """Two selections of keys, and the units that they are tried with.

    ``loss`` is tried with keys of ``few`` units and of ``extra`` more, on either side
    of its threshold; ``single`` with keys of one.
    """

    loss: PrivateKeys
    few: int
    extra: int
    single: PrivateKeys

    def releases(self, samples: int) -> int:
        """Count the releases that it takes."""
        sizes = (self.few, self.few + self.extra, 1)
        return sum(times for rows in sizes for _, times in chunks_of(samples, rows))

    def look_at_loss(
        self, door: Door, samples: int, *, risk: float
    ) -> tuple[float, tuple[Fault, ...]]:
        """Bound from below the epsilon of one unit more, and test the noise of sums."""
        first = _name(door, self.loss, self.few + self.extra, samples)
        second = _name(door, self.loss, self.few, samples, first)
        with_more = first.drawn
        counts = Counts(0.0, with_more, second.drawn - with_more, samples)
        plan = _plan(self.loss)
        faults = faults_of(second, laws_of(plan), names_of(plan), risk=risk)
        return least_epsilon([1.0], [counts]) / self.extra, faults

    def least_delta(self, door: Door, samples: int) -> float:
        """Bound from below the chance that a key of one unit is named."""
        named = _name(door, self.single, 1, samples).drawn
        return proportion_bounds(named, samples, RISK)[0]


def key_audit(epsilon: str) -> KeyAudit:
    """Choose the selections in which a fault would show most."""
    loss = PrivateKeys(SAMPLE, Budget(epsilon, _DELTA), kind="integer")
    exact = float(loss.budget.epsilon)
    # An odd number of units lies evenly around the threshold, which is a half.
    extra = 2 * max(0, round((_FAR / exact - 1) / 2)) + 1
    least = threshold_of(loss, QUESTIONS["row"].unit).least
    return KeyAudit(
        loss=loss,
        few=max(1, least - (extra + 1) // 2),
        extra=extra,
        single=PrivateKeys(SAMPLE, Budget(epsilon, _tight(exact)), kind="integer"),
    )


def _tight(epsilon: float) -> str:
    """Choose a delta that is nearly reached: thresholds are whole numbers.

    ½·e^(−(m + ½)ε) for a whole m is reached but for a thousandth.
    """
    steps = max(0, round(-math.log(2 * _LIKELY) / epsilon - 0.5))
    return f"{_EXCESS * math.exp(-(steps + 0.5) * epsilon) / 2:.6e}"


def _name(
    door: Door,
    keys: PrivateKeys,
    units: int,
    samples: int,
    tally: Tally | None = None,
) -> Tally:
    """Release keys of so many units each; count those that are named, by their noise.

    Args:
        door: Where they are released.
        keys: How keys are found.
        units: How many units each key has.
        samples: How many keys there are.
        tally: What was counted before.
    """
    plan = _plan(keys)
    counted = no_tally(marks_of(laws_of(plan))) if tally is None else tally
    (exact,) = moves_of(plan, QUESTIONS["row"], (Placed(0, _ROW),)).astype(np.int64)
    for count, times in chunks_of(samples, units):
        door.bring(_table(count, units))
        for _ in range(times):
            (released,) = door.release(plan).questions
            counted = counted.plus(released.values - units * exact)
    return counted


def _plan(keys: PrivateKeys) -> Plan:
    budget = Budget(keys.budget.epsilon + 1, keys.budget.delta)
    return make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds=QUESTIONS["row"].bounds,
        groups=keys,
        budget=budget,
        mechanism="laplace",
        clipping=UNMEASURED,
    )


def _table(keys: int, units: int) -> Columns:
    key = np.repeat(np.arange(keys, dtype=np.int64), units)
    held = zip(COLUMNS, _ROW, strict=True)
    return {SAMPLE: key} | {name: np.full(len(key), value) for name, value in held}
