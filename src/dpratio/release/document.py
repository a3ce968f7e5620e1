"""A release as a document: its plan, and for every question its noisy integers.

Sums are written as text: integers of 19 digits are altered by readers that keep
numbers as doubles. What is missing has its default.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dpratio.arrays import Integers
from dpratio.codec import (
    DIGITS,
    EXACT,
    NUMBER,
    TEXT,
    Field,
    choice,
    integer,
    made,
    many,
    mapping,
    one_of,
    record,
    refuse,
)
from dpratio.errors import DocumentRefused, InvalidInput, PlanRefused
from dpratio.plan.document import PLAN, RATIO, SUMS
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.plan.laws import LAWS
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import BASES, Contrast, contrast_of
from dpratio.release.external import ExternalSums
from dpratio.release.release import (
    NoiseLayer,
    NoisySums,
    Release,
    ReleasedQuestion,
    kind_of,
    one_draw,
)
from dpratio.terms.budget import Budget
from dpratio.terms.groups import KINDS, Groups, PrivateKeys
from dpratio.terms.question import Partition
from dpratio.terms.study_file import BOUNDS, PARTITION, TRUE

_MOST_DRAWS = 2**40 - 1


def _read_values(value: Any, path: str) -> Integers:  # noqa: ANN401
    if not isinstance(value, list):
        refuse(path, "must be a list", value)
    width = len(value[0]) if value and isinstance(value[0], list) else 0
    values = np.empty((len(value), width), dtype=np.int64)
    for index, row in enumerate(value):
        # Millions of sums: they are read one by one only to say which is refused.
        try:
            integers = list(map(int, row))
            is_plain = len(row) == width and row == list(map(str, integers))
            values[index] = integers
        except (TypeError, ValueError, OverflowError):
            is_plain = False
        if not is_plain:
            place = f"{path}[{index}]"
            many(DIGITS).read(row, place)
            refuse(place, f"must hold {width} sums of 64 bits", row)
    return values


_VALUES = Field(
    _read_values, lambda values: values.astype(str).tolist(), many(many(DIGITS)).schema
)
_LAW = Field(
    lambda value, path: LAWS[choice(*LAWS).read(value, path)],
    lambda law: law.name,
    choice(*LAWS).schema,
)
_BUDGET = record(Budget, epsilon=EXACT, delta=EXACT)
_NOISE = many(
    record(
        NoiseLayer,
        law=_LAW,
        scales=many(NUMBER),
        counts=many(integer(0, _MOST_DRAWS)),
    ),
    least=1,
)


def _read_partition(value: Any, path: str) -> Partition | tuple[()]:  # noqa: ANN401
    return () if value == [] else PARTITION.read(value, path)


# Keys that were found; there may be none.
_PARTITION = Field(
    _read_partition,
    lambda groups: PARTITION.write(groups) if groups.count else [],
    {"anyOf": [PARTITION.schema, {"const": []}]},
)
_EXTERNAL = record(
    ExternalSums,
    origin=TEXT,
    ratio=RATIO,
    groups=_PARTITION.optional(),
    bounds=BOUNDS,
    law=_LAW,
    noise_sd=mapping(NUMBER),
    claimed=_BUDGET,
)


def _table(**parts: Field) -> Field:
    return record(dict, lambda table: table, **parts)


_GUESS = {"guess": NUMBER, "basis": choice(*BASES)}
_QUESTION = _table(
    values=_VALUES,
    groups=_PARTITION.optional(),
    noise=_NOISE.optional(),
    stages=_table(totals=many(DIGITS), **_GUESS, sums=SUMS).optional(),
    others=many(_table(**_GUESS, values=_VALUES, noise=_NOISE)).optional([]),
)


def _split_release(release: Release) -> dict[str, Any]:
    questions = [_split_question(release, part) for part in release.questions]
    return {name: getattr(release, name) for name in _NAMED} | {"questions": questions}


def _split_question(release: Release, question: ReleasedQuestion) -> dict[str, Any]:
    """Return the integers, and what the plan does not say of them."""
    planned = question.planned
    stages = None
    if isinstance(planned, Measurement) and question.first is not None:
        stages = {
            "totals": question.first,
            "guess": planned.ratio.guess,
            "basis": planned.basis,
            "sums": planned.sums,
        }
    is_fresh = question.noise == one_draw(release.plan.law, planned)
    return {
        "values": question.values,
        "groups": question.groups if isinstance(planned.groups, PrivateKeys) else None,
        "noise": None if is_fresh else question.noise,
        "stages": stages,
        "others": [
            {
                "guess": sums.contrast.centre,
                "basis": sums.contrast.basis,
                "values": sums.values,
                "noise": sums.noise,
            }
            for sums in question.sums[1:]
            if sums.contrast is not None
        ],
    }


def _release_of(
    *,
    plan: Plan | HistogramPlan | ExternalSums,
    questions: Sequence[dict[str, Any]],
    **named: Any,  # noqa: ANN401
) -> Release:
    if not isinstance(plan, ExternalSums):
        try:
            price(plan)
        except PlanRefused as error:
            raise DocumentRefused(f"$.plan: {error}", field="$.plan") from None
    planned: Sequence[Measurement | Histogram] = plan.measurements
    if len(questions) != len(planned):
        raise InvalidInput(
            f"there must be {len(planned)}, as in the plan.", field="questions"
        )
    released = [
        made(
            f"$.questions[{index}]",
            partial(_question_of, plan, item, **part),
            _QUESTION.parts,
        )
        for index, (item, part) in enumerate(zip(planned, questions, strict=True))
    ]
    return Release(plan=plan, questions=tuple(released), **named)


def _question_of(
    plan: Plan | HistogramPlan | ExternalSums,
    planned: Measurement | Histogram,
    *,
    values: Integers,
    groups: Partition | tuple[()] = None,
    noise: tuple[NoiseLayer, ...] | None = None,
    stages: Mapping[str, Any] | None = None,
    others: Sequence[Mapping[str, Any]] = (),
) -> ReleasedQuestion:
    if (stages or others) and not isinstance(plan, Plan):
        raise InvalidInput("belongs to a plan of ratios.", field="stages")
    cells, first = _groups_of(planned.groups, groups), None
    if stages:
        first = stages["totals"]
        planned = planned.around(  # type: ignore[union-attr]  # refused above
            stages["guess"], stages["sums"], stages["basis"]
        )
    sums = [_sums(*kind_of(planned), values, noise or one_draw(plan.law, planned))]
    for other in others:
        moved = planned.around(  # type: ignore[union-attr]  # refused above
            other["guess"], planned.sums, other["basis"]
        )
        contrast = contrast_of(moved.ratio, moved.basis)
        steps = plan.layout(moved).grid.steps  # type: ignore[union-attr]  # refused above
        sums.append(_sums(contrast, steps, other["values"], other["noise"]))
    return ReleasedQuestion(planned, cells, tuple(sums), first)


def _sums(
    contrast: Contrast | None,
    steps: tuple[float, ...],
    values: Integers,
    noise: tuple[NoiseLayer, ...],
) -> NoisySums:
    """Return sums; where there is no cell, no row shows how many there are."""
    values = values if len(values) else values.reshape(0, len(steps))
    return NoisySums(contrast, steps, values, noise)


def _groups_of(planned: Partition, groups: Partition | tuple[()]) -> Groups | None:
    """Return the declared groups, or those of the keys that were found."""
    if not isinstance(planned, PrivateKeys):
        if groups is not None:
            raise InvalidInput("belongs to keys that were found.", field="groups")
        return planned
    column, kind = planned.column, KINDS[planned.kind]
    if groups == ():
        return planned.groups_of(())
    if (
        not isinstance(groups, Groups)
        or set(map(type, groups.keys)) != {kind}
        or groups != Groups(column, groups.keys)
    ):
        raise InvalidInput(
            f"must be keys of '{column}', all {planned.kind}.", field="groups"
        )
    return groups


_NAMED = {
    "id": TEXT,
    "made_by": TEXT,
    "is_simulated": TRUE.optional(default=False),
    "sources": many(TEXT).optional(()),
    "ledger_head": TEXT.optional(),
    "ledger_heads": many(TEXT).optional(()),
    "cost_if_disjoint": _BUDGET.optional(),
    "source_hash": TEXT.optional(),
    "plan": one_of(
        {"origin": _EXTERNAL, "study": PLAN},
        lambda plan: "origin" if isinstance(plan, ExternalSums) else "study",
    ),
}
RELEASE = record(_release_of, _split_release, **_NAMED, questions=many(_QUESTION))
