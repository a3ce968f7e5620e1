"""Both stages of a release are audited, and noise that is wrong in either is found."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpratio.curator import measure
from dpratio.simulation.audit import draw
from dpratio.simulation.audit.audit_noise import audit_noise
from dpratio.simulation.audit.findings import BROKEN, OTHER_LAW, REPEATED, Audit
from simulation.audit.faults import change_noise, halve_noise


def audited(folder: Path, samples: int = 1_500) -> Audit:
    return audit_noise(
        folder=folder,
        samples=samples,
        epsilons=["1"],
        strategies=["stages"],
        units=["row"],
    )


def test_both_stages_of_this_installation_keep_their_word(tmp_path: Path) -> None:
    audit = audited(tmp_path)
    assert [each.strategy for each in audit.findings] == ["stages", "stages, the first"]
    assert [str(each.epsilon) for each in audit.findings] == ["1", "1/2"]
    assert audit.with_verdict(*BROKEN) == 0
    assert all(each.share > 0.6 for each in audit.findings)


def test_stages_have_laplace_noise_and_any_unit(tmp_path: Path) -> None:
    audit = audit_noise(
        folder=tmp_path, samples=200, epsilons=["4"], strategies=["stages"]
    )
    assert {each.mechanism for each in audit.findings} == {"laplace"}
    units = [each.unit for each in audit.findings]
    assert units == ["row", "row", "changed-row", "person"]


either_stage = pytest.mark.parametrize(
    ("sums", "strategy"), [(2, "stages, the first"), (5, "stages")]
)


@either_stage
def test_too_little_noise_of_either_stage_is_found(
    sums: int, strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row's weighted plan has five sums, and its first stage two totals."""
    halve_noise(monkeypatch, sums, measure)
    found = {each.strategy: each.verdict for each in audited(tmp_path).findings}
    assert found[strategy] in BROKEN
    assert sum(each in BROKEN for each in found.values()) == 1


@either_stage
def test_noise_that_comes_again_is_found_in_either_stage(
    sums: int, strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[int, Any] = {}

    def repeated(drawn: Any, scales: Sequence[float]) -> Any:  # noqa: ANN401
        is_meant = len(scales) == sums
        return kept.setdefault(len(drawn), drawn) if is_meant else drawn

    change_noise(monkeypatch, repeated, measure)
    found = {each.strategy: each.verdict for each in audited(tmp_path).findings}
    assert found[strategy] in {REPEATED, OTHER_LAW}


def test_a_release_that_found_a_guess_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It measured something else; the audit looks at the declared sums alone."""
    real, made = vars(draw)["release_sums"], []

    def found_once(*given: Any, **options: Any) -> Any:  # noqa: ANN401
        made.append(real(*given, **options))
        if len(made) > 1:
            return made[-1]
        return SimpleNamespace(questions=[SimpleNamespace(planned="another question")])

    monkeypatch.setattr(draw, "release_sums", found_once)
    audited(tmp_path, samples=200)
    assert made[0].plan == made[1].plan
