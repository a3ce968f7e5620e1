"""Faults that were put in are found, and sound code is never accused.

Noise comes from fixed bits, so that a red run can be repeated.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpratio.curator import measure
from dpratio.curator.noise import rounded
from dpratio.curator.sql import numbers, query
from dpratio.plan import make_plan as planning
from dpratio.plan import price, settle
from dpratio.plan.laws import NoiseLaw, Threshold, threshold_of
from dpratio.plan.sensitivity import joint
from dpratio.plan.sensitivity.joint import joint_ratio
from dpratio.plan.sensitivity.sums import Point, box_of, corners_of
from dpratio.simulation.audit.audit_noise import audit_noise
from dpratio.simulation.audit.findings import (
    BROKEN,
    OTHER_LAW,
    REPEATED,
    TOO_LITTLE,
    Finding,
)
from dpratio.simulation.audit.refute import REPEATS
from dpratio.terms.bounds import Bounds
from simulation.audit.faults import (
    always_even,
    fix_bits,
    repeat_noise,
    scale_key_noise,
    scale_noise,
    scale_one_sum,
    spoil_noise,
)
from soak import IS_SOAK

Auditor = Callable[..., tuple[Finding, ...]]

# The strategy of each mechanism, and the samples that a fault of 5 % needs.
MECHANISMS = {
    "laplace": ("focused", 100_000),
    "analytic_gaussian": ("joint", 50_000),
    "classical_gaussian": ("even", 50_000),
}


SAMPLES = 1_000_000 if IS_SOAK else 6_000
EPSILONS = ["0.2", "1", "4"] if IS_SOAK else ["4"]
LEAST_SHARE = 0.97 if IS_SOAK else 0.8


@pytest.fixture
def audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Auditor:
    """Audit rows at epsilon 4, a thousand samples of each table, unless told."""
    fix_bits(monkeypatch, seed=22)
    usual: dict[str, Any] = {"samples": 1_000, "epsilons": ["4"], "units": ["row"]}

    def audit(**options: Any) -> tuple[Finding, ...]:  # noqa: ANN401
        return audit_noise(folder=tmp_path, **usual | options).findings

    return audit


def verdicts(findings: Sequence[Finding]) -> set[str]:
    return {each.verdict for each in findings}


@pytest.mark.parametrize("epsilon", ["0.2", "1", "4"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_noise_that_is_five_per_cent_too_small_is_flagged(
    mechanism: str,
    epsilon: str,
    audited: Auditor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scale_noise(monkeypatch, 0.95)
    chosen, samples = MECHANISMS[mechanism]
    (finding,) = audited(
        samples=samples,
        epsilons=[epsilon],
        mechanisms=[mechanism],
        strategies=[chosen],
    )
    assert finding.verdict == TOO_LITTLE
    assert 1 < finding.share < 1 / 0.95


def test_noise_that_is_a_fifth_too_small_is_flagged_everywhere(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed rows and people too; few samples do."""
    scale_noise(monkeypatch, 0.8)
    scale_key_noise(monkeypatch, 0.8)
    others = ["changed-row", "person"]
    findings = [
        *audited(samples=5_000),
        *audited(samples=5_000, strategies=["joint"], units=others),
    ]
    assert len(findings) == 18
    silent = [each for each in findings if each.verdict != TOO_LITTLE]
    # Less noise on counts names fewer keys of one unit.
    assert [(each.strategy, each.measure) for each in silent] == [("keys", "delta")]


def test_sound_code_is_never_accused_and_shows_nearly_all_it_claims(
    audited: Auditor,
) -> None:
    findings = audited(samples=SAMPLES, epsilons=EPSILONS, units=None)
    assert not verdicts(findings) & set(BROKEN)
    cases = {(each.mechanism, each.strategy, each.unit) for each in findings}
    assert len(cases) == 35
    for each in findings:
        assert each.shown <= each.planned <= each.claimed * (1 + 1e-9), each
        assert each.shown >= LEAST_SHARE * each.planned or each.measure == "delta", each


