"""Public tables have the same answers as releases, exactly, and never become one."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dpratio as dpr
from dpratio.arrays import Floats
from dpratio.errors import InvalidInput
from dpratio.simulation import estimate_public

pytestmark = pytest.mark.usefixtures("fixed_noise")

RNG = np.random.default_rng(13)
SCORE: Floats = RNG.beta(2, 2, 4_000)
TABLE: dict[str, Any] = {
    "score": np.where(np.arange(4_000) % 50 == 0, 1.7, SCORE),
    "label": (RNG.random(4_000) < 0.9 * SCORE).astype(np.float64),
    "weight": np.where(RNG.random(4_000) < 0.01, np.nan, 1 + RNG.random(4_000)),
    "region": [("north", "south", "abroad")[at % 3] for at in range(4_000)],
}
BOUNDS = {
    "score": dpr.Bounds(0, 1),
    "label": dpr.Bounds.binary(),
    "weight": dpr.Bounds(1, 2),
}
REGIONS = dpr.Groups("region", ["north", "south"])
MONTHS = dpr.Periods("day", "month", "2026-01-01", "2026-02-01")
FOUND = dpr.PrivateKeys("region", dpr.Budget(1, "1e-6"))
UNIT = dpr.Bounds(0, 1)
PEOPLE = dpr.PrivacyUnit("id", totals={"score": UNIT, "label": UNIT})


def plan_of(ratio: dpr.Ratio | None = None, **terms: Any) -> dpr.Plan:  # noqa: ANN401
    asked = ratio or dpr.Ratio("score", per="label")
    bounds = {name: BOUNDS[name] for name in asked.columns if name in BOUNDS}
    given: dict[str, Any] = {"bounds": bounds, "budget": dpr.Budget(10**6)}
    given["groups"] = REGIONS
    return dpr.make_plan(asked, **(given | terms))


@pytest.mark.parametrize(
    "ratio",
    [
        dpr.Ratio("score", per="label"),
        dpr.Ratio("score", per="label", weight="weight"),
        dpr.Ratio("label", per="rows"),
        dpr.Ratio("score", minus="label", per="rows"),
    ],
    ids=str,
)
def test_the_answer_is_that_of_a_release_without_noise(ratio: dpr.Ratio) -> None:
    """Held to the curator's own engine, at an epsilon that adds next to no noise."""
    plan = plan_of(ratio)
    found = estimate_public(dpr.estimate_ratios, TABLE, plan)
    released = dpr.release_sums(TABLE, plan, ledger=None, engine="python")
    private = dpr.estimate_ratios(released)
    for name in ("ratio", "ci_lower", "ci_upper", "se"):
        assert getattr(found, name) == pytest.approx(getattr(private, name), rel=1e-4)


def test_curves_comparisons_and_functions_are_answered() -> None:
    bins = dpr.ScoreBins("score", [0, 0.3, 0.6, 1])
    binned = plan_of(groups=bins)
    table = TABLE | {"score": np.append(SCORE[:-1], 1.0)}
    curve = estimate_public(dpr.calibration_curve, table, binned)
    with_means = plan_of(groups=bins, answers=("ratio", "means"))
    released = dpr.release_sums(table, with_means, ledger=None, engine="python")
    wanted = dpr.calibration_curve(released)
    assert curve.gap.estimate == pytest.approx(wanted.gap.estimate, abs=1e-4)
    brier = float(np.mean((table["score"] - TABLE["label"]) ** 2))
    assert curve.errors.fit["brier_score"].estimate[0] == pytest.approx(brier, rel=1e-5)
    assert curve.errors.to_dicts()[0]["privacy"] == "NOT PRIVATE"
    compared = estimate_public(
        dpr.compare_ratios, TABLE, plan_of(), "north", "south", link="difference"
    )
    assert compared.to_dicts()[0]["privacy"] == "NOT PRIVATE"
    mean = estimate_public(
        dpr.estimate_function, TABLE, plan_of(groups=None), dpr.functions.mean()
    )
    clipped = np.clip(TABLE["score"], 0, 1)
    assert mean.estimate[0] == pytest.approx(clipped.mean(), rel=1e-6)


