"""An edit of a release that was signed again is refused where it breaks a rule."""

import copy
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dpratio.errors import DocumentRefused, FileRefused
from dpratio.release.files import read_release, release_from_bytes
from dpratio.terms.budget import Budget
from edited_places import alter, at, edit, leaves, split
from planned import plan_scores
from release.edited_documents import document_of, refusal, signed
from release.golden_releases import (
    GOLDEN,
    GOLDEN_FOCUSED,
    GOLDEN_GUESSES,
    GOLDEN_STAGES,
    golden_document,
    only_question,
)
from release.releases_for_tests import RELEASES
from tiers import quick_first

DOCUMENTS = {
    "golden": golden_document(),
    "focused": golden_document(GOLDEN_FOCUSED),
    "stages": golden_document(GOLDEN_STAGES),
    "guesses": golden_document(GOLDEN_GUESSES),
    **{name: document_of(release) for name, release in RELEASES.items()},
}
HEAD = "0123456789abcdef" * 4
LEFT_OUT = object()

# By release and place: what is put there, and how the refusal begins; None is read.
Edits = list[tuple[object, str | None]]
NO_SUMS: Edits = [
    (text, "$.values[0][1][2]: must be a whole number written as text, got ")
    for text in ("", "x", "1.0", "1e3", "+1", "01", "-0", " 1", "1\n", "1_0", "٣")
]
NO_SUMS += [
    (number, "$.values[0][1][2]: must be text, got ") for number in (10, 1.5, None)
]
NO_SUMS += [
    (str(number), "$.values[0][1]: must hold 6 sums of 64 bits, got ")
    for number in (2**63, -(2**63) - 1, 10**60)
]
EDITS: dict[str, dict[str, Edits]] = {
    "golden": {
        "": [("", "$: unknown field ''. Known fields: derived, id,")],
        "id": [
            ("0011", "$.id: a release id is 32 hexadecimal digits, got '0011'."),
            ("A" * 32, "$.id: a release id is 32 hexadecimal digits"),
            (5, "$.id: must be text, got 5."),
            (LEFT_OUT, "$: field 'id' is missing."),
        ],
        "made_by": [
            (None, "$.made_by: must be text, got None."),
            ("a\x00b", "$.made_by: must be text without NUL"),
        ],
        "simulated": [
            (value, f"$.simulated: is_simulated must be true or false, got {value!r}.")
            for value in ("no", 1, None)
        ],
        "format": [("dpratio", "$.format: this is not a dpratio-release document.")],
        "version": [
            (0, "$.version: must be 1, got 0. Use the dpratio that wrote it."),
            (2, "$.version: must be 1, got 2."),
            ("1", "$.version: must be a whole number, got '1'."),
            (True, "$.version: must be a whole number, got True."),
            (LEFT_OUT, "$.version: must be a whole number, got None."),
        ],
        "origin": [("Elsewhere", "$.plan: sums from elsewhere have the strategy")],
        "ledger": [
            (None, None),
            (HEAD, None),
            ("abc", "$.ledger: a hash is 64 hexadecimal digits, got 'abc'."),
        ],
        "source": [
            (HEAD, None),
            ("abc", "$.source: a hash is 64 hexadecimal digits, got 'abc'."),
        ],
        "derived": [({"ledgers": [], "cost_if_disjoint": None}, "$.derived: belongs")],
        "sources": [
            (None, "$.sources: must be a list, got None."),
            (["0" * 32], "$.derived: belongs to releases with sources"),
        ],
        "plan": [(None, "$.plan: must be a table of fields, got None.")],
        "plan.study.privacy.epsilon": [("1/2", "$.plan: the noise of Σ w is too")],
        "plan.study.privacy.mechanism": [("none", "$.plan.study: ")],
        "plan.study.bounds.weight": [([-1, 3], "$.plan: the plan's terms break a")],
        "plan.study.bounds.score": [
            ([0, 1.25], "$.plan: the sensitivity of Σ w·s must be"),
            # Fewer values fit than were promised, and nothing else changes.
            ("binary", None),
        ],
        "plan.study.ratio.guess": [(2, None)],  # Remembered, and without a use here.
        "plan.study.groups.keys": [
            (["a", "b"], "$.parts[0]: values must be 2 rows of 6 sums, got shape (3, 6")
        ],
        "plan.measurements.0.sums.0.scale": [(-1, "$.plan: the noise of Σ w is too")],
        "parts": [
            (None, "$.parts: must be a list, got None."),
            ([], "$.parts: there must be 1 parts with values, as in the plan."),
        ],
        "parts.0": [([], "$.parts[0]: must be a table of fields")],
        "parts.0.more": [(1, "$.parts[0]: unknown field 'more'.")],
        "parts.0.found": [
            ([], "$.parts[0].found: must be null where keys were declared."),
            (LEFT_OUT, "$.parts[0]: field 'found' is missing."),
        ],
        "parts.0.noise": [([], "$.parts[0].noise: belongs to releases with sources")],
        "values": [
            ({}, "$.values: must be a list, got a dict."),
            ([], "$.values: there must be 1 parts with values, as in the plan."),
            ([[], []], "$.values: there must be 1 parts with values"),
        ],
        "values.0": [
            ({}, "$.values[0]: must be a list, got a dict."),
            ([], "$.parts[0]: values must be 3 rows of 6 sums, got shape (0, 6)."),
            ([[]], "$.parts[0]: values must be 3 rows of 6 sums"),
            ([["1"] * 6], "$.parts[0]: values must be 3 rows of 6 sums"),
            ([["1"] * 5] * 3, "$.parts[0]: values must be 3 rows of 6 sums"),
            (["123456"] * 3, "$.values[0][0]: must be a list, got '123456'."),
        ],
        "values.0.1": [
            ("123456", "$.values[0][1]: must be a list, got '123456'."),
            ({"1": 1}, "$.values[0][1]: must be a list, got a dict."),
            (["1"], "$.values[0][1]: must hold 6 sums of 64 bits, got ['1']."),
            (["1"] * 7, "$.values[0][1]: must hold 6 sums"),
        ],
        "values.0.1.2": NO_SUMS,
        "values.0.1.3": [(str(-(2**63)), "$.parts[0]: values must be whole numbers")],
    },
    "focused": {
        "plan.study.ratio.guess": [(2, "$.plan: the lattice step of Σ h is not the")],
        "plan.measurements.0.sums.0.scale": [
            (2.0**24, "$.plan: the noise of the sums is too small"),
            (12.0 * 2**24, None),  # More noise than is needed.
        ],
    },
    "groups: text": {
        "plan.study.privacy.epsilon": [("1/2", "$.plan: the noise of the sums is")]
    },
    "found: text": {
        "parts.0.found": [
            (keys, "$.parts[0].found: must be keys of 'g', all text.")
            for keys in (
                {"column": "h", "keys": ["a", "b"]},
                {"column": "g", "keys": [{"integer": "1"}, {"integer": "2"}]},
                {"column": "g", "keys": ["a", {"missing": True}]},
                {"column": "g", "every": "day", "first": "2026-01-01"}
                | {"last": "2026-01-02"},
                {"column": "g", "find": {"epsilon": "1", "delta": "1/2"}},
                {"columns": ["g", "h"], "keys": [["a", "x"], ["b", "x"]]},
            )
        ],
        "parts.0": [
            ({"found": None, "noise": None}, "$.parts[0].found: must be keys of 'g'")
        ],
    },
    "rolled up": {"derived": [(LEFT_OUT, "$.derived: belongs to releases with")]},
    "merged": {
        "derived.cost_if_disjoint": [(None, None)],
        "derived.cost_if_disjoint.epsilon": [
            ("3", "$.derived: one of several releases costs no more than all of them"),
            ("0", "$.derived.cost_if_disjoint.epsilon: epsilon must be positive"),
        ],
        "derived.cost_if_disjoint.delta": [("1/10", "$.derived: one of several")],
        "derived.ledgers": [
            ([HEAD], None),
            (5, "$.derived.ledgers: must be a list"),
            ([5], "$.derived.ledgers[0]: must be text"),
            (["abc"], "$.ledger: a hash is 64 hexadecimal digits"),
        ],
        "derived.other": [(1, "$.derived: unknown field 'other'")],
        "sources.0": [("0", "$.sources: a release id is 32 hexadecimal digits")],
        "parts.0.noise": [
            (None, "$.parts[0].noise: belongs to releases with sources"),
            ({}, "$.parts[0].noise: must be a list"),
        ],
        "parts.0.noise.0.mechanism": [
            ("none", "$.parts[0].noise[0].mechanism: must be one of laplace")
        ],
        "parts.0.noise.0.scales": [
            ([1.0] * 4, "$.parts[0].noise: noise must have 5 scales"),
            ([0.0] * 5, "$.parts[0].noise: noise must have 5 scales from 2^-10 to"),
            ([2.0**60] * 5, "$.parts[0].noise: noise must have 5 scales from 2^-10"),
            (["1"] * 5, "$.parts[0].noise[0].scales[0]: must be a number"),
        ],
        "parts.0.noise.0.counts": [
            ([], "$.parts[0].noise: noise must have 5 scales from"),
            ([1, 1], "$.parts[0].noise: noise must have 5 scales from"),
            ([-1], "$.parts[0].noise[0].counts[0]: must lie between 0 and"),
            ([2**40], "$.parts[0].noise[0].counts[0]: must lie between 0 and"),
            ([1.5], "$.parts[0].noise[0].counts[0]: must be a whole number"),
        ],
    },
    "guesses": {
        "parts.0.beside.0.guess": [
            (LEFT_OUT, "$.parts[0].beside[0]: field 'guess' is missing."),
            (1e300, "$.parts[0]: the guess of a ratio must be 0, or between"),
            (1.0, "$.parts[0].beside: steps must be the lattice of the bounds"),
        ],
        "parts.0.beside.0.basis": [("y", "$.parts[0].beside[0].basis: must be one of")],
        "parts.0.beside.0.steps": [
            ([0.5] * 5, "$.parts[0].beside: steps must be the lattice of the bounds"),
            ([0.5] * 4, "$.parts[0].beside: steps must be the lattice of the bounds"),
        ],
        "parts.0.beside.0.other": [(1, "$.parts[0].beside[0]: unknown field 'other'")],
        "parts.0.beside.0.noise.0.scales": [
            ([2.0**28] * 4, "$.parts[0].noise: noise must have 5 scales")
        ],
        "parts.0.beside.0.noise.0.counts": [
            ([1, 1, 1], "$.parts[0].noise: noise must")
        ],
        "values.0": [
            (
                [["1"] * 9],
                "$.parts[0]: values must be 1 rows of 5 sums, got shape (1, 4",
            )
        ],
    },
    "stages": {
        "parts.0.stages": [
            (LEFT_OUT, "$.parts: what was measured must be what the noisy totals of")
        ],
        "parts.0.stages.guess": [
            (2.25, "$.parts: what was measured must be what the noisy totals"),
            (0.0, "$.parts: what was measured must be what the noisy totals"),
            (None, "$.parts[0].stages.guess: must be a number"),
            (1e300, "$.parts[0]: the guess of a ratio must be"),
        ],
        "parts.0.stages.totals": [
            (["1"], "$.parts[0].stages: the totals of a first stage are two whole"),
            (["1", str(2**63)], "$.parts[0].stages: the totals of a first stage are"),
            (["1", 1], "$.parts[0].stages.totals[1]: must be text, got 1."),
            (["1", "1"], "$.parts: what was measured must be what the noisy totals"),
        ],
        "parts.0.stages.sums.0.scale": [(1e6, "$.parts: what was measured must be")],
        "parts.0.stages.sums.0.step": [(1.0, "$.parts: what was measured must be")],
    },
}
CASES = [
    (name, place, value, message)
    for name, places in EDITS.items()
    for place, edits in places.items()
    for value, message in edits
]


