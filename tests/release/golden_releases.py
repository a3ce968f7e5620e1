"""The golden files, and what they hold: written by hand, field by field."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import MeasuredSum, Summand
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

GOLDEN = Path(__file__).parent / "golden" / "release_v1.json"
GOLDEN_FOCUSED = Path(__file__).parent / "golden" / "release_v1_focused.json"
GOLDEN_GUESSES = Path(__file__).parent / "golden" / "release_v1_guesses.json"
GOLDEN_STAGES = Path(__file__).parent / "golden" / "release_v1_stages.json"
LARGEST = 2**63 - 1


def golden_sum(
    factors: str, step: float, sensitivity: int, scale: float
) -> MeasuredSum:
    """A sum that is named by its factors."""
    return MeasuredSum(Summand(factors, tuple(factors)), step, sensitivity, scale)


def only_question(plan: Plan, values: Any, **fields: Any) -> Release:  # noqa: ANN401
    """A release of a plan with one part over declared cells."""
    groups = plan.measurements[0].groups
    assert groups is None or isinstance(groups, Groups)
    question = fresh_question(plan.law, plan.measurements[0], groups, values)
    return Release(**{"plan": plan, "questions": (question,), **fields})


def measuring(study: Study, *sums: MeasuredSum) -> Plan:
    """A plan that measures these sums for the only question of a study."""
    (question,) = study.questions
    return Plan(study, (Measurement(question, sums),))


# Written by hand, field by field.
GOLDEN_RELEASE = only_question(
    id="00112233445566778899aabbccddeeff",
    plan=measuring(
        Study(
            Question(
                Ratio("score", per="label", weight="weight"),
                groups=Groups("region", ["north", "süd", "<b>|east"]),
            ),
            bounds={
                "score": Bounds(0, 1),
                "label": Bounds.binary(),
                "weight": Bounds(0.5, 3),
            },
            budget=Budget("0.6", "1e-6"),
            strategy="even",
            mechanism="laplace",
            clipping="unmeasured",
        ),
        golden_sum("w", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
        golden_sum("wy", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
        golden_sum("ws", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
        golden_sum("ww", 2.0**-21, 9 * 2**21, 90.0 * 2**21),
        golden_sum("wss", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
        golden_sum("wys", 2.0**-23, 3 * 2**23, 30.0 * 2**23),
    ),
    values=np.array(
        [
            [41943040000, 19065018181, 20971520000, 17027825664, 12582912000, 1],
            [-1, 0, 10, -10, 1234567890123456789, -1234567890123456789],
            [LARGEST, -LARGEST, 2**53 + 1, -(2**53) - 1, 2**62, -(2**62)],
        ],
        dtype=np.int64,
    ),
    made_by="dpratio 0.1.0",
    is_simulated=True,
)


# z = s, clipped to 1, and h = y: the sums of z, h, z², z·h, h² and of people.
GOLDEN_FOCUSED_RELEASE = only_question(
    id="ffeeddccbbaa99887766554433221100",
    plan=measuring(
        Study(
            Question(
                Ratio(
                    "claims",
                    per="days",
                    guess=0.0,
                    guess_is="unknown",
                    residual_bound=1.0,
                ),
                groups=None,
                answers=("ratio", "means"),
            ),
            bounds={"claims": Bounds(0, 2), "days": Bounds(0, 4)},
            budget=Budget("0.6", "1e-6"),
            strategy="focused",
            mechanism="laplace",
            clipping="unmeasured",
        ),
        golden_sum("z", 2.0**-24, 2**24, 11.0 * 2**24),
        golden_sum("h", 2.0**-22, 2**24, 11.0 * 2**24),
        golden_sum("zz", 2.0**-24, 2**24, 11.0 * 2**24),
        golden_sum("zh", 2.0**-22, 2**24, 11.0 * 2**24),
        golden_sum("hh", 2.0**-20, 2**24, 11.0 * 2**24),
        MeasuredSum(Summand("w", ()), 2.0**-24, 2**24, 11.0 * 2**24),
    ),
    values=np.array([[1, -2, 3, -4, 2**53 + 1, LARGEST]], dtype=np.int64),
    made_by="dpratio 0.1.0",
)


def golden_document(path: Path = GOLDEN) -> dict[str, Any]:
    """Read a golden file as a document that may be edited."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document
