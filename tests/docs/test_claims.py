"""Figures that pages state are those that were measured: docs/claims.md."""

import json
import re
from dataclasses import replace

import pytest

from claim import Claim, Sentence, read_claims, read_sentences
from claims_page import PAGE, page_of
from docs.page_blocks import ROOT
from dpratio.simulation.coverage.one_query import measure_one_query
from measure_claims import measured
from readings import READINGS, read_figure

PAGES = ("README.md", "docs/index.md")

# Numbers that are a rule, a choice or a name, not a result that was measured.
NOT_RESULTS = (
    r"Python 3\.11",
    r"## In ten lines",
    r"Otherwise it is 1 for a score in .* with 5 % of epsilon",
    r"month or quarter",
    r"Output fits 80 characters",
    r"may hold half a line",
    r"Exit codes: 0 done, .* 143 terminated",
    r"Priced twice",
    r"Journal of Data Science, 2022",
    r"Apache-2\.0",
)
_NUMBER = re.compile(
    r"\d[\d.,]*|\b(?:ten|eleven|twelve|twenty|dozens?|hundreds?|thousands?|millions?|"
    r"billions?|half|halves|thirds?|quarters?|fifths?|tenths?|twice)\b"
)


def prose(page: str) -> str:
    """Give a page without its code, on one line."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`]*`|--8<--", "", text, flags=re.DOTALL)
    return " ".join(text.split())


def unmeasured(page: str, text: str) -> list[str]:
    """Name what a page says wrongly or without a measurement."""
    claims, wrong = read_claims(), []
    for sentence in read_sentences():
        if sentence.page == page:
            stated = sentence.stated(claims)
            wrong += [] if stated in text else [f"not said: {stated}"]
            text = text.replace(stated, "")
    text = re.sub("|".join(NOT_RESULTS), "", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return wrong + [
        text[max(0, at.start() - 30) :][:60] for at in _NUMBER.finditer(text)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_result_on_a_page_is_measured(page: str) -> None:
    """Measure it: tools/claims/measure_claims.py. If it is no result: NOT_RESULTS."""
    assert unmeasured(page, prose(page)) == []


@pytest.mark.parametrize("page", PAGES)
def test_a_changed_figure_is_noticed(page: str) -> None:
    text = prose(page)
    stated = [
        each.stated(read_claims()) for each in read_sentences() if each.page == page
    ]
    assert stated
    for sentence in stated:
        *_, last = (at for at in re.finditer(r"\d", sentence))
        other = "7" if last[0] != "7" else "8"
        changed = sentence[: last.start()] + other + sentence[last.end() :]
        assert unmeasured(page, text.replace(sentence, changed)) != []
    assert unmeasured(page, f"{text} It is 40 % faster.") != []
    assert unmeasured(page, f"{text} It is twice as fast.") != []


def test_the_page_of_claims_is_made_from_them() -> None:
    """After a change: .venv/bin/python tools/claims/measure_claims.py --page."""
    assert PAGE.read_text(encoding="utf-8") == page_of(read_claims())


def test_claims_are_told_apart_and_can_be_measured() -> None:
    claims = read_claims()
    assert len({each.id for each in claims}) == len(claims)
    for each in claims:
        lines = each.command.startswith(("python bench/", "make bench"))
        assert lines or each.reads in READINGS
        assert (each.runs > 1) == ("{seed}" in each.command)
        assert ("--seed" in each.command) == (each.error is not None)


def test_readings_find_their_figures_in_rows_of_a_simulation() -> None:
    rows = list(measure_one_query(repetitions=20, rng=1).rows)
    printed = json.dumps(rows)
    least, most = (read_figure(f"{name}_wider", printed) for name in ("least", "most"))
    assert least < read_figure("most_wider_from_half", printed) <= most
    assert read_figure("narrower_than_paper", printed) == pytest.approx(11, rel=0.2)
    assert read_figure("mean_coverage", printed) == pytest.approx(0.95, abs=0.05)
    assert read_figure("least_coverage", printed) < 0.95
    bench = "one_figure 3.5 <=4\none_figure_more 7 -\n"
    assert read_figure("one_figure", bench) == 3.5


def test_a_seeded_command_is_run_for_each_seed() -> None:
    claim = Claim(
        id="seeds",
        claim="A line for each seed",
        command="python -c 'print(\"line\", {seed} ** 2)'",
        reads="line",
        unit="",
        runs=3,
        long=False,
        figure=0.0,
        error=None,
        date="",
        commit="",
    )
    found = measured(claim)
    assert found.figure == pytest.approx(14 / 3, rel=1e-3)
    assert found.error == pytest.approx(2.3, abs=0.05)
    assert found.date
    once = replace(claim, command="python -c 'print(\"line\", 2)'", runs=1)
    assert (measured(once).figure, measured(once).error) == (2, None)


def test_a_sentence_states_rounded_figures() -> None:
    claims = [replace(read_claims()[0], id="share", figure=14.96)]
    assert Sentence("README.md", "{share:.0f} %").stated(claims) == "15 %"
