"""An edit of a release that was signed again is refused where it breaks a rule."""

import copy
import json
import time
from collections.abc import Callable

import pytest

from dpratio.errors import DocumentRefused, FileRefused
from dpratio.release.files import release_from_bytes
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
READ = None

# By release and place: what is put there, and where it is refused, with a key phrase
# of the message where that place has several rules.
Edits = list[tuple[object, str | None]]
Q = "$.questions[0]"
EDITS: dict[str, dict[str, Edits]] = {
    "golden": {
        "": [("", "$: unknown field ''")],
        "id": [
            *(("0011", "$.id: a release id"), ("A" * 32, "$.id: a release id")),
            *((5, "$.id: must be text"), (LEFT_OUT, "$: field 'id' is missing")),
        ],
        "made_by": [
            *((None, "$.made_by: must be text"), ("a\x00b", "$.made_by: must be text"))
        ],
        "is_simulated": [
            *((value, "$.is_simulated: must be true") for value in ("no", 1, None)),
            *((False, "$.is_simulated: must be true"), (LEFT_OUT, READ)),
        ],
        "format": [("dpratio", "$.format: this is no release")],
        "version": [
            *((number, "$.version: use the dpratio") for number in (0, 2)),
            *((odd, "$.version: must be a whole") for odd in ("1", True, 1.5)),
            (LEFT_OUT, "$.version: must be a whole"),
        ],
        "ledger_head": [
            *((HEAD, READ), ("abc", "$.ledger_head: a hash is")),
            (None, "$.ledger_head: must be text"),
        ],
        "source_hash": [(HEAD, READ), ("abc", "$.source_hash: a hash is")],
        "ledger_heads": [
            *(([HEAD], READ), (5, "$.ledger_heads: must be a list")),
            *(([5], "$.ledger_heads[0]: must be"), (["a"], "$.ledger_heads: a hash")),
        ],
        "sources": [
            *((None, "$.sources: must be a list"), (["0" * 32], READ)),
            (["0"], "$.sources: a release id is"),
        ],
        "cost_if_disjoint": [
            ({"epsilon": "7", "delta": "0"}, "$.cost_if_disjoint: one of several"),
            ({"epsilon": "0", "delta": "0"}, "$.cost_if_disjoint.epsilon: epsilon"),
            ({"epsilon": "1/2", "delta": "1/10"}, "$.cost_if_disjoint: one of several"),
        ],
        "plan": [(None, "$.plan: must be a table")],
        "plan.study.privacy.epsilon": [("1/2", "$.plan: the noise of")],
        "plan.study.privacy.strategy": [("external", "$.plan.study.privacy.strategy")],
        "plan.study.privacy.mechanism": [("none", "$.plan.study: ")],
        "plan.study.bounds.weight": [([-1, 3], "$.plan: the plan's terms break")],
        "plan.study.bounds.score": [
            ([0, 1.25], "$.plan: lattice step and sensitivity of"),
            # Fewer values fit than were promised, and nothing else changes.
            ("binary", READ),
        ],
        "plan.study.ratio.guess": [(2, READ)],  # Remembered, and without a use here.
        "plan.study.groups.keys": [(["a", "b"], f"{Q}.values: values must be 2 rows")],
        "plan.measurements.0.sums.0.scale": [(-1, "$.plan: the noise of")],
        "questions": [
            *((None, "$.questions: must be a list"), ([], "$.questions: there must")),
        ],
        "questions.0": [([], f"{Q}: must be a table"), ({}, f"{Q}: field 'values' is")],
        "questions.0.more": [(1, f"{Q}: unknown field 'more'")],
        "questions.0.groups": [
            ({"column": "g", "keys": ["a"]}, f"{Q}.groups: belongs to keys"),
            (None, f"{Q}.groups: must be"),
        ],
        "questions.0.noise": [
            (
                [{"law": "laplace", "scales": [1.0] * 6, "counts": [1]}],
                "$.sources: noise of several draws",
            )
        ],
        "questions.0.stages": [
            (
                {"totals": ["1", "1"], "guess": 1, "basis": "sum", "sums": []},
                f"{Q}.values: values must be rows of 0",
            )
        ],
        "questions.0.values": [
            *(({}, f"{Q}.values: must be a list"), ([], f"{Q}.values: values must be")),
            *((rows, f"{Q}.values: ") for rows in ([["1"] * 6], [["1"] * 5] * 3)),
            (["123456"] * 3, f"{Q}.values[0]: must be a list"),
        ],
        "questions.0.values.1": [
            *((row, f"{Q}.values[1]: must be a list") for row in ("123456", {"1": 1})),
            *((["1"] * n, f"{Q}.values[1]: must hold 6") for n in (1, 7)),
        ],
        "questions.0.values.1.2": [
            *(
                (text, f"{Q}.values[1][2]: must be a whole number written as text")
                for text in (
                    "",
                    "x",
                    "1.0",
                    "1e3",
                    "+1",
                    "01",
                    "-0",
                    " 1",
                    "1\n",
                    "1_0",
                )
            ),
            ("٣", f"{Q}.values[1][2]: must be a whole number written as text"),
            *((odd, f"{Q}.values[1][2]: must be text") for odd in (10, 1.5, None)),
            *(
                (str(number), f"{Q}.values[1]: must hold 6 sums of 64 bits")
                for number in (2**63, -(2**63) - 1, 10**60)
            ),
            (str(-(2**63)), f"{Q}.values: values must be whole numbers"),
        ],
    },
    "focused": {
        "plan.study.ratio.guess": [(2, "$.plan: lattice step and sensitivity of")],
        "plan.measurements.0.sums.0.scale": [
            *((2.0**24, "$.plan: the noise of the sums"), (12.0 * 2**24, READ)),
        ],
    },
    "found: text": {
        "questions.0.groups": [
            *(
                (keys, f"{Q}.groups: must be keys of 'g', all text")
                for keys in (
                    {"column": "h", "keys": ["a", "b"]},
                    {"column": "g", "keys": [{"integer": "1"}, {"integer": "2"}]},
                    {"column": "g", "keys": ["a", {"missing": True}]},
                    {"column": "g", "every": "day", "first": "2026-01-01"}
                    | {"last": "2026-01-02"},
                    {"column": "g", "find": {"epsilon": "1", "delta": "1/2"}},
                )
            ),
            (LEFT_OUT, f"{Q}.groups: must be keys of 'g'"),
        ],
    },
    "merged": {
        "sources": [(LEFT_OUT, "$.sources: noise of several draws")],
        "cost_if_disjoint": [(LEFT_OUT, READ)],
        "questions.0.noise": [
            *(([], f"{Q}.noise: must be"), ({}, f"{Q}.noise: must be a list")),
            (None, f"{Q}.noise: must be a list"),
        ],
        "questions.0.noise.0.law": [("none", f"{Q}.noise[0].law: must be one of")],
        "questions.0.noise.0.scales": [
            *(
                ([size] * count, f"{Q}.noise: noise must have 5 scales")
                for size, count in ((1.0, 4), (0.0, 5), (2.0**60, 5))
            ),
            (["1"] * 5, f"{Q}.noise[0].scales[0]: must be a number"),
        ],
        "questions.0.noise.0.counts": [
            *((odd, f"{Q}.noise: noise must have 5") for odd in ([], [1, 1])),
            *(([odd], f"{Q}.noise[0].counts[0]: must") for odd in (-1, 2**40, 1.5)),
        ],
    },
    "guesses": {
        "sources": [
            (sources, "$.sources: sums around other guesses")
            for sources in (LEFT_OUT, ["0" * 32])
        ],
        "questions.0.others.0.guess": [
            (LEFT_OUT, f"{Q}.others[0]: field 'guess' is missing"),
            (1e300, f"{Q}: the guess of a ratio must be"),
        ],
        "questions.0.others.0.basis": [("y", f"{Q}.others[0].basis: must be one of")],
        "questions.0.others.0.other": [(1, f"{Q}.others[0]: unknown field 'other'")],
        "questions.0.others.0.noise.0.scales": [
            ([2.0**28] * 4, f"{Q}.noise: noise must have 5 scales")
        ],
        "questions.0.others.0.values": [
            ([["1"] * 4], f"{Q}.values: values must be rows of 5 sums"),
            ([["1"] * 5] * 2, f"{Q}.values: values must be 1 rows"),
        ],
    },
    "stages": {
        "questions.0.stages": [(LEFT_OUT, "$.questions: a release answers")],
        "questions.0.stages.guess": [
            *((guess, "$.questions: a release answers") for guess in (2.25, 0.0)),
            *((None, f"{Q}.stages.guess: must be"), (1e300, f"{Q}: the guess of")),
        ],
        "questions.0.stages.totals": [
            *(
                (totals, f"{Q}.stages: the totals")
                for totals in (["1"], ["1", "9" * 20])
            ),
            *(
                (["1", 1], f"{Q}.stages.totals[1]: must be"),
                (["1"] * 2, "$.questions:"),
            ),
        ],
        "questions.0.stages.sums.0.scale": [(1e6, "$.questions: a release answers")],
        "questions.0.stages.sums.0.step": [(1.0, "$.questions: a release answers")],
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
    name: str, place: str, value: object, message: str | None
) -> None:
    document = copy.deepcopy(DOCUMENTS[name])
    if value is LEFT_OUT:
        *parents, last = split(place)
        del at(document, tuple(parents))[last]
    elif place:
        edit(document, place, value)
    else:
        document[""] = value
    if message is READ:
        release_from_bytes(signed(document))
    else:
        assert refusal(signed(document)).startswith(message)


def test_the_same_guess_stands_once() -> None:
    document = copy.deepcopy(DOCUMENTS["guesses"])
    document["questions"][0]["others"] *= 2
    assert refusal(signed(document)).startswith(f"{Q}.others: the first sums are")


# --- Damaged documents ----------------------------------------------------------------


def test_a_truncated_document_is_refused_wherever_it_ends() -> None:
    whole = GOLDEN.read_bytes()
    for end in range(0, len(whole) - 1, 97):
        with pytest.raises((DocumentRefused, FileRefused), match=r"not valid|UTF-8"):
            release_from_bytes(whole[:end])


@pytest.mark.parametrize("name", ["golden", "focused"])
def test_every_single_edit_is_refused_with_a_path(name: str) -> None:
    places = list(leaves(DOCUMENTS[name]))
    assert len(places) > 55
    for place in places:
        document = copy.deepcopy(DOCUMENTS[name])
        alter(document, place)
        message = refusal(json.dumps(document).encode())
        assert message.startswith("$."), (place, message)
        if place[0] not in {"format", "version"}:
            assert message.startswith("$.sha256: the document was edited"), place


@pytest.mark.parametrize("length", [1, 2])
def test_swapped_sums_are_refused(length: int) -> None:
    document = golden_document()
    values = document["questions"][0]["values"]
    document["questions"][0]["values"] = values[length:] + values[:length]
    assert "checksum" in refusal(json.dumps(document).encode())


def inject(pattern: str, text: str) -> Callable[[str], str]:
    return lambda golden: golden.replace(pattern, text, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (inject('"sha256":', '"sha":"","sha256":'), "$.sha256: the document was"),
        (inject('"sha256":', '"sha":'), "$.sha256: must be text"),
        (inject('"sha256":"', '"sha256":5,"sha":"'), "$.sha256: must be text"),
        (inject('"version":1', '"version":1,"version":1'), "$: a field is given twice"),
        (inject('"column":"', '"column":"a","column":"'), "$: a field is given twice"),
        (inject('"41943040000"', "NaN"), "$: NaN is not a number"),
        (inject('"41943040000"', "41943040000"), "$.sha256: the document was edited"),
        (inject('"41943040000"', "1e999"), "$: a document holds finite numbers"),
        (inject('"41943040000"', r'"\ud800"'), "$: text in a document must be valid"),
        (inject('"version":1', '"version":Infinity'), "$: Infinity is not a number"),
        (inject('"version":1', '"version":1e999'), "$.version: must be a whole"),
        (inject('"version":1', '"version":' + "1" * 5000), "$"),
        (lambda golden: golden + "{}", "$: not valid JSON"),
        (lambda golden: "\ufeff" + golden, "$: not valid JSON"),
        (lambda _: "", "$: not valid JSON"),
        (lambda _: "[" * 100_000, "$: not valid JSON"),
        (lambda _: '{"a":' * 100_000, "$: not valid JSON"),
        *(
            (lambda _, text=text: text, "$.format: this is no release")
            for text in ("[]", "1", '"x"', "null", "{}", '{"format": 1}')
        ),
    ],
)
def test_a_document_made_to_break_the_reader_is_refused(
    change: Callable[[str], str], message: str
) -> None:
    text = change(GOLDEN.read_text(encoding="utf-8"))
    assert refusal(text.encode()).startswith(message)


@pytest.mark.parametrize("strategy", quick_first(["focused", "even", "joint"]))
@pytest.mark.parametrize(
    ("epsilon", "scale"),
    [("9" * 100, None), ("100000000", None), ("1000000", 2.0**-10), ("1", 2.0**-10)],
)
def test_an_absurd_budget_or_noise_is_refused_at_once(
    epsilon: str, scale: float | None, strategy: str
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
    assert refusal(signed(document)).startswith("$.plan")
    assert time.perf_counter() - start < 30
