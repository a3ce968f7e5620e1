"""Plans as files: what was approved is what runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpratio.cli.studies import plan_of as plan_of_study
from dpratio.errors import DocumentRefused, PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.checked_json import checksum
from dpratio.release.plan_file import plan_hash, read_plan, write_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit
from edited_plans import with_terms
from planned import question_text

BOUNDS = {"s": Bounds(0, 1), "größe": Bounds(-1, 2.5), "y": Bounds.binary()}
UNIT = PrivacyUnit("id", totals={"s": Bounds(0, 1), "y": Bounds(0, 1)}, most_groups=2)
STUDY = f"""
[data]
path = "people.csv"
{question_text("s", "y")}
[privacy]
epsilon = 0.1
"""


def plan_of(*ratios: Ratio, **terms: Any) -> Plan:  # noqa: ANN401
    asked = list(ratios) or [Ratio("s", per="y")]
    used = {each for ratio in asked for each in (ratio.numerator, ratio.per)}
    bounds = {name: each for name, each in BOUNDS.items() if name in used}
    given: dict[str, Any] = {"bounds": bounds, "budget": Budget("0.1", "1e-6")}
    return make_plan(asked, **(given | terms))


PLANS: dict[str, Callable[[], Plan]] = {
    "default": plan_of,
    "even": lambda: plan_of(strategy="even"),
    "laplace": lambda: plan_of(mechanism="laplace", budget=Budget("0.3")),
    "groups": lambda: plan_of(groups=Groups("k", ["größe", "😀", "a'b"])),
    "several": lambda: plan_of(Ratio("s", per="y"), Ratio("größe", per="y", guess=1.0)),
    "people": lambda: plan_of(
        unit=UNIT, groups=PrivateKeys("k", Budget("0.02", "1e-7"))
    ),
    "changed": lambda: plan_of(unit=PrivacyUnit(neighbours="change-one")),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plan.json"


def written(path: Path, plan: Plan | None = None) -> dict[str, Any]:
    write_plan(plan_of() if plan is None else plan, path)
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def signed(document: dict[str, Any]) -> str:
    """The document with the checksum of what it says now."""
    body = {name: part for name, part in document.items() if name != "sha256"}
    return json.dumps({**body, "sha256": checksum(body)})


def refusal(path: Path, text: str, kind: type[Exception] = DocumentRefused) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(kind) as refused:
        read_plan(path)
    return str(refused.value)


# --- There and back -------------------------------------------------------------------


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_comes_back_as_it_was_written(name: str, path: Path) -> None:
    plan = PLANS[name]()
    write_plan(plan, path)
    again = read_plan(path)
    assert again == plan
    assert plan_hash(again) == plan_hash(plan)
    content = path.read_bytes()
    write_plan(again, path)
    assert path.read_bytes() == content


def test_plans_that_differ_have_different_hashes() -> None:
    hashes = [plan_hash(make()) for make in PLANS.values()]
    assert len(set(hashes)) == len(PLANS)
    assert all(len(each) == 64 for each in hashes)


@pytest.mark.parametrize(
    "change",
    [
        {"budget": Budget("0.1000000001", "1e-6")},
        {"budget": Budget("0.1", "1.1e-6")},
        {"groups": Groups("k", ["a", "b"])},
        {"groups": Groups("k", ["b", "a"])},
        {"unit": PrivacyUnit(neighbours="change-one")},
        {"answers": ("ratio", "means")},
    ],
)
def test_every_term_is_in_the_hash(change: dict[str, Any]) -> None:
    plain = plan_of(groups=Groups("k", ["a", "c"]))
    assert plan_hash(plan_of(**change)) not in {plan_hash(plain), plan_hash(plan_of())}


def test_the_hash_is_in_the_file(path: Path) -> None:
    document = written(path)
    assert document["format"] == "dpratio-plan"
    assert document["version"] == 1
    assert document["sha256"] == plan_hash(plan_of())
    assert set(document) == {"format", "version", "plan", "sha256"}


def test_a_plan_file_holds_no_path_to_data(path: Path) -> None:
    written(path, plan_of_study(parse_study(STUDY)))
    assert "people.csv" not in path.read_text("utf-8")


def test_a_study_and_its_plan_file_have_the_same_hash(path: Path) -> None:
    plan = plan_of_study(parse_study(STUDY))
    write_plan(plan, path)
    assert plan_hash(read_plan(path)) == plan_hash(plan)
    moved = STUDY.replace("people.csv", "others.csv") + 'scope = "loans"\n'
    assert plan_hash(plan_of_study(parse_study(moved))) == plan_hash(plan)


def test_layout_and_order_of_fields_do_not_matter(path: Path) -> None:
    document = written(path)
    path.write_text(json.dumps(document, sort_keys=True, indent=8), "utf-8")
    assert read_plan(path) == plan_of()


# --- What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    "edit",
    [
        lambda plan: plan["study"]["privacy"].update(epsilon="1/20"),
        lambda plan: plan["measurements"][0]["sums"][0].update(scale=1.0),
        lambda plan: plan["study"]["bounds"].update(s=[0, 2]),
        lambda plan: plan["study"].update(unit={"column": "id"}),
    ],
    ids=["epsilon", "scale", "bounds", "unit"],
)
def test_an_edited_plan_is_refused(
    edit: Callable[[dict[str, Any]], None], path: Path
) -> None:
    document = written(path)
    edit(document["plan"])
    said = refusal(path, json.dumps(document))
    assert said.startswith("$.sha256: the document was edited or damaged")


def test_a_plan_that_costs_more_than_it_says_is_refused(path: Path) -> None:
    document = written(path)
    document["plan"]["study"]["privacy"]["epsilon"] = "1/20"
    said = refusal(path, signed(document), PlanRefused)
    assert "too small for the budget" in said


def test_a_plan_with_less_noise_is_refused(path: Path) -> None:
    document = written(path)
    for each in document["plan"]["measurements"][0]["sums"]:
        each["scale"] *= 1 - 1e-6
    said = refusal(path, signed(document), PlanRefused)
    assert "too small for the budget" in said


def test_a_plan_that_was_not_made_by_the_rules_is_refused_when_read_back(
    path: Path,
) -> None:
    write_plan(with_terms(plan_of(), budget=Budget("0.01", "1e-6")), path)
    with pytest.raises(PlanRefused):
        read_plan(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "dpratio-release"}, "$.format: this is a release, and a plan"),
        ({"format": None}, "$.format: this is not a dpratio-plan"),
        ({"version": 0}, "$.version: "),
        ({"version": 2}, "$.version: "),
        ({"version": "1"}, "$.version: must be a whole number"),
        ({"version": True}, "$.version: must be a whole number"),
        ({"plan": None}, "$.plan: must be a table of fields"),
        ({"plan": {}}, "$.plan: field '"),
        ({"more": 1}, "$: unknown field 'more'"),
    ],
)
def test_another_format_version_or_field_is_refused(
    change: dict[str, Any], said: str, path: Path
) -> None:
    assert refusal(path, signed({**written(path), **change})).startswith(said)


@pytest.mark.parametrize("name", ["format", "version", "plan", "sha256"])
def test_a_missing_field_is_refused(name: str, path: Path) -> None:
    document = written(path)
    del document[name]
    text = json.dumps(document) if name == "sha256" else signed(document)
    said = refusal(path, text)
    wanted = "$.format: this is not" if name == "format" else "$"
    assert said.startswith(wanted)
    assert name in said


def test_a_title_is_no_part_of_the_hash_and_travels_with_the_file(
    tmp_path: Path,
) -> None:
    plain = plan_of()
    titled = plain.titled("Loans of 2025")
    assert titled != plain
    assert plan_hash(titled) == plan_hash(plain)
    write_plan(titled, tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json").title == "Loans of 2025"
