"""A release as a document: its plan, and for every question its noisy integers.

Sums are written as text: integers of 19 digits are altered by readers that keep
numbers as doubles.
"""

from collections.abc import Sequence
from dataclasses import replace
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
    record,
    refuse,
)
from dpratio.errors import DocumentRefused, InvalidInput, PlanRefused
from dpratio.plan.document import PLAN, SUMS
from dpratio.plan.histograms import Histogram
from dpratio.plan.laws import LAWS
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan, price
from dpratio.plan.sensitivity.sums import BASES, contrast_of
from dpratio.release.external import require_external
from dpratio.release.release import (
    NoiseLayer,
    NoisySums,
    Release,
    ReleasedQuestion,
    fresh_question,
)
from dpratio.terms.budget import Budget
from dpratio.terms.groups import KINDS, Groups, PrivateKeys
from dpratio.terms.question import Partition
from dpratio.terms.study_file import PARTITION

_MOST_DRAWS = 2**40 - 1


def _or_null(item: Field) -> Field:
    """Return the field of a value that may be null."""
    return Field(
        lambda value, path: None if value is None else item.read(value, path),
        lambda value: None if value is None else item.write(value),
        {"anyOf": [item.schema, {"type": "null"}]},
    )


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


def _read_found(value: Any, path: str) -> Partition | tuple[()]:  # noqa: ANN401
    return () if value == [] else PARTITION.read(value, path)


_FOUND = Field(
    _read_found,
    lambda groups: PARTITION.write(groups) if groups.count else [],
    {"anyOf": [PARTITION.schema, {"const": []}]},
)
_NOISE = many(
    record(
        lambda mechanism, scales, counts: NoiseLayer(
            LAWS[mechanism], scales, np.array(counts, dtype=np.int64)
        ),
        lambda layer: {
            "mechanism": layer.law.name,
            "scales": layer.scales,
            "counts": layer.counts.tolist(),
        },
        mechanism=choice(*LAWS),
        scales=many(NUMBER),
        counts=many(integer(0, _MOST_DRAWS)),
    )
)


def _table(**parts: Field) -> Field:
    return record(dict, lambda table: table, **parts)


_CONTRAST = {"guess": NUMBER, "basis": choice(*BASES)}
_PART = {
    "found": _or_null(_FOUND),
    "noise": _or_null(_NOISE),
    "stages": _table(totals=many(DIGITS), **_CONTRAST, sums=SUMS).optional(),
    "beside": many(_table(**_CONTRAST, steps=many(NUMBER), noise=_NOISE)).optional([]),
}
_DERIVED = _table(
    ledgers=many(TEXT),
    cost_if_disjoint=_or_null(record(Budget, epsilon=EXACT, delta=EXACT)),
)


def _split_release(release: Release) -> dict[str, Any]:
    derived = {
        "ledgers": release.ledger_heads,
        "cost_if_disjoint": release.cost_if_disjoint,
    }
    return {
        "id": release.id,
        "made_by": release.made_by,
        "simulated": release.is_simulated,
        "origin": release.origin,
        "sources": release.sources,
        "ledger": release.ledger_head,
        "derived": derived if release.sources else None,
        "source": release.source_hash,
        "plan": release.plan,
        "parts": [_split_question(release, part) for part in release.questions],
        "values": [question.integers for question in release.questions],
    }


def _split_question(release: Release, question: ReleasedQuestion) -> dict[str, Any]:
    """Return the cells that the plan does not name, and noise that was added up."""
    planned = question.planned
    stages = None
    if isinstance(planned, Measurement) and question.first is not None:
        stages = {
            "totals": question.first,
            "guess": planned.ratio.guess,
            "basis": planned.basis,
            "sums": planned.sums,
        }
    has_keys = isinstance(planned.groups, PrivateKeys)
    return {
        "found": question.groups if has_keys else None,
        "noise": question.noise if release.sources else None,
        "stages": stages,
        "beside": [
            {
                "guess": sums.contrast.centre,
                "basis": sums.contrast.basis,
                "steps": sums.steps,
                "noise": sums.noise,
            }
            for sums in question.beside
            if sums.contrast is not None
        ],
    }


