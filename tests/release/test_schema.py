"""The JSON Schema that fields state accepts what they write, and no other shape."""

import copy
import json

import jsonschema
import pytest

from dpratio.plan.document import PLAN
from edited_places import edit
from plan_documents import plan_to_document
from release.releases_for_tests import RELEASES

SCHEMA = jsonschema.Draft202012Validator(json.loads(json.dumps(PLAN.schema)))


@pytest.mark.parametrize("name", RELEASES)
def test_the_schema_accepts_every_plan_that_is_written(name: str) -> None:
    SCHEMA.validate(plan_to_document(RELEASES[name].plan))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("surprise", 1),
        ("study", None),
        ("study.bounds.score", [0]),
        ("study.privacy.epsilon", 1),
        ("study.groups", {"column": "g"}),
        ("measurements.0.sums.0.sensitivity", 7),
        ("measurements.0.sums.0.sensitivity", "07"),
        ("measurements.0.sums.0.factors", ["x"]),
    ],
)
def test_the_schema_refuses_another_shape(place: str, value: object) -> None:
    plan = plan_to_document(RELEASES["groups: text"].plan)
    assert not SCHEMA.is_valid(edit(copy.deepcopy(plan), place, value))
