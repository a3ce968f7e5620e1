"""CPU of a plan that chooses its stages, against the same plan in one stage."""

import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from figure import Figure
from least_time import least_time

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

ROUNDS = 7


def figures() -> Iterator[Figure]:
    """Measure the plans of the six populations of tests/real_people.py."""
    from real_people import real_people

    for name, people in real_people().items():
        one, chosen = (least_cpu(people, stage) for stage in (0, None))
        yield Figure(f"plan_{name}_cpu_s", chosen, "-")
        yield Figure(f"plan_{name}_cpu_s_beyond_one_stage", chosen - one, "<=0.1")


def least_cpu(people: Any, stage: float | None) -> float:  # noqa: ANN401
    """Make a plan a few times, with nobody's guess; the first is not counted."""
    import dpratio as dpr

    plan = partial(
        dpr.make_plan,
        dpr.Ratio("s", per="y", weight="w" if "w" in people.bounds else None),
        bounds=people.bounds,
        budget=dpr.Budget(1.0),
        stage=stage,
    )
    return least_time(plan, ROUNDS, clock=time.process_time)