def test_more_noise_than_planned_is_another_law_and_not_too_little(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Privacy is kept, but intervals are worked out from the noise that is stated."""
    scale_noise(monkeypatch, 1.3)
    findings = audited(
        samples=5_000,
        mechanisms=["laplace"],
        strategies=["focused", "joint", "even"],
    )
    assert verdicts(findings) == {OTHER_LAW}


@pytest.mark.parametrize("at", range(5))
def test_one_sum_with_too_little_noise_is_flagged_however_small_its_share(
    at: int, audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale_one_sum(monkeypatch, at, 0.9)
    (finding,) = audited(samples=10_000, mechanisms=["laplace"], strategies=["focused"])
    assert finding.verdict == TOO_LITTLE
    assert finding.noise is not None
    assert 0.9 < finding.noise < 1


def test_noise_that_is_used_for_all_sums_is_flagged(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells the tables apart less well than it should, until sums are subtracted."""
    repeat_noise(monkeypatch)
    (finding,) = audited(mechanisms=["analytic_gaussian"], strategies=["joint"])
    assert finding.share < 0.9
    assert finding.verdict == REPEATED


def test_a_generator_that_starts_anew_at_every_release_is_flagged(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def anew(count: int) -> bytes:
        return np.random.default_rng(7).bytes(count)

    monkeypatch.setattr(measure, "system_bits", anew)
    (finding,) = audited(mechanisms=["analytic_gaussian"], strategies=["joint"])
    assert finding.verdict == REPEATED
    assert finding.faults is not None
    assert REPEATS in {each.kind for each in finding.faults}


def test_sums_of_keys_that_were_found_are_looked_at_too(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil_noise(monkeypatch, always_even)
    of_loss, of_delta = audited(epsilons=["1"], strategies=["keys"])
    assert of_loss.law == "low bits"
    assert of_loss.verdict == OTHER_LAW
    assert of_delta.law is None


def test_a_sensitivity_that_forgets_a_corner_is_flagged(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planner and price agree on it; the furthest row does not."""

    def forgetful(*given: Any) -> tuple[Point, ...]:  # noqa: ANN401
        points = corners_of(*given)
        return tuple(each for each in points if each["w"] == points[0]["w"])

    monkeypatch.setattr(joint, "corners_of", forgetful)
    # Grids are kept: a right one from before would hide it, and this one would stay.
    monkeypatch.setattr(settle, "grid_of", joint.grid_of.__wrapped__)
    findings = audited(strategies=["focused"])
    assert verdicts(findings) == {TOO_LITTLE}
    assert all(each.planned > 2 * each.claimed for each in findings)
    assert all(each.shown > each.claimed for each in findings)


@pytest.mark.parametrize("unit", ["row", "changed-row", "person"])
def test_a_box_that_is_too_small_is_flagged(
    unit: str, audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planner and price believe it; engines clip at the declared bounds."""

    def halved(*given: Any) -> dict[str, Bounds]:  # noqa: ANN401
        box = box_of(*given)
        return {
            letter: Bounds(each.lower, (each.lower + each.upper) / 2)
            for letter, each in box.items()
        }

    monkeypatch.setattr(settle, "box_of", halved)
    findings = audited(strategies=["joint"], units=[unit])
    assert verdicts(findings) == {TOO_LITTLE}


def test_a_price_that_forgets_the_groups_of_a_person_is_flagged(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def once(law: NoiseLaw, grid: Any, scales: Any, *_: Any) -> Any:  # noqa: ANN401
        return joint_ratio(law, grid, scales)

    for room in (price, planning):
        monkeypatch.setattr(room, "unit_ratio", once)
    findings = audited(strategies=["joint"], units=["person"])
    assert verdicts(findings) == {TOO_LITTLE}


def test_values_that_are_not_clipped_are_flagged(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wide(dialect: Any, number: str, bounds: Bounds, **options: Any) -> str:  # noqa: ANN401
        if not bounds.is_binary:
            bounds = Bounds(4 * bounds.lower, 4 * bounds.upper)
        return numbers.clip(dialect, number, bounds, **options)

    monkeypatch.setattr(query, "clip", wide)
    findings = audited(mechanisms=["analytic_gaussian"], strategies=["joint"])
    assert verdicts(findings) == {TOO_LITTLE}


def test_a_threshold_for_keys_that_is_one_too_low_is_flagged(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def low(*given: Any) -> Threshold:  # noqa: ANN401
        right = threshold_of(*given)
        return replace(right, least=right.least - 1)

    monkeypatch.setattr(rounded, "threshold_of", low)
    findings = audited(samples=5_000, epsilons=["1"], strategies=["keys"])
    assert [each.measure for each in findings] == ["epsilon", "delta"]
    assert findings[1].verdict == TOO_LITTLE


def test_noise_on_counts_of_keys_that_is_too_small_is_flagged(
    audited: Auditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale_key_noise(monkeypatch, 0.95)
    findings = audited(samples=100_000, epsilons=["1"], strategies=["keys"])
    assert findings[0].verdict == TOO_LITTLE
