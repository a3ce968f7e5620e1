"""Release with dpratio: the default plan, charged to a ledger."""

import math
import tempfile
from pathlib import Path

import duckdb  # noqa: F401  # What dpratio imports when it is first used is no work.
from question import EPSILON, LEVEL, PERSON, TRUE_RATIO, Question
from stopwatch import Interval, Released, timed

import dpratio as dpr
from dpratio import Budget, Groups, Ledger, Ratio, Scope, make_plan, release_sums


def release(table: str, question: Question, _: None) -> Released:
    """Plan, charge and release."""
    keys = question.keys
    plan = make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(1 / 3, 3),
        },
        groups=None if question.groups == 1 else Groups("region", keys),
        budget=Budget(EPSILON),
        unit=_unit(question),
        clipping="unmeasured",
    )
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.db")
        ledger.open_scope(Scope("people", Budget(EPSILON), unit=plan.unit.column))
        released = release_sums(table, plan, ledger=ledger)
    steps = [each.step for each in plan.measurements[0].sums[:2]]
    z, h = (released.questions[0].values[:, at] * step for at, step in enumerate(steps))
    return Released(
        score=dict(zip(keys, ((h + z) / 2).tolist(), strict=True)),
        label=dict(zip(keys, ((h - z) / 2).tolist(), strict=True)),
        noise_sd=lambda: _noise_sd(plan, 0),
        contrast_sd=lambda: _noise_sd(plan, TRUE_RATIO),
        # Asked for where they are looked at: a million take longer than the release.
        intervals=(lambda: _intervals(released, keys)) if question.seed else None,
    )


def _unit(question: Question) -> dpr.PrivacyUnit:
    """Bound the totals of a person, where people have many rows: no row is dropped."""
    if question.most_rows is None:
        return dpr.PrivacyUnit()
    totals = {
        "score": dpr.Bounds(0, question.moved("a")),
        "label": dpr.Bounds(0, question.moved("b")),
    }
    return dpr.PrivacyUnit(PERSON, totals=totals)


def _noise_sd(plan: dpr.Plan, ratio: float) -> float:
    """Give the noise of Σ weight·(score − ratio·label), made of those of z and h."""
    z, h = (each["noise_sd"] for each in plan.to_dicts()[:2])
    return math.hypot(z * (1 + ratio), h * (1 - ratio)) / 2


def _intervals(released: dpr.Release, keys: tuple[str, ...]) -> dict[str, Interval]:
    estimates = dpr.estimate_ratios(released, level=LEVEL).to_dicts()
    return {
        key: (each["ratio"], each["ci_lower"], each["ci_upper"])
        for key, each in zip(keys, estimates, strict=True)
    }


if __name__ == "__main__":
    timed(release, None, ("dpratio", "duckdb", "numpy"))
