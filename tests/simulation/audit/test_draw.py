"""Samples are what they should be: exact sums of neighbours, and noise."""

from dataclasses import replace
from pathlib import Path

import pytest

from dpratio.simulation.audit.draw import Door, look_at, released_by
from dpratio.simulation.audit.invent import chunks_of, releases_of
from dpratio.simulation.audit.pair import find_pair
from dpratio.simulation.audit.question import QUESTIONS, plan_for
from dpratio.terms.study import MEASURED, UNMEASURED
from simulation.audit.faults import fix_bits, leave_out_noise


@pytest.mark.parametrize("unit", QUESTIONS)
@pytest.mark.parametrize(
    ("strategy", "clipping", "epsilon"),
    [
        ("focused", UNMEASURED, "1"),
        ("even", UNMEASURED, "30"),
        ("focused", UNMEASURED, "30"),
        ("joint", UNMEASURED, "55"),
        ("focused", UNMEASURED, "100"),
        ("focused", MEASURED, "1"),
        ("focused", MEASURED, "30"),
        ("focused", MEASURED, "100"),
    ],
)
def test_without_noise_a_sample_holds_the_sums_that_were_worked_out(
    unit: str,
    strategy: str,
    clipping: str,
    epsilon: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Values are written beyond their bounds: the engine has clipped them."""
    leave_out_noise(monkeypatch)
    question = QUESTIONS[unit]
    plan = plan_for(
        question,
        strategy=strategy,
        mechanism="laplace",
        epsilon=epsilon,
        clipping=clipping,
    )
    counts_cuts = plan.measurements[0].sums[-1].summand.factors == ("c",)
    assert counts_cuts == (clipping == MEASURED)
    pair = find_pair(plan, question)
    door = Door(tmp_path)
    for side, exact in zip((pair.first, pair.second), pair.exact, strict=True):
        (values,) = released_by(door, plan, question, pair, 3)(side)
        # To the last cell: otherwise noise of 0 would not be known as such.
        assert values.tolist() == [exact.tolist()] * 3


def test_samples_are_divided_between_releases_that_fit() -> None:
    assert chunks_of(100_000, 1) == [(100_000, 1)]
    assert chunks_of(100_000, 0) == [(100_000, 1)]
    assert chunks_of(1_000_000, 10) == [(100_000, 10)]
    assert chunks_of(100_000, 165) == [(12_121, 8), (3_032, 1)]
    assert chunks_of(5, 10**9) == [(1, 5)]


def test_counts_are_of_all_samples_and_every_release_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix_bits(monkeypatch, seed=1)
    monkeypatch.setattr("dpratio.simulation.audit.invent._ROWS_AT_ONCE", 2_000)
    question = QUESTIONS["row"]
    plan = plan_for(question, strategy="joint", mechanism="laplace", epsilon="1")
    pair = replace(find_pair(plan, question), copies=7)
    told: list[None] = []
    door = Door(tmp_path, tick=lambda: told.append(None))
    draw = released_by(door, plan, question, pair, 1_000)
    seen = look_at(plan, question, pair, 1_000, draw)
    counts = seen.counts
    assert len(told) == releases_of(question, pair, 1_000) == 8
    assert [each.samples for each in counts] == [1_000] * 3
    assert [each.at for each in counts] == pytest.approx([-3.5, 0, 3.5])
    for each in counts:
        assert 0 < each.second < each.first < 1_000
    # Fewer samples look like the first table the more that asks for.
    assert sorted((each.first for each in counts), reverse=True) == [
        each.first for each in counts
    ]
    assert seen.drawn == seen.tally.drawn == 2_000
    assert len(seen.large) == len(plan.measurements[0].sums)
    for large in seen.large:
        assert 0.1 < large / seen.drawn < 0.3
