"""Releases that were made from others, in files: heads and costs, old files too."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.release.files import read_release
from dpratio.release.roll_up import roll_up
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from release.derived_releases import TEXT, survives
from release.edited_documents import check_reading, document_of, signed
from release.golden_releases import golden_document
from release.releases_for_tests import RELEASES, add_up, plan_of, release_of

MERGED = Path(__file__).parent / "golden" / "release_v1_merged.json"
HEAD = "0123456789abcdef" * 4


# --- Files from before costs were added up --------------------------------------------


def test_an_old_merged_file_states_the_dearest_cost_for_each_of_its_sources(
    tmp_path: Path,
) -> None:
    """It said 1, which three releases of 1, 0.5 and 0.25 do not cost together."""
    document = golden_document(MERGED)
    assert "derived" not in document
    assert document["plan"]["privacy"]["epsilon"] == "1"
    release = read_release(MERGED)
    assert len(release.sources) == 3
    assert release.cost == Budget(3, "3e-6")
    assert release.cost_if_disjoint == Budget(1, "1e-6")
    assert release.plan.mechanism == "analytic_gaussian"
    assert "epsilon 3, delta 0.000003 in all; epsilon 1" in str(release)
    assert survives(release, tmp_path)


def test_old_keys_that_were_found_privately_are_counted_for_each_source(
    tmp_path: Path,
) -> None:
    plan = plan_of(PrivateKeys("p", Budget("0.25", "1e-7")), mechanism="laplace")
    found = {0: Groups("p", ["x", "y"])}
    made = add_up([release_of(plan, seed, found) for seed in (1, 2)])
    document = document_of(made)
    del document["derived"]
    document["plan"]["privacy"] |= {"epsilon": "1", "delta": "1/1000000"}
    document["plan"]["found"] = []
    path = tmp_path / "old.json"
    path.write_text(signed(document), encoding="utf-8")
    read = read_release(path)
    assert (read.cost, read.cost_if_disjoint) == (made.cost, made.cost_if_disjoint)
    assert read.plan.private_keys == made.plan.private_keys
    assert survives(read, tmp_path)


def test_an_old_file_that_was_rolled_up_reads_as_it_was(tmp_path: Path) -> None:
    rolled = RELEASES["rolled up"]
    document = document_of(rolled)
    assert document.pop("derived") == {"ledgers": [], "cost_if_disjoint": None}
    path = tmp_path / "old.json"
    path.write_text(signed(document), encoding="utf-8")
    assert read_release(path) == rolled


def test_an_old_file_whose_costs_cannot_be_stated_together_is_refused(
    tmp_path: Path,
) -> None:
    document = document_of(RELEASES["merged"])
    del document["derived"]
    document["plan"]["privacy"]["epsilon"] = "900000"
    said = "$.plan: epsilon must be positive, from 1e-12 to 1e6"
    check_reading(signed(document), said, tmp_path / "old.json")


# --- Files that state heads and costs -------------------------------------------------


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
