"""What an audit found, as a table: claimed, shown, and a verdict."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from dpratio.simulation.audit.bound import RISK
from dpratio.simulation.audit.refute import REPEATS, Fault
from dpratio.tabular import Tabular, columns_of
from dpratio.terms.budget import decimal_text

SOUND = "sound"
TOO_LITTLE = "too little noise"
REPEATED = "noise repeats"
OTHER_LAW = "another law"
TOO_FEW = "not enough samples"
BROKEN = (TOO_LITTLE, REPEATED, OTHER_LAW)

# Sound is what was shown to lie within a tenth below what is planned, and not above.
_NEAR_ENOUGH = 0.9
# Claims are worked out in doubles.
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Finding:
    """One mechanism, strategy, unit and epsilon.

    ``claimed`` is what the budget claims of one unit, in the ``measure``: epsilon, μ or
    δ. ``planned`` is what the furthest unit there is comes to with the noise that the
    plan states; ``shown`` is what releases have shown, at least. ``units`` says how
    many units two tables were apart. ``noise`` is the largest part of the planned noise
    that the sum with the least of it can have, and ``alike`` how much two noises are
    alike at least, where sums are released. ``faults`` are counts of noise that its
    planned law hardly ever reaches.
    """

    mechanism: str
    strategy: str
    unit: str
    epsilon: Fraction
    measure: str
    units: float
    claimed: float
    planned: float
    shown: float
    noise: float | None = None
    alike: float | None = None
    faults: tuple[Fault, ...] | None = None

    @property
    def share(self) -> float:
        """The part of the claim that was shown; above 1 it is broken."""
        return self.shown / self.claimed

    @property
    def verdict(self) -> str:
        """Judge: no more may be planned than is claimed, nor shown than is planned."""
        if self.planned > self.claimed * _ROUNDING:
            return TOO_LITTLE
        if self.shown > self.planned * _ROUNDING:
            return TOO_LITTLE
        if self.noise is not None and self.noise < 1:
            return TOO_LITTLE
        if self.alike or REPEATS in self._kinds:
            return REPEATED
        if self._kinds:
            return OTHER_LAW
        return SOUND if self.shown >= _NEAR_ENOUGH * self.planned else TOO_FEW

    @property
    def law(self) -> str | None:
        """The tests of the law that noise failed, where its noise was looked at."""
        if self.faults is None:
            return None
        return ", ".join(self._kinds) or "as planned"

    @property
    def _kinds(self) -> list[str]:
        return [each.kind for each in self.faults or ()]


@dataclass(frozen=True, slots=True)
class Audit(Tabular):
    """The findings of an audit, and how many samples of each table were drawn.

    Example:
        >>> Audit((), samples=100_000).with_verdict("too little noise")
        0
    """

    spare: ClassVar = (
        "measure",
        "units",
        "alike",
        "noise",
        "planned",
        "claimed",
        "shown",
        "law",
    )

    findings: tuple[Finding, ...]
    samples: int

    def with_verdict(self, *verdicts: str) -> int:
        """Count the findings with one of the verdicts."""
        return sum(each.verdict in verdicts for each in self.findings)

    def columns(self) -> dict[str, list[Any]]:
        """One row per finding."""
        return columns_of([_row(each) for each in self.findings])

    def said(self) -> list[str]:
        """Say what was drawn, and what the figures mean."""
        drawn = f"{self.samples:,} samples of each of two neighbouring tables"
        return [
            f"{drawn}, released end to end.",
            "claimed: how far one unit may move the sums, in units of their noise.",
            "planned: how far the furthest one moves them.",
            "shown: at least so far, as these releases prove.",
            "noise: at most this part of what is planned, in the sum with the least.",
            "alike: how much two noises are alike, at least.",
            "law: the tests that the noise itself failed. They count noises that are",
            "  exactly 0, near 0, far out or in between, their signs and low bits, and",
            "  numbers or series of them that come again.",
            f"Each bound is wrong with probability {RISK:g} at most, and sound noise",
            f"  fails any of these tests with probability {RISK:g} at most.",
        ]

    def faults(self) -> list[str]:
        """Say which tests of the law failed, and by how much: a sentence for each."""
        return [
            f"{each.mechanism}, {each.strategy}, {each.unit}, "
            f"epsilon {decimal_text(each.epsilon)}: {fault.said}"
            for each in self.findings
            for fault in each.faults or ()
        ]


def _row(each: Finding) -> dict[str, Any]:
    return {
        "mechanism": each.mechanism,
        "strategy": each.strategy,
        "unit": each.unit,
        "budget": decimal_text(each.epsilon),
        "measure": each.measure,
        "units": each.units,
        "claimed": each.claimed,
        "planned": each.planned,
        "shown": each.shown,
        "share": each.share,
        "noise": each.noise,
        "alike": each.alike,
        "law": each.law,
        "verdict": each.verdict,
    }
