"""What questions say of bounds: all of them may be left to the release to find."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("s", per="y")
FIND, WIDEST = Bounds.find(), replace(Bounds.find(), to_find=False)


def study_of(asked: Any = RATIO, **terms: Any) -> Study:  # noqa: ANN401
    return Study(asked, bounds="find", budget=Budget(1), **terms)


def test_all_bounds_are_found_as_if_each_was_said() -> None:
    study = study_of()
    assert study == Study(RATIO, bounds={"s": FIND, "y": FIND}, budget=Budget(1))
    assert make_plan(RATIO, bounds="find", budget=Budget(1)) == make_plan(study)
    assert replace(study, title="mine").bounds == study.bounds


def test_what_counts_as_one_is_not_looked_for() -> None:
    assert study_of(Ratio("s", per="rows")).bounds == {"s": FIND, "rows": Bounds.ones()}
    named = study_of([Ratio("rows", per="y"), Ratio("s", per="y", minus="t")])
    assert named.bounds == dict.fromkeys(("rows", "y", "s", "t"), FIND)
    people = study_of(Ratio("s", per="people"), unit=PrivacyUnit("id"))
    once = Bounds(0, 1, natural=True)
    assert people.unit.totals == {"s": FIND, "people": once}
    assert make_plan(people).search is not None


def test_weights_are_looked_for_above_zero() -> None:
    study = study_of(Ratio("s", per="y", weight="w"))
    assert study.bounds == {"s": FIND, "y": FIND, "w": Bounds.find(0)}
    assert make_plan(study).search is not None


def test_with_ids_totals_are_found_and_rows_may_be_as_large() -> None:
    given = PrivacyUnit("id", totals={"y": Bounds(0, 5)}, most_groups=3)
    study = study_of(Ratio("s", per="y", minus="t"), unit=given)
    assert study.bounds == {"s": WIDEST, "y": WIDEST, "t": WIDEST}
    assert study.unit.totals == {"y": Bounds(0, 5), "s - t": FIND}
    assert make_plan(study).search is not None
    own = Question(RATIO, totals={"s": Bounds(0, 9)})
    assert study_of(own, unit=PrivacyUnit("id")).unit.totals == {"y": FIND}


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (
            {"asked": Ratio("s", per="y", weight="w"), "unit": PrivacyUnit("id")},
            r"with ids the bounds of a weight are not found, got \['w'\]",
        ),
        (
            {"groups": ScoreBins("x", 4)},
            r"bins need bounds that are known, got \['x'\]. Write bounds for each",
        ),
    ],
)
def test_what_no_release_finds_is_said(terms: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        study_of(**terms)


def test_other_words_and_other_units_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="bounds must map column names to Bounds"):
        make_plan(RATIO, bounds="look", budget=Budget(1))
    odd: Any = "id"
    with pytest.raises(InvalidInput, match="unit must be a PrivacyUnit"):
        make_plan(RATIO, bounds="find", budget=Budget(1), unit=odd)
    keyed = study_of(groups=Groups("region", ["north"]))
    assert make_plan(keyed).search is not None
