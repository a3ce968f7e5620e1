"""Releases that were made from others, in files: heads and costs."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.release.roll_up import roll_up
from dpratio.terms.budget import Budget
from release.derived_releases import TEXT
from release.edited_documents import check_reading, document_of, signed
from release.releases_for_tests import RELEASES

HEAD = "0123456789abcdef" * 4


def edited(change: Callable[[dict[str, Any]], object]) -> str:
    document = document_of(RELEASES["merged"])
    change(document["derived"])
    return signed(document)


COST = "cost_if_disjoint"
EDITS: dict[str, tuple[Callable[[dict[str, Any]], object], str | None]] = {
    "no cost": (lambda given: given.update({COST: None}), None),
    "a head": (lambda given: given.update(ledgers=[HEAD]), None),
    "a number as heads": (
        lambda given: given.update(ledgers=5),
        "$.derived.ledgers: must be a list",
    ),
    "a number as head": (
        lambda given: given.update(ledgers=[5]),
        "$.derived.ledgers[0]: must be text",
    ),
    "no hash": (
        lambda given: given.update(ledgers=["abc"]),
        "$: a ledger head is 64 hexadecimal digits",
    ),
    "a head twice": (
        lambda given: given.update(ledgers=[HEAD, HEAD]),
        "$: each release that this one was made from has one ledger head",
    ),
    "more heads than sources": (
        lambda given: given.update(ledgers=[HEAD, "0" * 64, "1" * 64]),
        "$: each release that this one was made from has one ledger head",
    ),
    "a larger epsilon": (
        lambda given: given[COST].update(epsilon="3"),
        "$: one of several releases costs no more than all of them",
    ),
    "a larger delta": (
        lambda given: given[COST].update(delta="1/10"),
        "$: one of several releases costs no more than all of them",
    ),
    "an epsilon of none": (
        lambda given: given[COST].update(epsilon="0"),
        "$.derived.cost_if_disjoint: epsilon must be positive",
    ),
    "another field": (
        lambda given: given.update(other=1),
        "$.derived: unknown field 'other'",
    ),
    "no heads": (lambda given: given.pop("ledgers"), "$.derived: field 'ledgers'"),
}


@pytest.mark.parametrize("what", EDITS)
def test_what_a_derived_release_states_is_checked(what: str, tmp_path: Path) -> None:
    change, message = EDITS[what]
    check_reading(edited(change), message, tmp_path / "edited.json")


def test_a_release_that_was_made_from_others_states_what_they_cost(
    tmp_path: Path,
) -> None:
    for name in ("merged", "rolled up"):
        document = document_of(RELEASES[name])
        del document["derived"]
        said = "$: field 'derived' is missing."
        check_reading(signed(document), said, tmp_path / "edited.json")


def test_a_release_that_was_not_made_from_others_has_no_such_field(
    tmp_path: Path,
) -> None:
    document = document_of(TEXT[0])
    assert "derived" not in document
    document["derived"] = {"ledgers": [], "cost_if_disjoint": None}
    said = "$.derived: belongs to releases that were made from others"
    check_reading(signed(document), said, tmp_path / "edited.json")


def test_a_release_that_was_not_merged_states_one_cost() -> None:
    assert TEXT[0].cost == Budget(TEXT[0].plan.epsilon, TEXT[0].plan.delta)
    for release in (TEXT[0], RELEASES["rolled up"]):
        assert release.cost_if_disjoint is None
        assert "in all" not in str(release)
        with pytest.raises(InvalidInput, match="costs no more than all of them"):
            replace(release, cost_if_disjoint=Budget("0.001"))
    with pytest.raises(InvalidInput, match="has one ledger head at most"):
        replace(TEXT[0], ledger_heads=(HEAD,))
    with pytest.raises(InvalidInput, match="has one ledger head at most"):
        replace(RELEASES["rolled up"], ledger_heads=[HEAD])  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="costs no more than all of them"):
        replace(RELEASES["merged"], cost_if_disjoint=Fraction(1))  # type: ignore[arg-type]


def test_a_question_that_is_rolled_up_states_what_all_questions_cost() -> None:
    release = RELEASES["two ratios of unequal width"]
    rolled = roll_up(release, question=3)
    assert rolled.cost == release.cost
