"""Plans and tables to bring to the door of the curator."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from dpratio.curator import measure
from dpratio.curator.release_sums import release_sums
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

__all__ = [
    "BOUNDS",
    "EMPTY",
    "MISSING",
    "Table",
    "focused_plan_of",
    "plan_of",
    "reading_with",
    "release_with",
]

Table = Mapping[str, list[Any]]
MISSING = "no/such/file.parquet"
EMPTY: Table = {"s": [], "y": [], "w": [], "k": []}
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)}


def plan_of(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    """A plan of the paper's sums, unless another strategy is asked for."""
    terms: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "strategy": "even",
        "mechanism": mechanism,
        "clipping": "unmeasured",
    } | changes
    return make_plan(Ratio("s", per="y", weight="w"), **terms)


def focused_plan_of(**changes: Any) -> Plan:  # noqa: ANN401
    """A plan as it is made by default."""
    terms = {"bounds": BOUNDS, "budget": Budget(1, "1e-6"), **changes}
    return make_plan(Ratio("s", per="y", weight="w"), **terms)


@contextmanager
def reading_with(engine: str) -> Iterator[None]:
    """Let the door read tables with one engine, whatever their kind."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connected", "open_keys", "open_reading", "schema_for"):
            opened = partial(getattr(measure, name), engine=engine)
            patch.setattr(measure, name, opened)
        yield


def release_with(engine: str, table: object, plan: AnyPlan, **door: Any) -> Release:  # noqa: ANN401
    """Release a table that one engine reads."""
    with reading_with(engine):
        return release_sums(table, plan, **door)
