"""A release as a plain document, and back; every refusal names its path."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpratio.arrays import Integers
from dpratio.errors import DocumentRefused, InvalidInput, PlanRefused
from dpratio.plan.document import PLAN, SUMS
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.price import price
from dpratio.plan.sensitivity.contrast import BASES, Contrast, contrast_of
from dpratio.plan.sensitivity.mixtures import RAW
from dpratio.release.checked_json import VERSION
from dpratio.release.external import require_external
from dpratio.release.noisy_sums import (
    NoisySums,
    layers_to_document,
    read_integer,
    read_layers,
    read_values,
)
from dpratio.release.release import Release, ReleasedQuestion, fresh_question
from dpratio.release.release_id import read_id
from dpratio.strict import Node
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import KINDS, Keys
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.study_fields import GROUP, GroupsTable

__all__ = ["FORMAT", "release_from_document", "release_to_document"]

FORMAT = "dpratio-release"


def release_to_document(release: Release) -> dict[str, Any]:
    """Write everything but the checksum."""
    # Releases without a ledger have no hash of a source.
    hashed = {} if release.source_hash is None else {"source": release.source_hash}
    return {
        "format": FORMAT,
        "version": VERSION,
        "id": release.id,
        "made_by": release.made_by,
        "simulated": release.is_simulated,
        "origin": release.origin,
        "sources": list(release.sources),
        "ledger": release.ledger_head,
        **_derived_to_document(release),
        **hashed,
        "plan": PLAN.write(release.plan),
        "parts": [_question_to_document(release, each) for each in release.questions],
        "values": [
            [[str(value) for value in row] for row in question.integers.tolist()]
            for question in release.questions
        ],
    }


def release_from_document(node: Node) -> Release:
    """Read a release from a document without its checksum.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    fields = node.fields(
        "format",
        "version",
        "id",
        "made_by",
        "simulated",
        "origin",
        "sources",
        "ledger",
        "plan",
        "parts",
        "values",
        optional=["derived", "source"],
    )
    plan: Plan = PLAN.read(fields["plan"].value, fields["plan"].path)
    sources = tuple(read_id(each) for each in fields["sources"].items())
    heads, apart = _read_derived(node, fields.get("derived"), derived=bool(sources))
    origin = fields["origin"].text_or_none()
    try:
        # Sums from elsewhere have no price of ours; their plan is checked for reading.
        if origin is None:
            price(plan)
        else:
            require_external(plan)
    except (PlanRefused, InvalidInput) as error:
        raise DocumentRefused(f"$.plan: {error}") from None
    given = fields["parts"].items()
    if len(given) != len(plan.questions):
        fields["parts"].refuse(f"must have {len(plan.questions)} parts")
    values = fields["values"].items()
    if len(values) != len(given):
        fields["values"].refuse("must have as many parts as the plan")
    return node.make(
        lambda: Release(
            id=read_id(fields["id"]),
            plan=plan,
            questions=tuple(
                _read_question(each, plan, at, values[at], derived=bool(sources))
                for at, each in enumerate(given)
            ),
            made_by=fields["made_by"].text(),
            is_simulated=fields["simulated"].flag(),
            sources=sources,
            ledger_head=fields["ledger"].text_or_none(),
            origin=origin,
            ledger_heads=heads,
            cost_if_disjoint=apart,
            source_hash=fields["source"].text() if "source" in fields else None,
        )
    )


def _derived_to_document(release: Release) -> dict[str, Any]:
    """Write what only a release has that was made from others."""
    if not release.sources:
        return {}
    apart = release.cost_if_disjoint
    cost = None
    if apart is not None:
        cost = {"epsilon": str(apart.epsilon), "delta": str(apart.delta)}
    heads = list(release.ledger_heads)
    return {"derived": {"ledgers": heads, "cost_if_disjoint": cost}}


def _read_derived(
    release: Node, node: Node | None, *, derived: bool
) -> tuple[tuple[str, ...], Budget | None]:
    if node is None:
        if derived:
            raise DocumentRefused(f"{release.path}: field 'derived' is missing.")
        return (), None
    if not derived:
        node.refuse("belongs to releases that were made from others")
    fields = node.fields("ledgers", "cost_if_disjoint")
    heads = tuple(each.text() for each in fields["ledgers"].items())
    cost = fields["cost_if_disjoint"]
    if cost.value is None:
        return heads, None
    said = cost.fields("epsilon", "delta")
    epsilon, delta = said["epsilon"].fraction(), said["delta"].fraction()
    return heads, cost.make(lambda: Budget(epsilon, delta))