@pytest.mark.parametrize(("name", "place", "value", "message"), CASES)
def test_an_edit_with_a_new_checksum_is_refused_where_it_breaks_a_rule(
    name: str, place: str, value: object, message: str | None, tmp_path: Path
) -> None:
    document = copy.deepcopy(DOCUMENTS[name])
    if value is LEFT_OUT:
        *parents, last = split(place)
        del at(document, tuple(parents))[last]
    elif place:
        edit(document, place, value)
    else:
        document[""] = value
    if message is None:
        release_from_bytes(signed(document).encode())
    else:
        text = refusal(tmp_path / "edited.json", signed(document))
        assert text.startswith(message)


def test_the_same_guess_stands_once(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENTS["guesses"])
    document["parts"][0]["beside"] *= 2
    document["values"] = [[[*row, *row[5:]] for row in document["values"][0]]]
    message = "$.parts[0].beside: sums may stand side by side only if their guesses"
    assert refusal(tmp_path / "edited.json", signed(document)).startswith(message)


def test_sums_around_other_guesses_have_several_sources(tmp_path: Path) -> None:
    document = copy.deepcopy(DOCUMENTS["guesses"])
    del document["sources"][1:]
    message = "$.parts: sums around other guesses belong to releases that were merged"
    assert refusal(tmp_path / "edited.json", signed(document)).startswith(message)


