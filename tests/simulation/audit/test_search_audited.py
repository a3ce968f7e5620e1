"""Releases that find bounds are audited, and what is wrong in either stage is found."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpratio.curator import measure
from dpratio.errors import PlanRefused
from dpratio.plan.plan_terms import PlanTerms
from dpratio.simulation.audit import draw
from dpratio.simulation.audit.audit_noise import audit_noise
from dpratio.simulation.audit.findings import BROKEN, Audit
from dpratio.simulation.audit.histograms import search_audit
from dpratio.terms.bounds import Bounds
from simulation.audit.faults import fix_bits, forget_sensitivity, halve_noise

FIRST, SECOND = "search, the first", "search"


@pytest.fixture(autouse=True)
def fixed_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same noise in every run, so that a red run can be repeated."""
    fix_bits(monkeypatch, 27, draw, measure)


def audited(folder: Path, unit: str = "row", **options: Any) -> Audit:  # noqa: ANN401
    asked = {"samples": 1_500, "epsilons": ["4"], "units": [unit], **options}
    return audit_noise(folder=folder, strategies=[SECOND], **asked)


def verdicts(audit: Audit) -> dict[str, bool]:
    return {each.strategy: each.verdict in BROKEN for each in audit.findings}


@pytest.mark.parametrize("unit", ["row", "changed-row"])
def test_both_stages_of_this_installation_keep_their_word(
    unit: str, tmp_path: Path
) -> None:
    audit = audited(tmp_path, unit)
    assert verdicts(audit) == {FIRST: False, SECOND: False}
    # Half of epsilon each: together they cost what the plan says.
    assert [str(each.epsilon) for each in audit.findings] == ["2", "2"]
    assert all(each.planned == pytest.approx(2) for each in audit.findings)
    assert all(each.share > 0.6 for each in audit.findings)


def test_the_sums_are_those_within_bounds_that_were_found() -> None:
    audit = search_audit("row", "1")
    assert audit.second.bounds["score"] == Bounds(0, 2)
    assert audit.second.budget.epsilon * 2 == audit.plan.budget.epsilon == 1


@pytest.mark.parametrize(("sums", "wrong"), [(1, FIRST), (5, SECOND)])
def test_too_little_noise_of_either_stage_is_found(
    sums: int, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A histogram has one number in each cell, and the row's weighted plan five."""
    halve_noise(monkeypatch, sums, draw, measure)
    found = verdicts(audited(tmp_path))
    assert found == {FIRST: wrong == FIRST, SECOND: wrong == SECOND}


def test_a_second_stage_that_forgets_the_price_of_the_first_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planner, the price and the curator's own check all make the same mistake."""
    whole = property(lambda plan: (plan.budget.epsilon, plan.budget.delta))
    monkeypatch.setattr(PlanTerms, "for_sums", whole)
    audit = audited(tmp_path)
    assert verdicts(audit) == {FIRST: False, SECOND: True}
    assert audit.findings[1].planned == pytest.approx(4)


def test_a_histogram_whose_sensitivity_is_halved_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The door refuses the plan, and the histogram by itself shows too much."""
    forget_sensitivity(monkeypatch)
    with pytest.raises(PlanRefused, match="too small for the budget"):
        audited(tmp_path, "changed-row", samples=200)
    first = search_audit("changed-row", "4").histogram
    assert first.least_epsilon(draw.Door(tmp_path), 5_000) > 2


def test_a_release_that_found_other_bounds_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It measured something else; the audit looks at the sums that it planned for."""
    made: list[Any] = []
    release = draw.Door.release

    def counted(door: draw.Door, plan: Any) -> Any:  # noqa: ANN401
        made.append(release(door, plan))
        if len(made) == 1:
            (question,) = made[0].questions
            other = plan.questions[0]  # Within the widest bounds.
            assert question.asked != other
            return SimpleNamespace(questions=[SimpleNamespace(asked=other)])
        return made[-1]

    monkeypatch.setattr(draw.Door, "release", counted)
    audited(tmp_path, samples=200)
    assert len(made) == 3