def _question_to_document(
    release: Release, question: ReleasedQuestion
) -> dict[str, Any]:
    """Write the cells where the plan does not say them, and noise that was added up."""
    planned = release.plan.partitions[question.asked.partition]
    found = None
    if isinstance(planned, PrivateKeys):
        named = question.groups
        is_empty = named is None or not named.count
        found = [] if is_empty else GROUP.write(GroupsTable(named))
    noise = layers_to_document(question.noise) if release.sources else None
    beside = [
        {
            **_contrast_to_document(each.contrast),
            "steps": list(each.steps),
            "noise": layers_to_document(each.noise),
        }
        for each in question.beside
    ]
    return {
        "found": found,
        "noise": noise,
        **_stages_to_document(question),
        **({"beside": beside} if beside else {}),
    }


def _read_question(
    node: Node, plan: Plan, at: int, values: Node, *, derived: bool
) -> ReleasedQuestion:
    own = ("stages", "beside")
    fields = node.fields("found", "noise", optional=own)
    question, first = _read_stages(fields.get("stages"), plan.questions[at])
    groups = _read_groups(fields["found"], plan, question.partition)
    rows = 1 if groups is None else groups.count
    others = fields["beside"].items() if "beside" in fields else []
    width = len(question.sums)
    shape = (rows, width * (1 + len(others)))
    held, *apart = np.split(read_values(values, shape), 1 + len(others), axis=1)
    if fields["noise"].value is None:
        if derived:
            fields["noise"].refuse("must say how noise was added up")
        fresh = fresh_question(plan, question, groups, held)
        return replace(fresh, first=first)
    if not derived:
        fields["noise"].refuse("must be null where nothing was added up")
    layers = read_layers(fields["noise"], width, rows)
    beside = [
        _read_beside(each, plan, question, integers)
        for each, integers in zip(others, apart, strict=True)
    ]
    return ReleasedQuestion(question, groups, held, layers, first, tuple(beside))


def _read_beside(
    node: Node, plan: Plan, question: PlannedQuestion, values: Integers
) -> NoisySums:
    """Read sums that were measured around another guess."""
    fields = node.fields("guess", "basis", "steps", "noise")
    other = _read_contrast(fields, question)
    steps = tuple(each.number() for each in fields["steps"].items())
    if steps != node.make(lambda: plan.grid(other).steps):
        fields["steps"].refuse("must be the lattice of the bounds and the guess")
    contrast = contrast_of(other.ratio, other.basis)
    noise = read_layers(fields["noise"], len(steps), len(values))
    return NoisySums(contrast, steps, values, noise)


def _read_groups(node: Node, plan: Plan, at: int) -> Groups | None:
    planned = plan.partitions[at]
    if not isinstance(planned, PrivateKeys):
        if node.value is not None:
            node.refuse("must be null where keys were declared")
        return planned
    if node.value == []:
        return Groups.found(planned.column, KINDS[planned.kind], ())
    found = GROUP.read(node.value, node.path).partition
    if not isinstance(found, Groups) or found.listed is not None:
        node.refuse(f"must be keys of '{planned.column}'")
    only = found.dimensions[0]
    same = isinstance(only, Keys) and only.kind is KINDS[planned.kind]
    if not same or found.columns != (planned.column,) or None in only.values:
        node.refuse(f"must be keys of '{planned.column}', all {planned.kind}")
    return found


def _stages_to_document(question: ReleasedQuestion) -> dict[str, Any]:
    """Write the noisy totals and what they led to; nothing where there were none."""
    if question.first is None:
        return {}
    return {
        "stages": {
            "totals": [str(each) for each in question.first],
            **_contrast_to_document(question.sums[0].contrast),
            "sums": SUMS.write(question.asked.sums),
        }
    }


def _read_stages(
    node: Node | None, planned: PlannedQuestion
) -> tuple[PlannedQuestion, tuple[int, ...] | None]:
    """Read what was measured, and the totals that led to it."""
    if node is None:
        return planned, None
    fields = node.fields("totals", "guess", "basis", "sums")
    asked = replace(
        _read_contrast(fields, planned),
        sums=SUMS.read(fields["sums"].value, fields["sums"].path),
    )
    return asked, tuple(read_integer(each) for each in fields["totals"].items())


def _contrast_to_document(contrast: Contrast | None) -> dict[str, Any]:
    given = contrast or RAW
    return {"guess": given.centre, "basis": given.basis}


def _read_contrast(
    fields: Mapping[str, Node], question: PlannedQuestion
) -> PlannedQuestion:
    """Give a question the guess and the basis that were read."""
    guess = fields["guess"].number()
    ratio = fields["guess"].make(lambda: replace(question.ratio, guess=guess))
    return replace(question, ratio=ratio, basis=fields["basis"].choice(BASES))
