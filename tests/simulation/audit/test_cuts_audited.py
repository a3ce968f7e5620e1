"""The count of cut units is audited with the sums beside it, and faults are found."""

from pathlib import Path

import pytest

from dpratio.curator.sql import query
from dpratio.simulation.audit.audit_noise import audit_noise
from dpratio.simulation.audit.findings import BROKEN, TOO_LITTLE, Finding
from dpratio.simulation.audit.pair import find_pair
from dpratio.simulation.audit.question import QUESTIONS, plan_for
from dpratio.terms.study import MEASURED
from simulation.audit.faults import fix_bits, scale_one_sum


def audited(folder: Path, unit: str) -> Finding:
    (finding,) = audit_noise(
        folder=folder,
        samples=2_000,
        epsilons=["4"],
        mechanisms=["laplace"],
        strategies=["cuts"],
        units=[unit],
    ).findings
    return finding


@pytest.mark.parametrize("unit", QUESTIONS)
def test_the_furthest_unit_is_cut_and_reaches_the_claim(unit: str) -> None:
    plan = plan_for(
        QUESTIONS[unit],
        strategy="focused",
        mechanism="laplace",
        epsilon="1",
        clipping=MEASURED,
    )
    pair = find_pair(plan, QUESTIONS[unit])
    one = 1 / plan.measurements[0].sums[-1].step
    assert max(each[:, -1].max() for each in pair.moves) == one
    assert pair.largest == pytest.approx(1, abs=3e-6)


@pytest.mark.parametrize("unit", QUESTIONS)
def test_the_count_of_this_installation_keeps_its_word(
    unit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix_bits(monkeypatch, 27)
    finding = audited(tmp_path, unit)
    assert finding.verdict not in BROKEN
    assert finding.share > 0.7


def test_too_little_noise_of_the_count_alone_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix_bits(monkeypatch, 28)
    scale_one_sum(monkeypatch, -1, 0.8)
    assert audited(tmp_path, "row").verdict == TOO_LITTLE


def test_a_person_who_counts_twice_as_cut_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix_bits(monkeypatch, 29)
    once = vars(query)["_counted"]
    monkeypatch.setattr(query, "_counted", lambda *args: f"2 * ({once(*args)})")
    assert audited(tmp_path, "person").verdict in BROKEN
