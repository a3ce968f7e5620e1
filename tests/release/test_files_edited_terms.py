"""An edit that was signed again is refused where it breaks a rule."""

from pathlib import Path

import pytest

from edited_places import edit
from release.edited_documents import check_reading, signed
from release.golden_releases import golden_document

# By place in the document: what is put there, and the refusal; None is read.
EDITS: dict[str, list[tuple[object, str | None]]] = {
    "id": [
        ("00112233", "$.id: must be 32 hexadecimal digits, got '00112233'."),
        (
            "00112233445566778899AABBCCDDEEFF",
            (
                "$.id: must be 32 hexadecimal digits, got "
                "'00112233445566778899AABBCCDDEEFF'."
            ),
        ),
        (5, "$.id: must be text, got 5."),
    ],
    "made_by": [(None, "$.made_by: must be text, got None.")],
    "simulated": [
        ("no", "$.simulated: must be true or false, got 'no'."),
        (1, "$.simulated: must be true or false, got 1."),
    ],
    "version": [
        ("1", "$.version: must be a whole number, got '1'."),
        (True, "$.version: must be a whole number, got True."),
        (0, "$.version: must be 1, got 0."),
    ],
    "format": [("dpratio", "$.format: this is not a dpratio-release document.")],
    "plan": [(None, "$.plan: must be a table of fields, got None.")],
    "plan.measurements.0.sums.3.scale": [
        ("1", "$.plan.measurements[0].sums[3].scale: must be a number, got '1'."),
    ],
    "plan.study.privacy.mechanism": [
        (
            "none",
            (
                "$.plan.study.privacy.mechanism: must be one of laplace, "
                "analytic_gaussian, classical_gaussian, got 'none'."
            ),
        ),
        ("classical_gaussian", "$.plan: the noise of Σ w is too small for its share"),
    ],
    "plan.study.privacy.epsilon": [
        ("1/2", "$.plan: the noise of Σ w is too small for")
    ],
    "plan.study.privacy.delta": [("-1", "$.plan")],
    "plan.study.bounds.weight": [
        ([-1, 3], "$.plan: the plan's terms break a rule: the lower bound of a weight"),
    ],
    "plan.study.bounds.score": [
        ([0, 2], "$.plan: the lattice step of Σ w·s is not"),
        ([0, 1.25], "$.plan: the sensitivity of Σ w·s must be"),
        # Fewer values fit than were promised, and nothing else changes.
        ("binary", None),
    ],
    "plan.study.bounds.label": [
        ([0, 1], "$.plan: strategy 'even' does not measure these")
    ],
    "plan.study.bounds.extra": [
        (
            [0, 1],
            "$.plan: the plan's terms break a rule: bounds are given for columns not",
        ),
    ],
    "plan.study.groups.column": [
        (
            "score",
            "$.plan: the plan's terms break a rule: a column of the ratio cannot be",
        ),
    ],
    "plan.study.ratio.weight": [
        (None, "$.plan.study.ratio.weight: must be text, got None."),
    ],
    "plan.study.groups.keys": [
        (["a", "b"], "$.values[0]: must have 2 rows, has 3."),
    ],
    "plan.study.groups.weight": [
        ("2", "$.plan: the weights of questions must be"),
        ("1/2", "$.plan: the noise of Σ w is too small for"),
        (1, "$.plan: the plan must be written as dpratio writes it"),
    ],
    "plan.study.ratio.minus": [
        (
            "other",
            "$.plan: the plan's terms break a rule: every column of the ratio needs",
        ),
    ],
    "plan.measurements.0.sums": [
        ([], "$.plan: strategy 'even' does not measure these sums, got []"),
    ],
    "plan.measurements.0.sums.0.name": [
        ("v", "$.plan: strategy 'even' does not measure these sums"),
    ],
    "plan.measurements.0.sums.0.factors": [
        ([], "$.plan: strategy 'even' does not measure these"),
    ],
    "plan.measurements.0.sums.0.step": [
        (2.0**-22, "$.plan: the lattice step of Σ w is not"),
        (0, "$.plan: the lattice step of Σ w is not"),
    ],
    "plan.measurements.0.sums.0.sensitivity": [
        ("1", "$.plan: the sensitivity of Σ w must be 25165824 cells, got 1."),
    ],
    "plan.measurements.0.sums.0.scale": [
        (
            251658239.0,
            "$.plan: the noise of Σ w is too small for its share, got 251658239.0.",
        ),
        (-1, "$.plan: the noise of Σ w is too small or too"),
        (1e300, "$.plan: the noise of Σ w is too small or too"),
    ],
    "plan.measurements.0.sums.0.epsilon": [
        ("1/5", "$.plan.measurements[0].sums[0]: unknown field 'epsilon'."),
    ],
    "plan.measurements.0.sums.0.delta": [
        ("0", "$.plan.measurements[0].sums[0]: unknown field 'delta'."),
    ],
    "plan.study.ratio.answers": [
        ("ratio", "$.plan.study.ratio.answers: must be a list, got 'ratio'."),
        (["means"], "$.plan: the plan's terms break a rule: answers must be 'ratio',"),
        ([], "$.plan: the plan's terms break a rule: answers must be"),
        (
            ["ratio", "ratio"],
            "$.plan: the plan's terms break a rule: answers must be 'ratio',",
        ),
        (
            ["ratio", "median"],
            (
                "$.plan.study.ratio.answers[1]: must be one of ratio, means, spread, "
                "calibration, got 'median'."
            ),
        ),
    ],
    "plan.study.ratio.residual_bound": [
        (1, "$.plan: the plan's terms break a rule: strategy 'even' does not use a"),
    ],
    "plan.study.ratio.guess": [(2, None)],  # Remembered, and without a use here.
    "plan.study.privacy.strategy": [
        (
            "best",
            (
                "$.plan.study.privacy.strategy: must be one of focused, joint, even, "
                "external, histogram, got 'best'."
            ),
        ),
        ("focused", "$.plan: the plan must be written as dpratio writes it"),
    ],
    "plan.study.groups": [
        ({"whole": True}, "$.plan: the plan must be written as dpratio")
    ],
    "plan.measurements": [
        ([], "$.plan.measurements: every question has one measurement, got 0."),
    ],
    "plan.study.unit": [
        ({"column": "region"}, "$.plan: the plan's terms break a rule: a unit"),
        ({"column": 5}, "$.plan.study.unit.column: must be text, got 5."),
        ({"most_groups": 2}, "$.plan.study.unit.most_groups: totals and most_groups"),
        ({"neighbours": "change-one"}, "$.plan: the noise of Σ w is too small"),
        ({"neighbours": "none"}, "$.plan.study.unit.neighbours: must be one of add"),
        ({"key": "ü"}, "$.plan.study.unit.key: the key of the hash must be plain text"),
        ({"key": "other"}, None),  # It chooses between groups of a person.
        ({"key": "dpratio"}, "$.plan: the plan must be written as dpratio writes it"),
    ],
    "values": [
        ({}, "$.values: must be a list, got a dict."),
        ([], "$.values: must have as many parts as the plan"),
        ([[], []], "$.values: must have as many parts as the plan"),
    ],
    "values.0": [
        ({}, "$.values[0]: must be a list, got a dict."),
        ([], "$.values[0]: must have 3 rows, has 0."),
    ],
    "parts": [
        (None, "$.parts: must be a list, got None."),
        ([], "$.parts: must have 1 parts"),
    ],
    "parts.0": [([], "$.parts[0]: must be a table of fields")],
    "parts.0.found": [([], "$.parts[0].found: must be null where keys were")],
    "parts.0.noise": [([], "$.parts[0].noise: must be null where nothing was")],
    "sources": [
        (None, "$.sources: must be a list, got None."),
        (["0"], "$.sources[0]: must be 32 hexadecimal digits, got '0'."),
        (["0" * 32], "$: field 'derived' is missing."),
    ],
    "values.0.1": [
        ("1", "$.values[0][1]: must be a list, got '1'."),
        (["1"], "$.values[0][1]: must hold 6 sums, got ['1']."),
        (["1"] * 7, "$.values[0][1]: must hold 6 sums"),
    ],
    "values.0.1.2": [
        (10, "$.values[0][1][2]: must be text, got 10."),
        (10.0, "$.values[0][1][2]: must be text, got 10.0."),
        (None, "$.values[0][1][2]: must be text, got None."),
    ],
}
NO_INTEGERS = [
    *("", "x", "1.0", "1e3", "+1", "01", "-0", " 1", "1\n", "1_0", "٣", "1" * 60),
    *("9223372036854775808", "-9223372036854775808", "12345678901234567890"),
]
EDITS["values.0.1.2"] += [
    (text, f"$.values[0][1][2]: must be a 64-bit integer written as text, got {text!r}")
    for text in NO_INTEGERS
]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [(place, *each) for place, edits in EDITS.items() for each in edits],
)
def test_an_edit_with_a_new_checksum_is_refused_where_it_breaks_a_rule(
    place: str, value: object, message: str | None, tmp_path: Path
) -> None:
    edited = signed(edit(golden_document(), place, value))
    check_reading(edited, message, tmp_path / "edited.json")
