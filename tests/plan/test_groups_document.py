"""Groups as a document, and back; every refusal names its path."""

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import DocumentRefused
from dpratio.plan.groups_document import groups_from_document, groups_to_document
from dpratio.plan.planned_question import Partition
from dpratio.strict import Node
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import EVERY, Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys

DAY = dt.date(2026, 1, 31)
SEX, BINS = Keys("sex", ["f", "m", None]), ScoreBins("score", [0, 0.5, 1])


def there_and_back(partition: Partition) -> Partition:
    written = json.dumps(groups_to_document(partition))
    return groups_from_document(Node(json.loads(written)))


def refusal(document: object) -> str:
    with pytest.raises(DocumentRefused) as caught:
        groups_from_document(Node(document))
    return str(caught.value)


@pytest.mark.parametrize(
    "partition",
    [
        None,
        Groups("k", ["a", "b"]),
        Groups("k", [2, 1]),
        Groups("k", [True, False, None]),
        Groups("k", [DAY, None]),
        Groups(["a", "b"], [("x", 1), ("y", None)]),
        Groups.cross(SEX, BINS, Periods("seen", "week", DAY, "2026-05-01")),
        Groups.cross(SEX, BINS).only([(2, 0), (0, 1)]),
        PrivateKeys("shop", Budget("0.2", "1e-7"), "date"),
    ],
    ids=repr,
)
def test_a_partition_survives_its_document(partition: Partition) -> None:
    back = there_and_back(partition)
    assert back == partition
    if isinstance(partition, Groups):
        assert isinstance(back, Groups)
        assert repr(back) == repr(partition)


keys: st.SearchStrategy[list[Any]] = (
    st.lists(st.text("abc", max_size=3), min_size=1, unique=True)
    | st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, unique=True)
    | st.lists(st.dates(), min_size=1, unique=True)
    | st.just([None])
)
edges = st.lists(st.floats(-1e9, 1e9), min_size=2, unique=True).map(sorted)


@given(
    values=keys,
    edges=edges,
    day=st.dates(dt.date(2000, 1, 1), dt.date(2030, 1, 1)),
    every=st.sampled_from(EVERY),
)
def test_any_crossed_groups_survive(
    values: list[Any], edges: list[float], day: dt.date, every: str
) -> None:
    later = day + dt.timedelta(days=40)
    dimensions = (
        Keys("k", values),
        ScoreBins("s", edges),
        Periods("t", every, day, later),
    )
    groups = Groups.cross(*dimensions)
    assert there_and_back(groups) == groups
    last = tuple(len(each.values) - 1 for each in dimensions)
    some = groups.only([last])
    assert there_and_back(some) == some


def test_documents_are_plain() -> None:
    assert groups_to_document(Groups.cross(Keys("k", [DAY]), BINS)) == {
        "dimensions": [
            {"keys": {"column": "k", "values": [{"date": "2026-01-31"}]}},
            {"bins": {"column": "score", "edges": [0.0, 0.5, 1.0]}},
        ],
        "cells": None,
    }
    assert groups_to_document(
        Groups.cross(Periods("t", "month", DAY, DAY), Keys("k", [1])).only([(0, 0)])
    ) == {
        "dimensions": [
            {
                "periods": {
                    "column": "t",
                    "every": "month",
                    "first": "2026-01-01",
                    "last": "2026-01-01",
                }
            },
            {"keys": {"column": "k", "values": [{"integer": "1"}]}},
        ],
        "cells": [[0, 0]],
    }
    assert groups_to_document(PrivateKeys("shop", Budget("0.2", "1e-7"))) == {
        "private_keys": {
            "column": "shop",
            "kind": "text",
            "epsilon": "1/5",
            "delta": "1/10000000",
        }
    }


def keyed(values: object) -> dict[str, Any]:
    dimension = {"keys": {"column": "k", "values": values}}
    return {"dimensions": [dimension], "cells": None}


def private(**changes: object) -> dict[str, Any]:
    fields = {"column": "k", "kind": "text", "epsilon": "1", "delta": "1/10"}
    return {"private_keys": fields | changes}


BINNED = {"bins": {"column": "s", "edges": [1, 0]}}
SEEN = {"column": "t", "every": "day", "first": "2026-01-01", "last": "soon"}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (3, "$: must be a table of fields, got 3."),
        ({"dimensions": []}, "$: field 'cells' is missing."),
        ({"dimensions": [], "cells": None}, "$: groups are crossed from Keys, Score"),
        ({"dimensions": [3], "cells": None}, "$.dimensions[0]: must be a table of"),
        ({"dimensions": [{}], "cells": None}, "$.dimensions[0]: field 'keys' is miss"),
        (keyed(["a", "a"]), "$.dimensions[0]: a group key is declared once"),
        (keyed([]), "$.dimensions[0]: groups need at least one key"),
        (keyed([0.5]), "$.dimensions[0].keys.values[0]: must be text, got 0.5."),
        (
            keyed([{"date": "2026-02-30"}]),
            "$.dimensions[0].keys.values[0]: must be a date, got a dict.",
        ),
        (
            keyed([{"date": 1}]),
            "$.dimensions[0].keys.values[0].date: must be text, got 1.",
        ),
        (
            keyed([{"day": "2026-01-01"}]),
            "$.dimensions[0].keys.values[0]: unknown field 'day'.",
        ),
        (keyed(["a"]) | {"cells": [[1]]}, "$: every cell names one key of each dim"),
        (keyed(["a"]) | {"cells": [[0], [0]]}, "$: cells are listed once each"),
        (keyed(["a"]) | {"cells": [["0"]]}, "$.cells[0][0]: must be a whole number"),
        (keyed(["a"]) | {"cells": [0]}, "$.cells[0]: must be a list, got 0."),
        (keyed(["a"]) | {"cells": []}, "$: cells are listed once each"),
        ({"dimensions": [BINNED], "cells": None}, "$.dimensions[0]: edges must rise"),
        (
            {"dimensions": [BINNED | {"keys": 1}], "cells": None},
            "$.dimensions[0]: unknown field 'keys'. Known fields: bins.",
        ),
        (
            {"dimensions": [{"periods": SEEN}], "cells": None},
            "$.dimensions[0]: a day is a date such as 2026-01-31, got 'soon'.",
        ),
        (
            {"dimensions": [{"periods": SEEN | {"every": "year"}}], "cells": None},
            "$.dimensions[0].periods.every: must be one of day, week, month, quarter",
        ),
        (private(column=""), "$.private_keys: a column name must be text"),
        (private(kind="blob"), "$.private_keys.kind: must be one of text, integer,"),
        (private(delta="0"), "$.private_keys: finding keys needs a delta above 0"),
        (private(epsilon="0"), "$.private_keys: epsilon must be positive"),
        (private(epsilon=1), "$.private_keys.epsilon: must be text, got 1."),
        (private() | {"cells": None}, "$: unknown field 'cells'. Known fields: priv"),
    ],
)
def test_a_bad_partition_is_refused_with_its_path(
    document: object, message: str
) -> None:
    assert refusal(document).startswith(message)


def test_periods_are_written_by_their_first_days() -> None:
    """The hash of a plan is what was approved: it does not change with a version."""
    document = groups_to_document(Groups.cross(Periods("k", "day", DAY, "2026-02-01")))
    periods = {"column": "k", "every": "day", "first": "2026-01-31"}
    more = {"last": "2026-02-01"}
    assert document == {"dimensions": [{"periods": periods | more}], "cells": None}
    document["dimensions"] = [{"periods": periods | {"last": "open"}}]
    assert "a day is a date" in refusal(document)
