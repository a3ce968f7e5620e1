"""An edit of a focused plan, signed again, is refused where it breaks a rule."""

from pathlib import Path

import pytest

from edited_places import edit
from release.edited_documents import check_reading, signed
from release.golden_releases import GOLDEN_FOCUSED, golden_document

# By place in the plan: what is put there, and the refusal after "$.plan"; None is read.
EDITS: dict[str, list[tuple[object, str | None]]] = {
    "study.ratio.guess": [
        ("1", ".study.ratio.guess: must be a number, got '1'."),
        (True, ".study.ratio.guess: must be a number, got True."),
        (None, ".study.ratio.guess: must be a number, got None"),
        (1e300, ".study.ratio.guess: the guess of a ratio must be 0, or"),
        (1e-300, ".study.ratio.guess: the guess of a ratio must be 0"),
        (2, ": the lattice step of Σ h is not the one"),
    ],
    "measurements.0.basis": [
        (
            "other",
            ".measurements[0].basis: must be one of sum, denominator, got 'other'.",
        ),
    ],
    "study.ratio.guess_is": [
        (
            "certain",
            ".study.ratio.guess_is: must be one of close, unknown, got 'certain'.",
        ),
        (None, ".study.ratio.guess_is: must be "),
        ("close", ": the plan must be written as dpratio writes it"),
    ],
    "study.ratio.residual_bound": [
        ("1", ".study.ratio.residual_bound: must be a number, got '1'."),
        (
            -1,
            ".study.ratio.residual_bound: the residual bound must be a positive",
        ),
        (0, ".study.ratio.residual_bound: the residual bound must be"),
        (1e300, ".study.ratio.residual_bound: the residual bound must"),
        (2, ": the plan's terms break a rule: the residual bound must be below 2"),
        (1.5, ": the sensitivity of Σ z must be 25165824 cells, got 16777216."),
        (None, ".study.ratio.residual_bound: must be a number"),
    ],
    "study.bounds.days": [([0, 5], ": the sensitivity of Σ h must be")],
    "study.ratio.answers": [
        (["ratio"], ": the plan must be written as dpratio writes it"),
        (["means", "ratio"], None),
    ],
    "measurements.0.sums.3.factors": [
        (["h", "z"], ": strategy 'focused' does not"),
        (["z", "x"], ".measurements[0].sums[3].factors[1]: must be one of"),
    ],
    "measurements.0.sums.3.scale": [(2.0**24, ": the noise of mixed products is too")],
    "measurements.0.sums.0.scale": [
        (2.0**24, ": the noise of the sums is too small"),
        (2.0**51, ": the noise of Σ z is too small or too"),
        (12.0 * 2**24, None),  # More noise than is needed.
    ],
    "study.privacy.epsilon": [("1/2", ": the noise of the sums is too small")],
    "study.privacy.mechanism": [
        ("analytic_gaussian", ": the noise of the sums"),
        (
            "classical_gaussian",
            ": the plan's terms break a rule: strategy 'focused' has no",
        ),
    ],
    "study.privacy.strategy": [
        ("joint", ": the plan's terms break a rule: strategy 'joint' does not use a"),
    ],
}


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [(place, *each) for place, edits in EDITS.items() for each in edits],
)
def test_an_edit_of_a_focused_plan_is_refused_where_it_breaks_a_rule(
    place: str, value: object, message: str | None, tmp_path: Path
) -> None:
    edited = signed(edit(golden_document(GOLDEN_FOCUSED), f"plan.{place}", value))
    refused = None if message is None else f"$.plan{message}"
    check_reading(edited, refused, tmp_path / "edited.json")
