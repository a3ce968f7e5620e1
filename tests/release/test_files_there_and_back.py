"""A release survives its file, or is not written."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.files import read_release, write_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Key
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from planned import plan_scores
from release.golden_releases import LARGEST, only_question
from release.releases_for_tests import RELEASES

ODD_BOUNDS = {"é '": Bounds(-0.1, 7), '"': Bounds(-3, 0.5), "\\": Bounds(0, 1e-9)}


PLANS = [
    plan_scores(Budget("0.1"), strategy="even"),
    make_plan(
        Ratio("é '", per='"', weight="\\"),
        bounds=ODD_BOUNDS,
        budget=Budget(Fraction(1, 3), "1e-6"),
        strategy="even",
        mechanism="classical_gaussian",
    ),
    make_plan(
        Ratio("é '", per='"', weight="\\", guess=0.1, guess_is="unknown"),
        bounds=ODD_BOUNDS,
        budget=Budget(Fraction(1, 3), "1e-6"),
        strategy="joint",
    ),
    plan_scores(Budget("0.1")),
    make_plan(
        Ratio("é '", per='"', weight="\\", guess=-1 / 3, residual_bound=1.1e-9),
        bounds=ODD_BOUNDS,
        budget=Budget(Fraction(1, 3), "1e-6"),
        answers=["ratio", "means"],
        mechanism="analytic_gaussian",
    ),
    make_plan(
        Ratio("score", per="label", guess=0, guess_is="unknown"),
        bounds={"score": Bounds(-1, 1), "label": Bounds(0.5, 2.0**20)},
        budget=Budget(3),
        stage=0,
        answers=("ratio", "means"),
    ),
]


clean = st.characters(codec="utf-8", exclude_characters="\x00")


some_keys = st.one_of(
    st.lists(st.text(clean), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(-LARGEST, LARGEST), min_size=1, max_size=4, unique=True),
    st.lists(st.booleans(), min_size=1, max_size=2, unique=True),
)


@settings(deadline=None, max_examples=80)
@given(
    plan=st.sampled_from(PLANS),
    keys=st.none() | some_keys,
    identity=st.text("0123456789abcdef", min_size=32, max_size=32),
    made_by=st.text(st.characters(codec="utf-8")),
    simulated=st.booleans(),
    numbers=st.lists(st.integers(-LARGEST, LARGEST), min_size=36, max_size=36),
)
@example(
    plan=PLANS[0],
    keys=["\u2028", "</script>"],
    identity="0" * 32,
    made_by="",
    simulated=True,
    numbers=[LARGEST, -LARGEST] * 18,
)
def test_a_release_survives_its_file(
    tmp_path_factory: pytest.TempPathFactory,
    plan: Plan,
    keys: list[Key] | None,
    identity: str,
    made_by: str,
    simulated: bool,  # noqa: FBT001
    numbers: list[int],
) -> None:
    path = tmp_path_factory.getbasetemp() / "there_and_back.json"
    plan = replace(plan, partitions=(None if keys is None else Groups("g", keys),))
    rows, sums = 1 if keys is None else len(keys), len(plan.measurements[0].sums)
    values = np.array(numbers[: rows * sums], dtype=np.int64).reshape(rows, sums)
    named = {"id": identity, "made_by": made_by, "is_simulated": simulated}
    release = only_question(plan, values, **named)
    write_release(release, path, replace=True)
    first = path.read_bytes()
    back = read_release(path)
    assert back == release
    assert back.plan.measurements[0].ratio == plan.measurements[0].ratio
    assert back.plan.measurements[0].answers == plan.measurements[0].answers
    given, read = release.questions[0].keys, back.questions[0].keys
    assert back.plan.contrast(back.plan.measurements[0]) == plan.contrast(
        plan.measurements[0]
    )
    assert [type(key) for key in read] == [type(key) for key in given]
    write_release(back, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_of_every_kind_survives_its_file(name: str, tmp_path: Path) -> None:
    path, release = tmp_path / "release.json", RELEASES[name]
    write_release(release, path)
    first = path.read_bytes()
    back = read_release(path)
    assert back == release
    assert back.plan == release.plan
    for question, own in zip(back.questions, release.questions, strict=True):
        assert [type(key) for key in question.keys] == [type(key) for key in own.keys]
        assert question.noise == own.noise
    write_release(back, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "not hexadecimal"},
        {"id": 5},
        {"values": [[-(2**63)] * 5]},
        {"made_by": 5},
        {"made_by": "\ud800"},
        {"is_simulated": "no"},
    ],
    ids=str,
)
def test_no_release_is_written_that_cannot_be_read_again(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    """Either the value is refused when it is made, or its file is read again."""
    fields: dict[str, Any] = {
        "id": "0" * 32,
        "values": [[0] * 5],
        "made_by": "dpratio 0.1.0",
        **changes,
    }
    try:
        release = only_question(PLANS[0], **fields)
    except InvalidInput:
        return
    write_release(release, tmp_path / "release.json")
    assert read_release(tmp_path / "release.json") == release
