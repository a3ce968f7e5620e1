"""Releases of every kind: groups, found keys, several parts, derived ones."""

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.realise import realise
from dpratio.release.combine import merge, roll_up
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, Periods, PrivateKeys, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.staged_plans import cells_for, staged_plan

BOUNDS = {"score": Bounds(0, 1), "label": Bounds.binary()}
TOTALS = {"score": Bounds(0, 2), "label": Bounds(0, 3)}
DAYS = [dt.date(2026, 1, 31), dt.date(1969, 12, 31)]

GROUPS: dict[str, Any] = {
    "whole": None,
    "text": Groups("g", ["b", "é\u2028", "", "a"]),
    "text or missing": Groups("g", ["b", None]),
    "missing": Groups("g", [None]),
    "numbers": Groups("g", [3, -(2**63) + 1, 2**63 - 1]),
    "truths": Groups("g", [True, None, False]),
    "dates": Groups("g", DAYS),
    "crossed": Groups.cross(Keys("g", ["b", "a"]), Keys("h", [1, None, 3])),
    "listed": Groups(["g", "h"], [("b", True), ("a", False), ("a", True)]),
    "bins": Groups.cross(ScoreBins("score", [0, 0.1, 1 / 3, 1])),
    "periods": Groups.cross(Periods("d", "week", "2026-01-01", "2026-02-01")),
    "months and bins": Groups.cross(
        Periods("d", "month", "2026-01-01", "2026-03-01"), ScoreBins("score", 2)
    ),
}


def add_up(given: Any) -> Release:  # noqa: ANN401 (also what is refused)
    """Merge releases, with the promise that must be said aloud."""
    return merge(given, units_are_disjoint=True)


def plan_of(groups: Any = None, **terms: Any) -> Plan:  # noqa: ANN401
    """A plan over score and label, with whatever groups and terms."""
    wanted = {
        "ratio": Ratio("score", per="label"),
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "mechanism": "laplace",
        "clipping": "unmeasured",
        **terms,
    }
    return make_plan(wanted.pop("ratio"), groups=groups, **wanted)


def release_of(
    plan: Plan,
    seed: int = 1,
    found: dict[int, Groups] | None = None,
    **fields: Any,  # noqa: ANN401
) -> Release:
    """A release of any integers; ``found`` gives the found keys of a partition."""
    chance = np.random.default_rng(seed)
    questions = []
    for question in plan.measurements:
        groups = question.groups
        if isinstance(groups, PrivateKeys):
            groups = (found or {})[plan.study.partitions.index(groups)]
        rows = 1 if groups is None else groups.count
        values = chance.integers(-(2**58), 2**58, (rows, len(question.sums)))
        questions.append(fresh_question(plan.law, question, groups, values))
    named = {"id": chance.bytes(16).hex(), "made_by": "dpratio 0.1.0", **fields}
    return Release(plan=plan, questions=tuple(questions), **named)


def staged_release(
    plan: Plan,
    *totals: tuple[float, float],
    seed: int = 1,
    **fields: Any,  # noqa: ANN401
) -> Release:
    """A release in two stages of any integers; totals are in the units of the data."""
    firsts = [cells_for(plan, *each, at=at) for at, each in enumerate(totals)]
    realised = replace(plan.measuring(realise(plan, firsts)), stage=None)
    drawn = release_of(realised, seed)
    questions = tuple(
        replace(question, first=first)
        for question, first in zip(drawn.questions, firsts, strict=True)
    )
    return replace(drawn, plan=plan, questions=questions, **fields)


def around(guess: float, seed: int, **terms: Any) -> Release:  # noqa: ANN401
    """A release around a guess, with any integers."""
    groups = terms.pop("groups", GROUPS["text"])
    ratio = Ratio("score", per="label", guess=guess)
    return release_of(plan_of(groups, ratio=ratio, **terms), seed)


