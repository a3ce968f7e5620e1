"""One Ibis expression equals the specification, on every hostile table."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curator.hostile_tables import HOSTILE_NUMBERS, NAMES, Case, cases
from curator.people_for_tests import people
from curator.postgres_host import Postgres
from curator.sql.laws import hold, require_agreement
from curator.tables_for_tests import plan_of
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

# Numbers.


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_any_plan_over_any_table_has_the_integers_of_the_specification(
    strategy: str, postgres: Postgres
) -> None:
    def law(case: Case) -> None:
        require_agreement(postgres, case.plan, case.table)

    hold(law, 7, case=cases(strategy))


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
def test_hostile_numbers_are_dropped_clipped_or_counted_alike(
    kind: Any,  # noqa: ANN401
    postgres: Postgres,
) -> None:
    """One row a group, so that no two can make up for each other."""
    with np.errstate(over="ignore"):
        cells = np.array(HOSTILE_NUMBERS, kind.to_pandas_dtype())
    many = len(cells)
    table = pa.table(
        {
            "score": pa.array(cells, kind),
            "label": pa.array(cells[::-1].copy(), kind),
            "region": range(many),
        }
    )
    bounds = [Bounds(-(2.0**100), 2.0**100), Bounds(-(2.0**-100), 2.0**-101)]
    for score in (bounds[1], Bounds(-1, 1), Bounds.binary()):
        require_agreement(postgres, plan_of(score, bounds[0], keys=range(many)), table)


WHOLE: dict[str, tuple[Any, list[Any]]] = {
    "small": (pa.int8(), [-128, 127, 0, None, 1]),
    "unsigned": (pa.uint64(), [2**64 - 1, 2**63, 2**53 + 1, 2**64 - 1025, None]),
    "large": (pa.int64(), [2**63 - 1, -(2**63), 2**53 + 1, -(2**62) - 257, None]),
    "truth": (pa.bool_(), [True, False, None, True, False]),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers_and_truths_count_as_their_nearest_double(
    kind: str, postgres: Postgres
) -> None:
    type_, cells = WHOLE[kind]
    table = pa.table(
        {"score": pa.array(cells, type_), "label": [1] * 5, "region": range(5)}
    )
    for far in (1.0, 2.0**64):
        require_agreement(postgres, plan_of(Bounds(-far, far), keys=range(5)), table)


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_what_is_taken_off_is_clipped_first(strategy: str, postgres: Postgres) -> None:
    numbers = [0.0, 1 / 3, -9.0, 9.0, math.nan, math.inf, None, 2.0**-25, -0.0]
    many = len(numbers)
    table = pa.table(
        {
            "score": pa.array(numbers, pa.float64()),
            "other": pa.array(numbers[2:] + numbers[:2], pa.float64()),
            "label": pa.array([0.3] * many),
            "weight": pa.array([0.7] * many),
        }
    )
    terms: dict[str, Any] = {"guess": 0.0} if strategy == "focused" else {}
    plan = plan_of(
        Bounds(-1, 1),
        Bounds(0, 1),
        Bounds(1 / 3, 3),
        strategy=strategy,
        minus="other",
        bounds={"other": Bounds(-0.5, 1)},
        **terms,
    )
    require_agreement(postgres, plan, table)


ANSWERS = [
    ("even", ("ratio",), None),
    ("joint", ("ratio", "spread"), None),
    ("focused", ("ratio", "means"), 0.3),
]


@pytest.mark.parametrize(("strategy", "answers", "limit"), ANSWERS)
def test_every_question_of_a_plan_is_answered_over_all_its_groups(
    strategy: str, answers: tuple[str, ...], limit: float | None, postgres: Postgres
) -> None:
    """Two ratios, asked of everybody and of each region."""
    chance, many = np.random.default_rng(4), 40
    table = pa.table(
        {
            "score": chance.normal(0, 1, many),
            "label": chance.random(many),
            "other": chance.normal(0, 3, many),
            "weight": chance.exponential(1, many),
            "region": chance.choice(np.array(["a", "b", "z"]), many),
        }
    )
    guess = 1 / 3 if strategy == "focused" else None
    plan = make_plan(
        [
            Ratio(
                "score",
                per="label",
                weight="weight",
                guess=guess,
                residual_bound=limit,
            ),
            Ratio("other", per="label", guess=guess),
        ],
        bounds={
            "score": Bounds(-1, 1.5),
            "label": Bounds(0, 1),
            "other": Bounds(-2, 2),
            "weight": Bounds(1 / 3, 3),
        },
        groups=[None, Groups("region", ["b", "a", "c"])],
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism="laplace",
        answers=answers,
    )
    assert len(plan.measurements) == 4
    require_agreement(postgres, plan, table)


# Names.


def test_names_that_mean_something_to_sql_are_names(postgres: Postgres) -> None:
    for at in range(0, len(NAMES), 4):
        names = [*NAMES[at : at + 4], *NAMES[:4]][:4]
        columns = dict(zip(names, ([0.5], [1.0], [2.0], ["a"]), strict=True))
        plan = plan_of(weight=Bounds(0, 3), keys=["b", "a"], names=names)
        require_agreement(postgres, plan, pa.table(columns))


# Few rows.


def test_tables_without_rows_and_with_one_have_their_integers(
    postgres: Postgres,
) -> None:
    row = pa.table(
        {
            "score": [0.3],
            "label": [1.0],
            "weight": [0.5],
            "region": ["a"],
            "id": ["x"],
        }
    )
    for table in (row.slice(0, 0), row):
        require_agreement(postgres, plan_of(), table)
        require_agreement(postgres, plan_of(keys=["a", "b"]), table)
        require_agreement(postgres, people(), table)
        require_agreement(postgres, people(keys=None), table)
