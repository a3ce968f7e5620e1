"""Releases that found their bounds: read as written, held to their noisy counts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.document import plan_from_document, plan_to_document
from dpratio.plan.plan import Plan
from dpratio.plan.search.realise_bounds import realise_bounds
from dpratio.release.checked_json import checked_bytes
from dpratio.release.files import (
    read_release,
    release_from_bytes,
    write_release,
)
from dpratio.release.merge import merge
from dpratio.release.release import MADE_BY, Release, fresh_question
from dpratio.release.roll_up import roll_up
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.groups import Groups
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.ratio import Ratio
from plan.search_plans import PERSON, REGIONS, counts_at, search_of, search_plan
from release.edited_documents import document_of

PLAN = search_plan(Ratio("spent", per="orders"), groups=REGIONS)


def release_at(
    *powers: int,
    plan: Plan = PLAN,
    name: str = "a",
    sums: tuple[int, ...] = (10**12, 10**12),
) -> Release:
    """Give a release that found its bounds around some powers of two."""
    second, searched = realise_bounds(plan, counts_at(plan, *powers))
    (question,) = second.questions
    groups = second.partitions[0]
    assert isinstance(groups, Groups)
    values = np.full((groups.count, len(question.sums)), 10**9, dtype=np.int64)
    values[:, : len(sums)] = sums
    answered = fresh_question(second, question, groups, values)
    return Release(name * 32, plan, (answered,), MADE_BY, searched=searched)


FOUND, NOTHING = release_at(6, 7), release_at()


@pytest.mark.parametrize("release", [FOUND, NOTHING], ids=["found", "fallback"])
def test_both_stages_are_read_as_they_were_written(
    release: Release, tmp_path: Path
) -> None:
    path = tmp_path / "release.json"
    write_release(release, path)
    assert read_release(path) == release


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        search_plan(unit=PERSON, groups=REGIONS),
        search_plan(n=10, guess=Guess(ColumnGuess(60, 9), ColumnGuess(2, 1))),
        search_plan(strategy="even"),
    ],
)
def test_a_plan_is_read_as_it_was_written(plan: Plan) -> None:
    document = json.loads(json.dumps(plan_to_document(plan)))
    assert plan_from_document(Node(document)) == plan
    held = json.loads(json.dumps(document["search"]))
    document["search"]["histograms"]["search"] = held
    with pytest.raises(DocumentRefused, match="which have no search"):
        plan_from_document(Node(document))


def test_searches_within_searches_are_refused_before_they_are_read() -> None:
    """A file could nest so many of them that reading would end without an answer."""
    document = plan_to_document(PLAN)
    nested = json.loads(json.dumps(document["search"]))
    for _ in range(1_000):
        nested = {**nested, "histograms": {**document, "search": nested}}
    with pytest.raises(DocumentRefused, match="which have no search"):
        plan_from_document(Node({**document, "search": nested}))
    while isinstance(nested, dict):  # So deep a thing is not let go of at once.
        nested = nested["histograms"].pop("search", None)


def test_a_release_says_what_was_charged_and_what_was_measured() -> None:
    assert FOUND.plan.bounds["spent"] == Bounds.find(0, 4096)
    origin = Proposed("a" * 32, search_of(PLAN).epsilon)
    assert FOUND.measured.bounds["spent"] == Bounds(0, 256, proposed=origin)
    assert FOUND.cost.epsilon == FOUND.measured.epsilon == 1
    assert NOTHING.measured.bounds["spent"] == Bounds(0, 4096)


def test_answers_say_where_bounds_came_from() -> None:
    (said,) = estimate_ratios(FOUND).within
    assert f"spent 0 to 256 (proposed by release {'a' * 32} at epsilon 0.1)" in said
    counted, missing = estimate_ratios(NOTHING).within
    assert "spent 0 to 4096, orders" in counted
    assert missing == "No bounds of spent could be found: the widest ones were used."


def edited(release: Release, **changes: Any) -> bytes:  # noqa: ANN401
    document = document_of(release)
    del document["sha256"]
    document["searched"] |= changes.pop("searched", {})
    document["parts"][0] |= changes.pop("part", {})
    if changes.pop("without", False):
        del document["searched"]
    return checked_bytes(document)


@pytest.mark.parametrize(
    "changes",
    [
        {"without": True},
        {"searched": {"is_taken": False}},
        {"searched": {"counts": []}},
        {"searched": {"counts": [["0"] * len(counts_at(PLAN)[0])]}},
        {"part": document_of(release_at(8))["parts"][0]},
    ],
)
def test_a_file_whose_counts_lead_elsewhere_is_refused(changes: dict[str, Any]) -> None:
    assert release_from_bytes(edited(FOUND)) == FOUND
    with pytest.raises(DocumentRefused, match="noisy counts of the search lead to"):
        release_from_bytes(edited(FOUND, **changes))


def test_counts_belong_to_a_plan_that_looks_for_bounds() -> None:
    plain = replace(FOUND, plan=FOUND.measured, searched=None)
    assert plain.measured is plain.plan
    with pytest.raises(InvalidInput, match="belong to a plan that looks for bounds"):
        replace(plain, searched=FOUND.searched)


def test_what_is_derived_has_the_found_bounds_and_the_whole_cost(
    tmp_path: Path,
) -> None:
    rolled = roll_up(FOUND)
    assert rolled.plan.bounds == FOUND.measured.bounds
    assert rolled.searched is None
    assert rolled.cost.epsilon == 1
    write_release(rolled, tmp_path / "rolled.json")
    assert read_release(tmp_path / "rolled.json") == rolled
    with pytest.raises(InvalidInput, match="counts of the search lead to"):
        replace(FOUND, sources=("b" * 32,))


def test_releases_that_found_other_bounds_are_not_merged() -> None:
    other = release_at(8, name="b")
    assert other.plan == FOUND.plan
    with pytest.raises(InvalidInput, match=r"another bounds.*declare them"):
        merge([FOUND, other], units_are_disjoint=True)
    both = merge([NOTHING, release_at(name="b")], units_are_disjoint=True)
    assert both.plan.search is None
    assert both.cost.epsilon == 2