# --- Damaged files --------------------------------------------------------------------


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    whole = GOLDEN.read_bytes()
    path = tmp_path / "cut.json"
    for end in range(0, len(whole) - 1, 97):
        path.write_bytes(whole[:end])
        with pytest.raises((DocumentRefused, FileRefused), match=r"^\$: not valid|UTF"):
            read_release(path)


@pytest.mark.parametrize("name", ["golden", "focused"])
def test_every_single_edit_is_refused_with_a_path(name: str, tmp_path: Path) -> None:
    places = list(leaves(DOCUMENTS[name]))
    assert len(places) > 60
    for place in places:
        document = copy.deepcopy(DOCUMENTS[name])
        alter(document, place)
        message = refusal(tmp_path / "edited.json", json.dumps(document))
        assert message.startswith("$."), (place, message)
        if place[0] not in {"format", "version"}:
            assert message.startswith("$.sha256: the document was edited"), place


@pytest.mark.parametrize("length", [1, 2])
def test_swapped_sums_are_refused(length: int, tmp_path: Path) -> None:
    document = golden_document()
    values = document["values"][0]
    document["values"] = [values[length:] + values[:length]]
    assert "checksum" in refusal(tmp_path / "edited.json", json.dumps(document))


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "null", "{}", '{"format": 1}'])
def test_another_document_is_refused_as_such(text: str, tmp_path: Path) -> None:
    message = "$.format: this is not a dpratio-release document."
    assert refusal(tmp_path / "other.json", text) == message