def ours(release: Release) -> Plan:
    """The plan of a release of ratios, as it was measured."""
    plan = release.measured
    assert isinstance(plan, Plan)
    return plan


def survives(release: Release) -> bool:
    """Whether the release is read back as it was written."""
    return release_from_bytes(release_to_bytes(release)) == release


def _all() -> dict[str, Release]:
    made = {
        f"groups: {name}": release_of(plan_of(groups))
        for name, groups in GROUPS.items()
    }
    cost = Budget("0.25", "1e-7")
    kinds: dict[str, list[Any]] = {
        "text": ["a", "b"],
        "integer": [-5, 7],
        "boolean": [False],
        "date": DAYS,
    }
    for kind, keys in kinds.items():
        private = PrivateKeys("g", cost, kind)
        plan = plan_of(private)
        for name, held in (("found", keys), ("found none", [])):
            found = {0: private.groups_of(held)}
            made[f"{name}: {kind}"] = release_of(plan, found=found)
    several = plan_of([None, GROUPS["crossed"], PrivateKeys("p", cost)])
    made["several parts"] = release_of(
        several, found={2: Groups("p", ["x"])}, is_simulated=True
    )
    ratios = [Ratio("score", per="label"), Ratio("score", per="label", weight="w")]
    bounds = {**BOUNDS, "w": Bounds(0, 2)}
    two = plan_of([None, GROUPS["text"]], ratio=ratios, bounds=bounds, strategy="joint")
    made["two ratios of unequal width"] = release_of(two)
    made["cuts counted"] = release_of(plan_of(GROUPS["text"], clipping="measured"))
    made["questions with totals of their own"] = release_of(
        make_plan(
            [
                Question(Ratio("score", per="label", guess=0.5), groups=GROUPS["text"]),
                Question(
                    Ratio("score", per="label", guess=0.5),
                    groups=Groups("h", ["x", "y", "z"]),
                    totals={"score": Bounds(0, 9)},
                ),
            ],
            bounds=BOUNDS,
            budget=Budget(1),
            unit=PrivacyUnit("id", totals=TOTALS),
        )
    )
    unit = PrivacyUnit("id", totals=TOTALS, neighbours="change-one")
    people = plan_of(
        GROUPS["text"], unit=unit, ratio=Ratio("score", per="label", guess=0.5)
    )
    made["people"] = release_of(people)
    minus = Ratio("score", per="label", minus="other")
    paired = plan_of(ratio=minus, bounds={**BOUNDS, "other": Bounds(0, 1)})
    made["a difference"] = release_of(paired)
    spend = staged_plan(groups=GROUPS["crossed"], population=None, n=900)
    made["two stages"] = staged_release(spend, (50_000, 20_000))
    made["two stages that found nothing"] = staged_release(spend, (50_000, 10))
    made["two stages rolled up"] = roll_up(made["two stages"], ["g"])
    made["two stages merged"] = add_up(
        [made["two stages"], staged_release(spend, (50_010, 20_010), seed=2)]
    )
    made["rolled up"] = roll_up(made["groups: crossed"], ["g"])
    made["rolled up to the whole"] = roll_up(made["groups: crossed"])
    made["merged"] = add_up(
        [made["groups: text"], release_of(plan_of(GROUPS["text"]), 2)]
    )
    small = plan_of(GROUPS["text"], budget=Budget("0.5", "1e-6"))
    made["merged at two budgets"] = add_up([made["groups: text"], release_of(small, 3)])
    made["merged and rolled up"] = roll_up(made["merged"])
    made["merged around two guesses"] = add_up([made["groups: text"], around(0.75, 4)])
    rolled = roll_up(made["merged around two guesses"])
    made["merged around two guesses and rolled up"] = rolled
    return made


RELEASES = _all()
CROSSED = RELEASES["groups: crossed"]
TEXT = [release_of(plan_of(GROUPS["text"]), seed) for seed in range(1, 5)]
