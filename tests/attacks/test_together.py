"""Rows 7 and 14 where several questions are read at once: each has rows of its own."""

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, given_to
from curator.tables_for_tests import exact_together
from curator.together_for_tests import PLANS, TABLE, require_same_together

REGIONS = ["south", "north", "west"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["rows", "groups", "people"])
def test_07_a_row_without_a_number_of_one_question_counts_in_the_others_alone(
    engine: str, name: str
) -> None:
    """The integers of each question are those of the specification by itself.

    Source: found while several questions were put into one statement, 2026.
    """
    require_same_together(given_to(engine, TABLE), PLANS[name], "auto")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cap", [1, 2])
def test_14_a_person_is_held_to_the_cap_in_each_question(engine: str, cap: int) -> None:
    """Groups are kept of those that a person has rows in for the question.

    Source: found while several questions were put into one statement, 2026.
    """
    plan = PLANS["one group each" if cap == 1 else "two groups each"]
    ann = {
        "a": [1.0] * 30,
        "b": [1.0] * 30,
        "c": [2.0 if at % 3 else None for at in range(30)],
        "d": [3.0 if at % 3 < 2 else None for at in range(30)],
        "weight": [1.0] * 30,
        "region": [REGIONS[at % 3] for at in range(30)],
        "id": ["ann"] * 30,
    }
    more = pa.concat_tables([TABLE, pa.table(ann, schema=TABLE.schema)])
    found = [
        exact_together(given_to(engine, table), plan, "auto") for table in (TABLE, more)
    ]
    moved = [
        sum(before != after for before, after in zip(*pair, strict=True))
        for pair in zip(*found, strict=True)
    ]
    # Of the third ratio, which needs c and d, there are rows in one region alone.
    assert moved == [cap, cap, 1, cap]
