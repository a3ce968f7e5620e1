"""The count of cut units is audited with the sums beside it, and faults are found."""

from pathlib import Path

import pytest

from dpratio.curator.duckdb import units
from dpratio.curator.reading.statement import Statement
from dpratio.plan.plan import Plan
from dpratio.simulation.audit.audit_noise import audit_noise
from dpratio.simulation.audit.draw import Door, released_by
from dpratio.simulation.audit.findings import BROKEN, TOO_LITTLE, Finding
from dpratio.simulation.audit.pair import find_pair
from dpratio.simulation.audit.question import QUESTIONS, plan_for
from dpratio.terms.study import MEASURED
from simulation.audit.faults import fix_bits, leave_out_noise, scale_one_sum


def planned(unit: str, epsilon: str, mechanism: str = "laplace") -> Plan:
    return plan_for(
        QUESTIONS[unit],
        strategy="focused",
        mechanism=mechanism,
        epsilon=epsilon,
        samples=1,
        clipping=MEASURED,
    )


def audited(folder: Path, unit: str, samples: int = 2_000) -> Finding:
    (finding,) = audit_noise(
        folder=folder,
        samples=samples,
        epsilons=["4"],
        mechanisms=["laplace"],
        strategies=["cuts"],
        units=[unit],
    ).findings
    return finding


@pytest.mark.parametrize("unit", QUESTIONS)
@pytest.mark.parametrize("epsilon", ["1", "30", "100"])
def test_without_noise_a_sample_holds_the_cuts_that_were_worked_out(
    unit: str, epsilon: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out_noise(monkeypatch)
    question, plan = QUESTIONS[unit], planned(unit, epsilon)
    assert plan.questions[0].sums[-1].summand.factors == ("c",)
    pair = find_pair(plan, question)
    for side, exact in zip((pair.first, pair.second), pair.exact, strict=True):
        (values,) = released_by(Door(tmp_path), plan, question, pair, 3)(side)
        assert values.tolist() == [exact.tolist()] * 3


@pytest.mark.parametrize("unit", QUESTIONS)
def test_the_furthest_unit_is_cut_and_reaches_the_claim(unit: str) -> None:
    plan = planned(unit, "1")
    pair = find_pair(plan, QUESTIONS[unit])
    one = 1 / plan.questions[0].sums[-1].step
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
    once = vars(units)["_is_cut"]

    def twice(nth: int, statement: Statement) -> str:
        return f"2 * ({once(nth, statement)})"

    monkeypatch.setattr(units, "_is_cut", twice)
    assert audited(tmp_path, "person").verdict in BROKEN
