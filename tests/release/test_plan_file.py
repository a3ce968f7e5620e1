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
from dpratio.release.files import example_release, plan_hash, read_plan, write_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit
from edited_places import edit
from planned import question_text
from release.edited_documents import signed

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
    "groups": lambda: plan_of(groups=Groups("k", ["größe", "😀", "a'b"])),
    "several": lambda: plan_of(Ratio("s", per="y"), Ratio("größe", per="y", guess=1.0)),
    "people": lambda: plan_of(
        unit=UNIT, groups=PrivateKeys("k", Budget("0.02", "1e-7"))
    ),
    "titled": lambda: plan_of().titled("Loans"),
}


def written(folder: Path) -> dict[str, Any]:
    write_plan(plan_of(), folder / "plan.json")
    document: dict[str, Any] = json.loads((folder / "plan.json").read_text("utf-8"))
    return document


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_comes_back_as_it_was_written(name: str, tmp_path: Path) -> None:
    plan, path = PLANS[name](), tmp_path / "plan.json"
    write_plan(plan, path)
    assert read_plan(path) == plan
    content = path.read_bytes()
    write_plan(read_plan(path), path)
    assert path.read_bytes() == content
    path.write_text(json.dumps(json.loads(content), sort_keys=True, indent=8), "utf-8")
    assert read_plan(path) == plan


def test_the_golden_plan_is_that_of_the_example() -> None:
    golden = Path(__file__).parent / "golden" / "plan_v1.json"
    assert read_plan(golden) == example_release("joint").plan


def test_every_term_is_in_the_hash_and_the_title_and_the_data_are_not(
    tmp_path: Path,
) -> None:
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
    assert plan_hash(plan_of().titled("Loans")) in hashes
    assert written(tmp_path)["sha256"] == plan_hash(plan_of())
    moved = STUDY.replace("people.csv", "others.csv") + 'scope = "loans"\n'
    plans = [plan_of_study(parse_study(text)) for text in (STUDY, moved)]
    assert plan_hash(plans[0]) == plan_hash(plans[1])
    write_plan(plans[0], tmp_path / "plan.json")
    assert "people.csv" not in (tmp_path / "plan.json").read_text("utf-8")


# --- What is refused ------------------------------------------------------------------


def refusal(folder: Path, content: bytes) -> str:
    (folder / "plan.json").write_bytes(content)
    with pytest.raises((DocumentRefused, PlanRefused)) as refused:
        read_plan(folder / "plan.json")
    return str(refused.value)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("plan.study.privacy.epsilon", "1/20", "the noise of the sums is too small"),
        ("plan.study.bounds.s", [0, 2], "lattice step and sensitivity of"),
        ("plan.study.privacy.strategy", "external", "$.plan.study.privacy.strategy"),
        ("format", None, "$.format: this is no plan"),
        ("version", 2, "$.version: use the dpratio"),
        ("version", True, "$.version: must be a whole"),
        ("plan", None, "$.plan: must be a table"),
        ("plan", {}, "$.plan: field '"),
        ("more", 1, "$: unknown field 'more'"),
    ],
)
def test_an_edited_plan_is_refused(
    place: str, value: object, message: str, tmp_path: Path
) -> None:
    document = edit(written(tmp_path), place, value)
    assert refusal(tmp_path, signed(document)).startswith(message)
    unsigned = refusal(tmp_path, json.dumps(document).encode())
    assert unsigned.startswith(("$.sha256", "$.format", "$.version"))


def test_a_plan_with_less_noise_is_refused(tmp_path: Path) -> None:
    document = written(tmp_path)
    for measured in document["plan"]["measurements"][0]["sums"]:
        measured["scale"] *= 1 - 1e-6
    message = refusal(tmp_path, signed(document))
    assert message.startswith("the noise of the sums is too small")


@pytest.mark.parametrize("name", ["format", "version", "plan"])
def test_a_missing_field_is_refused(name: str, tmp_path: Path) -> None:
    document = written(tmp_path)
    del document[name]
    assert name in refusal(tmp_path, signed(document))