@pytest.mark.parametrize("which", [2, "by region"])
def test_of_several_questions_the_one_that_is_named_is_answered(
    which: str | int,
) -> None:
    ratio = dpr.Ratio("score", per="label")
    questions = [
        dpr.Question(ratio),
        dpr.Question(ratio, groups=REGIONS, name="by region"),
    ]
    bounds = {name: BOUNDS[name] for name in ("score", "label")}
    plan = dpr.make_plan(questions, bounds=bounds, budget=dpr.Budget(10**6))
    found = estimate_public(dpr.estimate_ratios, TABLE, plan, which=which)
    alone = estimate_public(dpr.estimate_ratios, TABLE, plan_of(ratio))
    assert found.ratio.tolist() == alone.ratio.tolist()


def test_frames_are_read_as_columns_are() -> None:
    plan = plan_of()
    plain = estimate_public(dpr.estimate_ratios, TABLE, plan).ratio
    for frame in (pd.DataFrame(TABLE), pl.DataFrame(TABLE)):
        assert (estimate_public(dpr.estimate_ratios, frame, plan).ratio == plain).all()


def test_every_form_of_an_answer_says_that_it_is_not_private(tmp_path: Path) -> None:
    found = estimate_public(dpr.estimate_ratios, TABLE, plan_of(), simulated=True)
    assert found.notes()[0].startswith("SIMULATED: ")
    assert found.notes()[1].startswith("NOT PRIVATE: these are exact sums")
    found.chart().save(tmp_path / "chart.svg")
    drawn = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    for text in (str(found), found.to_markdown(), found.to_html(), drawn):
        assert "NOT PRIVATE" in text
    assert set(found.to_pandas()["privacy"]) == {"NOT PRIVATE"}
    report = tmp_path / "report.html"
    estimate_public(lambda sums: dpr.write_report(report, sums), TABLE, plan_of())
    text = report.read_text(encoding="utf-8")
    assert "<title>NOT PRIVATE: " in text
    assert "NOT PRIVATE: these are exact sums" in text
    assert "0" * 32 not in text


def test_a_release_of_before_is_not_stamped() -> None:
    found = dpr.estimate_ratios(dpr.example_release())
    assert "privacy" not in found.to_dicts()[0]
    assert "NOT PRIVATE" not in str(found)


GIVEN_AWAY = {
    "gives answers, and never a release": [
        lambda release: release,
        dpr.roll_up,
    ],
    "must not share a source": [
        lambda release: dpr.merge([release, release], units_are_disjoint=True),
    ],
    "must have the same strategy": [
        lambda release: dpr.merge(
            [release, dpr.release_sums(TABLE, plan_of(), ledger=None)],
            units_are_disjoint=True,
        ),
    ],
    "plan must be a Plan": [
        lambda release: dpr.release_sums(TABLE, release.plan, ledger=None),
    ],
}


@pytest.mark.parametrize("rule", GIVEN_AWAY)
def test_it_never_becomes_a_release(rule: str) -> None:
    for answer in GIVEN_AWAY[rule]:
        with pytest.raises(dpr.errors.DpratioError, match=rule):
            estimate_public(answer, TABLE, plan_of())


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"plan": None}, "plan must be a Plan"),
        ({"answer": "estimate_ratios"}, "answer must be a function"),
        ({"table": {"score": [1.0]}}, "no such column, got 'label'"),
        ({"table": TABLE | {"label": ["a"] * 4_000}}, "column 'label' must hold num"),
        ({"plan": plan_of(groups=MONTHS)}, "grouped by keys or bins"),
        ({"plan": plan_of(unit=PEOPLE)}, "row by row, got 'id'"),
        (
            {"plan": plan_of(groups=FOUND, budget=dpr.Budget(10, "1e-5"))},
            "declared groups",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused(change: dict[str, Any], rule: str) -> None:
    given: dict[str, Any] = {"answer": dpr.estimate_ratios, "table": TABLE}
    given |= {"plan": plan_of()} | change
    with pytest.raises(InvalidInput, match=rule):
        estimate_public(given["answer"], given["table"], given["plan"])
