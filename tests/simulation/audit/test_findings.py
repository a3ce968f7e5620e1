"""What is claimed, planned and shown becomes a verdict."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from dpratio.errors import InvalidInput
from dpratio.simulation.audit.audit_noise import audit_noise
from dpratio.simulation.audit.findings import (
    OTHER_LAW,
    REPEATED,
    SOUND,
    TOO_FEW,
    TOO_LITTLE,
    Audit,
    Finding,
)
from dpratio.simulation.audit.refute import BITS, EXACT, REPEATS, Fault


def fault(kind: str) -> Fault:
    return Fault(kind, "ww", "so", 9, 1_000, 0.5, -20.0)


def finding(*, planned: float, shown: float) -> Finding:
    return Finding(
        mechanism="laplace",
        strategy="joint",
        unit="row",
        epsilon=Fraction(2),
        measure="epsilon",
        units=3.0,
        claimed=2.0,
        planned=planned,
        shown=shown,
    )


@pytest.mark.parametrize(
    ("planned", "shown", "verdict"),
    [
        (2.0, 1.9, SOUND),
        (2.0, 2.0, SOUND),
        (2.0, 2.001, TOO_LITTLE),
        (2.0, 1.79, TOO_FEW),
        (1.0, 0.95, SOUND),
        (1.0, 1.01, TOO_LITTLE),
        (2.1, 1.5, TOO_LITTLE),
        (2.0, 0.0, TOO_FEW),
    ],
)
def test_no_more_is_planned_than_claimed_nor_shown_than_planned(
    planned: float, shown: float, verdict: str
) -> None:
    found = finding(planned=planned, shown=shown)
    assert found.verdict == verdict
    assert found.share == shown / 2.0


@pytest.mark.parametrize(("noise", "verdict"), [(1.01, SOUND), (0.99, TOO_LITTLE)])
def test_one_sum_with_too_little_noise_is_enough(noise: float, verdict: str) -> None:
    assert replace(finding(planned=2.0, shown=1.9), noise=noise).verdict == verdict


@pytest.mark.parametrize(
    ("kinds", "law", "verdict"),
    [
        (None, None, SOUND),
        ((), "as planned", SOUND),
        ((EXACT, BITS), "exact sums, low bits", OTHER_LAW),
        ((REPEATS,), "repeats", REPEATED),
    ],
)
def test_noise_that_fails_a_test_of_its_law_is_not_sound(
    kinds: tuple[str, ...] | None, law: str | None, verdict: str
) -> None:
    faults = None if kinds is None else tuple(fault(each) for each in kinds)
    found = replace(finding(planned=2.0, shown=1.9), faults=faults)
    assert found.law == law
    assert found.verdict == verdict
    # Too little noise is said first.
    assert replace(found, noise=0.9).verdict == TOO_LITTLE


def test_faults_are_said_with_their_case() -> None:
    sound = finding(planned=2.0, shown=1.9)
    broken = replace(sound, faults=(fault(EXACT), fault(BITS)))
    assert Audit((sound, replace(sound, faults=())), 100).faults() == []
    said = "9 of 1,000 noises of ww are so; 0.5 were expected."
    assert Audit((sound, broken), 100).faults() == [
        f"laplace, joint, row, epsilon 2: {kind}: {said}" for kind in (EXACT, BITS)
    ]


def test_findings_are_a_table_with_sentences_above() -> None:
    found = Audit(
        (finding(planned=2.0, shown=1.9), finding(planned=2.0, shown=2.2)), 5_000
    )
    assert found.with_verdict(SOUND) == found.with_verdict(TOO_LITTLE) == 1
    assert found.columns()["share"] == [0.95, 1.1]
    assert found.columns()["verdict"] == ["sound", "too little noise"]
    text = str(found)
    assert text.startswith("5,000 samples of each")
    assert "wrong with probability 1e-06 at most" in text
    assert "any of these tests with probability 1e-06 at most" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"samples": 99}, "samples must be a whole number of at least 100, got 99"),
        ({"samples": 1e5}, "samples must be a whole number"),
        ({"mechanisms": ["laplac"]}, "Did you mean 'laplace'"),
        ({"strategies": ["evn"]}, "unknown strategy"),
        ({"units": ["rows"]}, "Did you mean 'row'"),
        ({"epsilons": ["0"]}, "epsilon must be positive"),
        ({"epsilons": ["0.001"]}, "an epsilon from 0.01 to 100, got '0.001'"),
        ({"epsilons": ["101"]}, "an epsilon from 0.01 to 100"),
        ({"epsilons": []}, "nothing is left to audit"),
        ({"strategies": ["keys"], "units": ["person"]}, "nothing is left to audit"),
        (
            {"mechanisms": ["classical_gaussian"], "epsilons": ["7"]},
            "nothing is left to audit",
        ),
    ],
)
def test_options_that_break_a_rule_are_refused(
    options: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=said):
        audit_noise(folder=tmp_path, **options)  # type: ignore[arg-type]
    assert not any(tmp_path.glob("*.json"))


def test_progress_reaches_its_end_and_never_goes_back(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    audit_noise(
        folder=tmp_path,
        samples=100,
        epsilons=["4"],
        mechanisms=["laplace"],
        strategies=["joint", "keys"],
        units=["row"],
        report=lambda done, total: told.append((done, total)),
    )
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len(told) == 5
    assert told[-1][0] == told[-1][1]