def _release_of(  # noqa: PLR0913 (the fields of a document)
    *,
    plan: AnyPlan,
    parts: Sequence[dict[str, Any]],
    values: Sequence[Integers],
    sources: tuple[str, ...],
    simulated: bool,
    origin: str | None,
    ledger: str | None,
    derived: dict[str, Any] | None = None,
    source: str | None = None,
    **names: str,
) -> Release:
    try:
        # Sums from elsewhere have no price of ours; their plan is checked for reading.
        (price if origin is None else require_external)(plan)
    except (PlanRefused, InvalidInput) as error:
        raise DocumentRefused(f"$.plan: {error}", field="$.plan") from None
    planned: Sequence[Measurement | Histogram] = plan.measurements
    if not len(parts) == len(values) == len(planned):
        raise InvalidInput(
            f"there must be {len(planned)} parts with values, as in the plan.",
            field="parts" if len(parts) != len(planned) else "values",
        )
    if (derived is None) == bool(sources):
        raise InvalidInput(
            "belongs to releases with sources, and to all of them.", field="derived"
        )
    questions = [
        made(
            f"$.parts[{place}]",
            partial(_question_of, plan, *question, is_derived=bool(sources)),
            _PART,
        )
        for place, question in enumerate(zip(planned, parts, values, strict=True))
    ]
    return Release(
        plan=plan,
        questions=tuple(questions),
        is_simulated=simulated,
        sources=sources,
        ledger_head=ledger,
        origin=origin,
        ledger_heads=derived["ledgers"] if derived else (),
        cost_if_disjoint=derived["cost_if_disjoint"] if derived else None,
        source_hash=source,
        **names,
    )


def _question_of(
    plan: AnyPlan,
    planned: Measurement | Histogram,
    part: dict[str, Any],
    values: Integers,
    *,
    is_derived: bool,
) -> ReleasedQuestion:
    question, stages = planned, part.get("stages")
    others = part.get("beside", ())
    if not isinstance(question, Measurement):
        if stages is not None or others:
            raise InvalidInput(
                "a histogram has one stage, and no guess.", field="stages"
            )
    elif stages is not None:
        question = question.around(stages["guess"], stages["sums"], stages["basis"])
    groups = _groups_of(planned.groups, part["found"])
    width = len(question.sums)
    # Without groups a document has no row that could show how many sums there are.
    values = values if len(values) else np.zeros((0, width * (1 + len(others))), int)
    own, *rest = np.array_split(values, 1 + len(others), axis=1)
    if (part["noise"] is not None) != is_derived:
        raise InvalidInput(
            "belongs to releases with sources, and to all of them.", field="noise"
        )
    fresh = fresh_question(plan.law, question, groups, own)
    return replace(
        fresh,
        noise=part["noise"] or fresh.noise,
        first=None if stages is None else stages["totals"],
        beside=tuple(
            _sums_of(plan, question, *other)  # type: ignore[arg-type]  # refused above
            for other in zip(others, rest, strict=True)
        ),
    )


def _sums_of(
    plan: Plan, question: Measurement, other: dict[str, Any], values: Integers
) -> NoisySums:
    """Return sums that were measured around another guess."""
    question = question.around(other["guess"], question.sums, other["basis"])
    if other["steps"] != plan.grid(question).steps:
        raise InvalidInput(
            "steps must be the lattice of the bounds and the guess.", field="beside"
        )
    contrast = contrast_of(question.ratio, question.basis)
    return NoisySums(contrast, other["steps"], values, other["noise"])


def _groups_of(
    planned: Partition, found: Partition | tuple[()] | None
) -> Groups | None:
    if not isinstance(planned, PrivateKeys):
        if found is not None:
            raise InvalidInput("must be null where keys were declared.", field="found")
        return planned
    column, kind = planned.column, KINDS[planned.kind]
    if found == ():
        return planned.groups_of(())
    if (
        not isinstance(found, Groups)
        or set(map(type, found.keys)) != {kind}
        or found != Groups(column, found.keys)
    ):
        raise InvalidInput(
            f"must be keys of '{column}', all {planned.kind}.", field="found"
        )
    return found


RELEASE = record(
    _release_of,
    _split_release,
    id=TEXT,
    made_by=TEXT,
    # A release refuses what is neither true nor false.
    simulated=Field(lambda value, _: value, bool, {"type": "boolean"}),
    origin=_or_null(TEXT),
    sources=many(TEXT),
    ledger=_or_null(TEXT),
    derived=_DERIVED.optional(),
    source=TEXT.optional(),
    plan=PLAN,
    parts=many(_table(**_PART)),
    values=many(_VALUES),
)
