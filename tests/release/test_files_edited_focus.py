"""An edit of a focused plan, signed again, is refused where it breaks a rule."""

from pathlib import Path

import pytest

from edited_places import edit
from release.edited_documents import check_reading, signed
from release.golden_releases import GOLDEN_FOCUSED, golden_document


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            "plan.parts.0.ratio.guess",
            "1",
            "$.plan.parts[0].ratio.guess: must be a number, got '1'.",
        ),
        (
            "plan.parts.0.ratio.guess",
            True,
            "$.plan.parts[0].ratio.guess: must be a number, got True.",
        ),
        (
            "plan.parts.0.ratio.guess",
            None,
            "$.plan: a focused plan states the guess of its ratio, got None",
        ),
        (
            "plan.parts.0.ratio.guess",
            1e300,
            "$.plan.parts[0].ratio: the guess of a ratio must be 0, or",
        ),
        (
            "plan.parts.0.ratio.guess",
            1e-300,
            "$.plan.parts[0].ratio: the guess of a ratio must be 0",
        ),
        (
            "plan.parts.0.ratio.guess",
            2,
            "$.plan: the lattice step of Σ h is not the one",
        ),
        (
            "plan.parts.0.basis",
            "other",
            "$.plan.parts[0].basis: must be one of sum, denominator, got 'other'.",
        ),
        (
            "plan.parts.0.ratio.guess_is",
            "certain",
            (
                "$.plan.parts[0].ratio.guess_is: must be one of close, unknown, "
                "got 'certain'."
            ),
        ),
        (
            "plan.parts.0.ratio.guess_is",
            None,
            "$.plan.parts[0].ratio.guess_is: must be ",
        ),
        (
            "plan.parts.0.ratio.guess_is",
            "close",
            None,
        ),  # It chose the noise, which stays.
        (
            "plan.parts.0.ratio.residual_bound",
            "1",
            "$.plan.parts[0].ratio.residual_bound: must be a number, got '1'.",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            -1,
            (
                "$.plan.parts[0].ratio: the residual bound must be a positive number, "
                "got -1.0."
            ),
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            0,
            "$.plan.parts[0].ratio: the residual bound must be",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            1e300,
            "$.plan.parts[0].ratio: the residual bound must",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            2,
            "$.plan: the plan's terms break a rule: the residual bound must be below 2",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            1.5,
            "$.plan: the sensitivity of Σ z must be 25165824 cells, got 16777216.",
        ),
        (
            "plan.parts.0.ratio.residual_bound",
            None,
            "$.plan: the lattice step of Σ z is not",
        ),
        ("plan.bounds.days", [0, 5], "$.plan: the sensitivity of Σ h must be"),
        (
            "plan.answers",
            ["ratio"],
            "$.plan: strategy 'focused' does not measure these",
        ),
        ("plan.answers", ["means", "ratio"], None),
        (
            "plan.parts.0.sums.3.factors",
            ["h", "z"],
            "$.plan: strategy 'focused' does not",
        ),
        (
            "plan.parts.0.sums.3.factors",
            ["z", "x"],
            "$.plan.parts[0].sums[3].factors[1]: must be one of",
        ),
        (
            "plan.parts.0.sums.3.scale",
            2.0**24,
            "$.plan: the noise of mixed products is too",
        ),
        (
            "plan.parts.0.sums.0.scale",
            2.0**24,
            "$.plan: the noise of the sums is too small",
        ),
        (
            "plan.parts.0.sums.0.scale",
            2.0**51,
            "$.plan: the noise of Σ z is too small or too",
        ),
        ("plan.parts.0.sums.0.scale", 12.0 * 2**24, None),  # More noise than is needed.
        ("plan.privacy.epsilon", "1/2", "$.plan: the noise of the sums is too small"),
        (
            "plan.privacy.mechanism",
            "analytic_gaussian",
            "$.plan: the noise of the sums",
        ),
        (
            "plan.privacy.mechanism",
            "classical_gaussian",
            "$.plan: the plan's terms break a rule: strategy 'focused' has no",
        ),
        (
            "plan.privacy.strategy",
            "joint",
            "$.plan: the plan's terms break a rule: strategy 'joint' does not use a",
        ),
    ],
)
def test_an_edit_of_a_focused_plan_is_refused_where_it_breaks_a_rule(
    place: str, value: object, message: str | None, tmp_path: Path
) -> None:
    edited = signed(edit(golden_document(GOLDEN_FOCUSED), place, value))
    check_reading(edited, message, tmp_path / "edited.json")
