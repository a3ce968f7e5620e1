"""The commands that make one release out of others."""

from pathlib import Path

import pytest

import dpratio as dpr
from cli.commands_for_tests import flowing, refusal, shown
from dpratio.errors import FileRefused, InvalidInput
from planned import plan_scores

BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}
TABLE = {
    "score": [0.25, 0.75] * 400,
    "label": [0, 1] * 400,
    "state": (["CA", "OR"] * 200) + (["NY", "VT"] * 200),
    "sex": (["f"] * 2 + ["m"] * 2) * 200,
    "person": list(range(800)),
}


def plan_of(**options: object) -> dpr.Plan:
    return plan_scores(dpr.Budget(4), **options)


def write(path: Path, plan: dpr.Plan) -> dpr.Release:
    release = dpr.release_sums(TABLE, plan, ledger=None)
    dpr.write_release(release, path)
    return release


@pytest.fixture
def cells() -> dpr.Plan:
    keys = [dpr.Keys("state", ["CA", "OR", "NY", "VT"]), dpr.Keys("sex", ["f", "m"])]
    return plan_of(groups=dpr.Groups.cross(*keys))


@pytest.fixture
def people() -> dpr.Plan:
    totals = {name: dpr.Bounds(0, 3) for name in BOUNDS}
    return plan_of(unit=dpr.PrivacyUnit("person", totals=totals))


def test_groups_are_rolled_up_as_in_python(cells: dpr.Plan, tmp_path: Path) -> None:
    release = write(tmp_path / "cells.json", cells)
    for words, columns in (
        (["--to", "state"], ["state"]),
        (["--to", "sex", "--to", "state"], ["sex", "state"]),
        ([], []),
    ):
        out = tmp_path / f"{len(columns)}.json"
        said = flowing("roll-up", tmp_path / "cells.json", "-o", out, *words)
        assert f"Written to {out}." in said
        made, wanted = dpr.read_release(out), dpr.roll_up(release, columns)
        assert made.id == wanted.id
        assert made.sources == (release.id,)
        assert (made.questions[0].values == wanted.questions[0].values).all()


def test_a_question_is_counted_from_one(tmp_path: Path) -> None:
    plan = plan_of(groups=[dpr.Groups("sex", ["f", "m"]), dpr.Groups("state", ["CA"])])
    release = write(tmp_path / "parts.json", plan)
    given = ("roll-up", tmp_path / "parts.json", "-o", tmp_path / "whole.json")
    shown(*given, "--question", "2")
    made = dpr.read_release(tmp_path / "whole.json")
    assert (made.questions[0].values == release.questions[1].values).all()
    for question in ("0", "3"):
        error = refusal(*given, "--force", "--question", question)
        assert "no such question" in str(error)


def test_sites_are_merged_as_in_python(cells: dpr.Plan, tmp_path: Path) -> None:
    paths = [tmp_path / f"site{at}.json" for at in range(3)]
    releases = [write(path, cells) for path in paths]
    words = ("merge", *paths, "-o", tmp_path / "all.json")
    assert "no row and no person is in two of them" in str(refusal(*words))
    assert not (tmp_path / "all.json").exists()
    said = flowing(*words, "--units-are-disjoint")
    assert "Written to" in said
    cost = "epsilon 12, delta 0 in all; epsilon 4, delta 0 if nobody is in two of them"
    assert cost in said
    made = dpr.read_release(tmp_path / "all.json")
    assert made.id == dpr.merge(releases, units_are_disjoint=True).id
    assert (
        made.questions[0].values == sum(each.questions[0].values for each in releases)
    ).all()


def test_sites_around_different_guesses_are_merged_and_answered(tmp_path: Path) -> None:
    groups = dpr.Groups("sex", ["f", "m"])
    paths = [tmp_path / f"{at}.json" for at in range(3)]
    for path, guess in zip(paths, (0.75, 1, 1.25), strict=True):
        ratio = dpr.Ratio("score", per="label", guess=guess)
        plan = dpr.make_plan(ratio, bounds=BOUNDS, groups=groups, budget=dpr.Budget(4))
        write(path, plan)
    made, whole = tmp_path / "all.json", tmp_path / "whole.json"
    said = flowing("merge", *paths, "-o", made, "--units-are-disjoint")
    assert "made from other releases: 3" in said
    assert "epsilon 12, delta 0 in all; epsilon 4, delta 0" in said
    shown("roll-up", made, "-o", whole)
    assert "95 % interval" in shown("estimate", whole)
    assert "95 % interval" in shown("compare", made, "m", "f")


def test_people_with_many_rows_are_merged_on_a_promise(
    people: dpr.Plan, tmp_path: Path
) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in paths:
        write(path, people)
    words = ("merge", *paths, "-o", tmp_path / "all.json")
    assert isinstance(refusal(*words), InvalidInput)
    assert not (tmp_path / "all.json").exists()
    shown(*words, "--units-are-disjoint")
    assert len(dpr.read_release(tmp_path / "all.json").sources) == 2


@pytest.mark.parametrize("command", ["roll-up", "merge"])
def test_nothing_is_replaced_by_accident(
    command: str, cells: dpr.Plan, tmp_path: Path
) -> None:
    given = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in given:
        write(path, cells)
    (tmp_path / "data.json").write_text("rows", encoding="utf-8")
    before = given[0].read_bytes()
    words = (command, *given, "--units-are-disjoint")
    if command == "roll-up":
        words = (command, given[0])
    for out, said in (
        (given[0], "holds a release already"),
        (tmp_path / "data.json", "exists and is no release"),
    ):
        error = refusal(*words, "-o", out)
        assert isinstance(error, FileRefused)
        assert said in str(error)
    assert given[0].read_bytes() == before
    error = refusal(*words, "-o", tmp_path / "new.csv")
    assert "a release is JSON" in str(error)
    shown(*words, "-o", given[0], "--force")
    assert dpr.read_release(given[0]).sources