def inject(pattern: str, text: str) -> Callable[[str], str]:
    return lambda golden: golden.replace(pattern, text, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (inject('"sha256":', '"sha": "", "sha256":'), "$.sha256: the document was"),
        (inject('"version":1', '"version":1,"version":1'), "$: a field is given twice"),
        (inject('"column":"', '"column":"a","column":"'), "$: a field is given twice"),
        (inject('"41943040000"', "NaN"), "$: NaN is not a number a document may hold."),
        (inject('"41943040000"', "41943040000"), "$.sha256: the document was edited"),
        (inject('"41943040000"', "1e999"), "$: a document holds finite numbers."),
        (inject('"41943040000"', r'"\ud800"'), "$: text in a document must be valid"),
        (inject('"version":1', '"version": Infinity'), "$: Infinity is not a number"),
        (inject('"version":1', '"version": 1e999'), "$.version: must be a whole"),
        (inject('"version":1', '"version": ' + "1" * 5000), "$"),
        (lambda golden: golden + "{}", "$: not valid JSON at character "),
        (lambda golden: "\ufeff" + golden, "$: not valid JSON at character 0;"),
        (lambda _: "", "$: not valid JSON at character 0; the file may be truncated."),
        (lambda _: "[" * 100_000, "$: not valid JSON at character 0;"),
        (lambda _: '{"a":' * 100_000, "$: not valid JSON at character 0;"),
    ],
)
def test_a_document_made_to_break_the_reader_is_refused(
    change: Callable[[str], str], message: str, tmp_path: Path
) -> None:
    text = change(GOLDEN.read_text(encoding="utf-8"))
    assert refusal(tmp_path / "hostile.json", text).startswith(message)


def test_a_release_without_a_checksum_is_refused(tmp_path: Path) -> None:
    document = golden_document()
    text = json.dumps({**document, "sha256": 5})
    assert refusal(tmp_path / "a.json", text) == "$.sha256: must be text, got 5."
    del document["sha256"]
    text = json.dumps(document)
    assert refusal(tmp_path / "a.json", text) == "$: field 'sha256' is missing."


@pytest.mark.parametrize("strategy", quick_first(["focused", "even", "joint"]))
@pytest.mark.parametrize(
    ("epsilon", "scale"),
    [("9" * 100, None), ("100000000", None), ("1000000", 2.0**-10), ("1", 2.0**-10)],
)
def test_an_absurd_budget_or_noise_is_refused_at_once(
    epsilon: str, scale: float | None, strategy: str, tmp_path: Path
) -> None:
    """Certifying it would need e to the power of epsilon, digit by digit."""
    plan = plan_scores(
        Budget(1, "1e-6"), strategy=strategy, mechanism="analytic_gaussian"
    )
    document = document_of(only_question(plan, [[0] * 5], id="0" * 32, made_by=""))
    document["plan"]["study"]["privacy"]["epsilon"] = epsilon
    for measured in document["plan"]["measurements"][0]["sums"]:
        measured["scale"] = scale or measured["scale"]
    start = time.perf_counter()
    assert refusal(tmp_path / "a.json", signed(document)).startswith("$.plan")
    assert time.perf_counter() - start < 30
