"""Time one release in the process that makes it, and write the figures down.

Called as ``SCRIPT QUESTION TABLE FIGURES MOMENT``: the name of the question, the
Parquet file, the JSON file to write, and the monotonic moment at which the driver
started this process.
"""

import json
import math
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from family import cpu_seconds, peak_gigabytes
from question import QUESTIONS, TRUE_RATIO, Question

Ready = TypeVar("Ready")
Interval = tuple[float, float, float]  # A ratio, and the ends of its interval.


@dataclass(frozen=True)
class Released:
    """Noisy sums per key, and what the tool says about their noise.

    ``noise_sd`` is that of Σ weight·score, as the tool states it or its documented
    scale implies, and ``contrast_sd`` that of Σ weight·(score − r·label), which is what
    the ratio r rests on; ``accuracy`` is the half width that the tool itself states for
    Σ weight·score at a level of 95 %. They are asked for after the clock has stopped,
    and so are ``intervals``, those of ratios.
    """

    score: dict[str, float]  # Σ weight·score
    label: dict[str, float]  # Σ weight·label
    noise_sd: Callable[[], float]
    contrast_sd: Callable[[], float] | None = None  # Else both sums are independent.
    accuracy: Callable[[], float] | None = None
    intervals: Callable[[], dict[str, Interval]] | None = None
    stages: dict[str, float] = field(default_factory=dict)


def timed(
    release: Callable[[str, Question, Ready], Released],
    ready: Ready,
    packages: tuple[str, ...],
) -> None:
    """Release once; ``ready`` is what takes long to start and belongs to no release."""
    name, table, figures, moment = sys.argv[1:]
    question = QUESTIONS[name]
    start, cpu = time.monotonic(), cpu_seconds()
    released = release(table, question, ready)
    whole_cpu = cpu_seconds()
    measured = {
        "start_s": start - float(moment),
        "work_s": time.monotonic() - start,
        "work_cpu_s": whole_cpu - cpu,
        "cpu_s": whole_cpu,
        "memory_gb": peak_gigabytes(),
    }
    noise_sd = released.noise_sd()
    contrast = noise_sd * math.hypot(1, TRUE_RATIO)
    told = {
        "score": released.score,
        "label": released.label,
        "noise_sd": noise_sd,
        "contrast_sd": released.contrast_sd() if released.contrast_sd else contrast,
        "accuracy": released.accuracy() if released.accuracy else None,
        "intervals": released.intervals() if released.intervals else None,
        "stages": released.stages,
        "versions": {each: version(each) for each in packages}
        | {"python": platform.python_version()},
    }
    Path(figures).write_text(json.dumps(measured | told), encoding="utf-8")
