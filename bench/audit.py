"""The audit: its time, what sound noise shows, and noise that is 5 % too small."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from figure import Figure
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dpratio.curator.noise.entropy import BitSource
    from dpratio.plan.laws import NoiseLaw
    from dpratio.simulation.audit.findings import Audit

MECHANISMS = {
    "laplace": "focused",
    "analytic_gaussian": "joint",
    "classical_gaussian": "even",
}
TOO_SMALL = 0.95


def figures() -> Iterator[Figure]:
    """Measure the default audit, then audits of noise that is too small."""
    from dpratio.simulation.audit.audit_noise import SAMPLES
    from dpratio.simulation.audit.findings import SOUND

    start = time.perf_counter()
    sound = audited(samples=SAMPLES)
    yield Figure("audit_seconds", time.perf_counter() - start, "<=60")
    shares = [each.shown / each.planned for each in sound.findings]
    unsound = len(sound.findings) - sound.with_verdict(SOUND)
    yield Figure("audit_1e5_smallest_share_of_planned", min(shares), ">=0.9")
    yield Figure("audit_1e5_cases_not_sound", unsound, "<=0")
    yield Figure("audit_5_percent_missed_of_9", float(missed()), "<=0")


def audited(**options: object) -> "Audit":
    """Audit in a folder of its own."""
    from dpratio.simulation.audit.audit_noise import audit_noise

    with tempfile.TemporaryDirectory() as folder:
        return audit_noise(folder=Path(folder), **options)  # type: ignore[arg-type]


def missed() -> int:
    """Count the audits that do not flag noise that is 5 % too small."""
    from dpratio.simulation.audit.audit_noise import SAMPLES
    from dpratio.simulation.audit.findings import TOO_LITTLE

    with patch("dpratio.curator.noise.rounded.draw_rounded", draw_too_small):
        return sum(
            3
            - audited(
                samples=SAMPLES,
                mechanisms=[mechanism],
                strategies=[strategy],
                units=["row"],
            ).with_verdict(TOO_LITTLE)
            for mechanism, strategy in MECHANISMS.items()
        )


def draw_too_small(
    law: "NoiseLaw", scale: float, count: int, bits: "BitSource"
) -> NDArray[np.int64]:
    """Draw noise at a scale that is too small."""
    from dpratio.curator.noise.rounded import draw_rounded

    return draw_rounded(law, TOO_SMALL * scale, count, bits)
