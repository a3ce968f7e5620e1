"""Row 10: answers where noise leaves nothing to divide by."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from curator.tables_for_tests import plan_of
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.ratio.estimate import METHODS, estimate_ratios
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.cli.main import app
from dpratio.curator.release_sums import release_sums
from dpratio.release.files import write_release
from dpratio.release.release import Release
from dpratio.terms.groups import Groups
from tiers import quick_first

NOBODY: dict[str, list[Any]] = {"score": [], "label": [], "region": []}
NEAR_ZERO = [0, -1, 1, -(2**24), 2**24, -(2**40)]


def about_nobody(strategy: str, groups: int) -> Release:
    """Release the noise of empty groups."""
    terms: dict[str, Any] = {"strategy": strategy, "mechanism": "laplace"}
    if strategy == "focused":
        terms |= {"guess": 1.0, "answers": ("ratio", "means")}
    plan = plan_of(groups=Groups("region", range(groups)), **terms)
    return release_sums(NOBODY, plan, ledger=None)


def with_all_at(release: Release, value: int) -> Release:
    """Put one number into the place of every noisy sum."""
    question = release.questions[0]
    values = np.full(question.values.shape, value)
    sums = (replace(question.sums[0], values=values),)
    return replace(release, questions=(replace(question, sums=sums),))


def denominators(release: Release) -> Any:  # noqa: ANN401 (an array)
    """Work the noisy denominators out from the released sums, by hand."""
    names = [each.summand.name for each in release.plan.measurements[0].sums]
    held = {
        name: release.questions[0].values[:, at]
        * release.plan.measurements[0].sums[at].step
        for at, name in enumerate(names)
    }
    return held["wy"] if "wy" in held else (held["h"] - held["z"]) / 2


@pytest.mark.parametrize("strategy", quick_first(["focused", "even"]))
def test_10_a_denominator_of_zero_or_below_is_answered_with_a_status(
    strategy: str, tmp_path: Path
) -> None:
    """Where the noisy denominator is not above zero there is a status, and no error.

    Source: opendp/smartnoise-sdk issue 264, Specify behavior of zero after noise.
    More: tests/analyst/ratio/test_estimate_statuses.py
    """
    noise = about_nobody(strategy, 60)
    for release in [noise, *(with_all_at(noise, value) for value in NEAR_ZERO)]:
        below = denominators(release) <= 0
        for method in METHODS:
            estimates = estimate_ratios(release, method=method, rng=1, draws=20)
            assert len(estimates.status) == 60
            assert set(estimates.status) <= set(STATUSES)
            assert np.all(np.isnan(estimates.ratio[below]))
            assert np.all(estimates.ci_lower <= estimates.ci_upper)
            if method != "pivot":
                assert np.all(np.isinf(estimates.ci_upper[below]))
            endless = np.isinf(estimates.ci_upper)
            assert not np.any(endless & np.isin(estimates.status, ["ok", "weak"]))
        assert len(compare_ratios(release, reference=1.0).to_dicts()) == 60
    write_release(noise, tmp_path / "release.json")
    shown = CliRunner().invoke(app, ["estimate", str(tmp_path / "release.json")])
    assert shown.exit_code == 0, shown.output


def test_10_a_denominator_that_is_only_noise_has_no_bounded_interval() -> None:
    """Nearly all intervals about nobody are unbounded: a bounded one is an error.

    At level 0.95 they may err in 5 % of 500 groups; in more than 75, once in 10^16.

    Source: Fieller (1954), Some problems in interval estimation.
    More: tests/laws/test_coverage_of_methods.py
    """
    for strategy in ("even", "focused"):
        estimates = estimate_ratios(about_nobody(strategy, 500))
        assert int(np.isfinite(estimates.ci_upper).sum()) <= 75
