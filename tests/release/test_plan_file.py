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
from dpratio.release.files import plan_hash, read_plan, write_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit
from edited_places import edit
from edited_plans import with_terms
from planned import question_text
from release.edited_documents import checksum

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


# --- There and back -------------------------------------------------------------------


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_comes_back_as_it_was_written(name: str, tmp_path: Path) -> None:
    plan, path = PLANS[name](), tmp_path / "plan.json"
    write_plan(plan, path)
    assert read_plan(path) == plan
    assert plan_hash(read_plan(path)) == plan_hash(plan)
    content = path.read_bytes()
    write_plan(read_plan(path), path)
    assert path.read_bytes() == content
    path.write_text(json.dumps(json.loads(content), sort_keys=True, indent=8), "utf-8")
    assert read_plan(path) == plan


def test_every_term_is_in_the_hash() -> None:
    """So are keys and their order; the title is not."""
    terms: list[dict[str, Any]] = [
        {},
        {"budget": Budget("0.1000000001", "1e-6")},
        {"budget": Budget("0.1", "1.1e-6")},
        {"groups": Groups("k", ["a", "b"])},
        {"groups": Groups("k", ["b", "a"])},
        {"groups": Groups("k", ["a", "c"])},
        {"unit": PrivacyUnit(neighbours="change-one")},
        {"answers": ("ratio", "means")},
    ]
    hashes = {plan_hash(plan_of(**changed)) for changed in terms}
    assert len(hashes) == len(terms)
    assert {len(digits) for digits in hashes} == {64}
    assert plan_hash(plan_of().titled("Loans")) in hashes


def test_a_file_holds_a_title_and_the_hash_of_what_is_in_it(tmp_path: Path) -> None:
    write_plan(plan_of().titled("Loans"), tmp_path / "titled.json")
    assert read_plan(tmp_path / "titled.json").title == "Loans"
    document = written(tmp_path)
    assert (document["format"], document["version"]) == ("dpratio-plan", 1)
    assert document["sha256"] == plan_hash(plan_of())
    assert set(document) == {"format", "version", "plan", "sha256"}


def test_a_plan_file_says_nothing_of_where_the_data_are(tmp_path: Path) -> None:
    plan = plan_of_study(parse_study(STUDY))
    write_plan(plan, tmp_path / "plan.json")
    assert "people.csv" not in (tmp_path / "plan.json").read_text("utf-8")
    moved = STUDY.replace("people.csv", "others.csv") + 'scope = "loans"\n'
    assert plan_hash(plan_of_study(parse_study(moved))) == plan_hash(plan)


# --- What is refused ------------------------------------------------------------------


def written(folder: Path) -> dict[str, Any]:
    write_plan(plan_of(), folder / "plan.json")
    document: dict[str, Any] = json.loads((folder / "plan.json").read_text("utf-8"))
    return document


def refusal(
    folder: Path, document: dict[str, Any], kind: type[Exception] = DocumentRefused
) -> str:
    (folder / "plan.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(kind) as refused:
        read_plan(folder / "plan.json")
    return str(refused.value)


def resigned(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "sha256": checksum(document)}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("study.privacy.epsilon", "1/20"),
        ("measurements.0.sums.0.scale", 1.0),
        ("study.bounds.s", [0, 2]),
        ("study.unit", {"column": "id"}),
    ],
)
def test_an_edited_plan_is_refused(place: str, value: object, tmp_path: Path) -> None:
    document = edit(written(tmp_path), f"plan.{place}", value)
    message = refusal(tmp_path, document)
    assert message.startswith("$.sha256: the document was edited or damaged")


def test_a_plan_that_costs_more_than_it_says_is_refused(tmp_path: Path) -> None:
    document = edit(written(tmp_path), "plan.study.privacy.epsilon", "1/20")
    message = refusal(tmp_path, resigned(document), PlanRefused)
    assert "too small for the budget" in message


def test_a_plan_with_less_noise_is_refused(tmp_path: Path) -> None:
    document = written(tmp_path)
    for measured in document["plan"]["measurements"][0]["sums"]:
        measured["scale"] *= 1 - 1e-6
    message = refusal(tmp_path, resigned(document), PlanRefused)
    assert "too small for the budget" in message


def test_a_plan_that_was_not_made_by_the_rules_is_refused_when_read_back(
    tmp_path: Path,
) -> None:
    write_plan(
        with_terms(plan_of(), budget=Budget("0.01", "1e-6")), tmp_path / "a.json"
    )
    with pytest.raises(PlanRefused):
        read_plan(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": None}, "$.format: this is not a dpratio-plan"),
        ({"version": 2}, "$.version: must be 1, got 2. Use the dpratio that wrote it."),
        ({"version": True}, "$.version: must be a whole number"),
        ({"plan": None}, "$.plan: must be a table of fields"),
        ({"plan": {}}, "$.plan: field '"),
        ({"more": 1}, "$: unknown field 'more'"),
    ],
)
def test_another_format_version_or_field_is_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    document = resigned({**written(tmp_path), **change})
    assert refusal(tmp_path, document).startswith(message)


@pytest.mark.parametrize("name", ["format", "version", "plan"])
def test_a_missing_field_is_refused(name: str, tmp_path: Path) -> None:
    document = written(tmp_path)
    del document[name]
    assert name in refusal(tmp_path, resigned(document))
