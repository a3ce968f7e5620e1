"""Histograms are audited, and wrong noise, prices and counts of theirs are found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpratio.simulation.audit import draw
from dpratio.simulation.audit.audit_noise import audit_noise
from dpratio.simulation.audit.draw import Door
from dpratio.simulation.audit.findings import BROKEN, SOUND, TOO_LITTLE, Finding
from dpratio.simulation.audit.histograms import histogram_audit
from simulation.audit.faults import fix_bits, forget_sensitivity, scale_noise

UNITS = ("row", "changed-row", "person")


@pytest.fixture(autouse=True)
def fixed_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same noise in every run, so that a red run can be repeated."""
    fix_bits(monkeypatch, 27, draw)


def audited(folder: Path, **options: Any) -> tuple[Finding, ...]:  # noqa: ANN401
    return audit_noise(folder=folder, strategies=["histograms"], **options).findings


def test_histograms_of_this_installation_keep_their_word(tmp_path: Path) -> None:
    found = audited(tmp_path)
    assert [(each.unit, float(each.epsilon)) for each in found] == [
        ("row", 0.2),
        ("row", 1),
        ("row", 4),
        ("changed-row", 4),
        ("person", 4),
    ]
    assert {each.verdict for each in found} == {SOUND}
    assert all(0.95 < each.share <= 1 for each in found)
    assert all(each.planned == pytest.approx(each.claimed) for each in found)


def test_noise_that_is_five_per_cent_too_small_is_flagged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale_noise(monkeypatch, 0.95)
    found = [*audited(tmp_path), *audited(tmp_path, epsilons=["1"], units=UNITS)]
    assert [each.verdict for each in found] == [TOO_LITTLE] * 8
    assert all(1 < each.share < 1 / 0.95 for each in found)


@pytest.mark.parametrize("unit", UNITS)
def test_a_price_that_forgets_how_often_a_unit_counts_is_flagged(
    unit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed row counts twice, and a person once in each group."""
    forget_sensitivity(monkeypatch)
    (found,) = audited(tmp_path, samples=2_000, epsilons=["4"], units=[unit])
    assert (found.verdict in BROKEN) == (unit != "row")


def test_an_engine_that_counts_people_too_often_is_flagged(tmp_path: Path) -> None:
    """They are in four groups: whoever is counted in all of them moves further."""
    audit = histogram_audit("person", "4")
    door = Door(tmp_path)
    assert audit.least_epsilon(door, 5_000) < audit.planned == pytest.approx(4)
    unit = replace(audit.plan.unit, most_groups=4)
    often = replace(audit, plan=replace(audit.plan, unit=unit))
    assert often.least_epsilon(door, 5_000) > audit.planned
