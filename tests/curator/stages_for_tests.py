"""Plans in two stages over one table, and noise that a test knows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dpratio.curator import measure as room
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.realise import realise
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "PLANS",
    "REGIONS",
    "TABLE",
    "between_stages",
    "plan_of",
    "table_of",
    "with_known_noise",
    "without_noise",
]

REGIONS = ["north", "south", "west"]
BOUNDS = {"spend": Bounds(-3, 50), "visits": Bounds(0, 20), "w": Bounds(0.5, 2)}
TOTALS = {"spend": Bounds(-3, 120), "visits": Bounds(0, 40)}
GROUPS = Groups("region", REGIONS)
PERSON = PrivacyUnit("id", totals=TOTALS, most_groups=2)
PLANS: dict[str, dict[str, Any]] = {
    "whole": {},
    "groups": {"groups": GROUPS},
    "means": {"groups": GROUPS, "answers": ("ratio", "means")},
    "weights": {"weight": "w", "groups": GROUPS, "answers": ("ratio", "means")},
    "people": {"unit": PERSON, "groups": GROUPS},
    "changed": {"unit": PrivacyUnit(neighbours="change-one"), "groups": GROUPS},
    "gaussian": {
        "unit": PERSON,
        "groups": GROUPS,
        "mechanism": "analytic_gaussian",
        "budget": Budget(4, "1e-6"),
    },
}


def plan_of(kind: str, **terms: Any) -> Plan:  # noqa: ANN401
    wanted = {"budget": Budget(4), "stage": 0.25, **PLANS[kind], **terms}
    weight = wanted.pop("weight", None)
    ratio = Ratio(
        "spend", per="visits", weight=weight, guess=wanted.pop("around", None)
    )
    columns = [name for name in ratio.columns if name is not None]
    bounds = {name: BOUNDS[name] for name in columns}
    return make_plan(ratio, bounds=bounds, **wanted)


def table_of(rows: int, seed: int = 1) -> Any:  # noqa: ANN401
    chance = np.random.default_rng(seed)
    visits = chance.poisson(4, rows).astype(float)
    return pa.table(
        {
            "spend": visits * 2.5 + chance.normal(0, 3, rows),
            "visits": visits,
            "w": chance.exponential(1, rows),
            "region": chance.choice(np.array([*REGIONS, "elsewhere"]), rows),
            "id": [f"person {at % (rows // 3)}" for at in range(rows)],
        }
    )


TABLE = table_of(900)


@contextmanager
def without_noise() -> Iterator[None]:
    """Put no noise on what leaves: what only a test may see."""

    def nothing(_: object, scales: list[float], cells: int, __: object) -> Any:  # noqa: ANN401
        return np.zeros((cells, len(scales)), dtype=np.int64)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(room, "draw_noise", nothing)
        patched.setattr(room, "fresh_id", str)  # The key that `exact` has.
        yield


@contextmanager
def with_known_noise(seed: int) -> Iterator[None]:
    """Put the same noise on what leaves each time, of the right size."""
    chance = np.random.default_rng(seed)

    def drawn(_: object, scales: list[float], cells: int, __: object) -> Any:  # noqa: ANN401
        noise = chance.laplace(scale=scales, size=(cells, len(scales)))
        return np.rint(noise).astype(np.int64)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(room, "draw_noise", drawn)
        patched.setattr(room, "fresh_id", str)  # The key that `exact` has.
        yield


@contextmanager
def between_stages(happens: Callable[[], None]) -> Iterator[list[int]]:
    """Do something after the totals have left and before the sums do.

    Gives the number of times that it was done.
    """
    done: list[int] = []

    def realised(plan: Plan, totals: Any) -> Any:  # noqa: ANN401
        happens()
        done.append(1)
        return realise(plan, totals)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(room, "realise", realised)
        yield done
