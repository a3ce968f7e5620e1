"""Aggregates in: sums that another system measured, wrapped for inference.

A wrapped release is stamped with its origin. It has no plan that was priced here: its
strategy is ``external``, which the curator's door refuses, and dpratio makes no privacy
claim about it.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.plan.laws import (
    GAUSSIAN,
    LAPLACE,
    LARGEST_SCALE,
    SMALLEST_SCALE,
    NoiseLaw,
)
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import EXTERNAL, Plan
from dpratio.plan.price import AnyPlan
from dpratio.plan.rules import require_terms
from dpratio.plan.sensitivity.sums import (
    MeasuredSum,
    Summand,
    row_box,
    step_for,
    summands_for,
)
from dpratio.release.release import MADE_BY, Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import UNMEASURED, Study

_LAWS = {"laplace": LAPLACE, "gaussian": GAUSSIAN}

_UNITS = ("aa", "ab", "bb")
_BY_UNITS = (*_UNITS, "wa", "wb")
_LARGEST_SUM = 2.0**62


def wrap_sums(  # noqa: PLR0913 (keyword-only terms)
    sums: Mapping[str, Sequence[float]],
    ratio: Ratio,
    *,
    noise_sd: Mapping[str, float],
    law: str,
    bounds: Mapping[str, Bounds],
    origin: str,
    claimed: Budget,
    groups: Groups | None = None,
    is_simulated: bool = False,
) -> Release:
    """Wrap noisy sums of another system into a release, stamped as external.

    Args:
        sums: By name, one noisy sum per cell. Names are products of factors: ``w`` the
            weight (or the count), ``s`` the numerator and ``y`` the denominator:
            ``ws``, ``wy``, ``wss``, ``wys``, ``wyy`` (which a binary denominator does
            not need); ``w`` for means. With weights also ``ww``, or the squares of
            units ``aa``, ``ab``, ``bb`` with a = w·s and b = w·y.
        ratio: What the sums are about.
        noise_sd: By name, the standard deviation of the noise of each sum; 0 for a
            sum without noise.
        law: ``"laplace"`` or ``"gaussian"``; a discrete law counts as its continuous
            one. Of another law, give its deviation and say gaussian.
        bounds: The public ranges to which values were clipped there.
        origin: The name of the system, for every answer to repeat.
        claimed: What that system says it spent; repeated, not checked.
        groups: The cells, in the order of the sums; None for one.
        is_simulated: Whether the people are invented.

    Returns:
        A release from which everything can be estimated that its sums allow.

    Raises:
        InvalidInput: When sums are missing or do not fit their cells.

    Example:
        >>> release = wrap_sums(
        ...     {"ws": [51.0], "wy": [48.0], "wss": [31.0], "wys": [30.0]},
        ...     Ratio("score", per="label"),
        ...     noise_sd=dict.fromkeys(["ws", "wy", "wss", "wys"], 1.4), law="laplace",
        ...     bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        ...     origin="another system", claimed=Budget(4),
        ... )
        >>> release.origin
        'another system'
    """
    require_one_of(law, _LAWS, "law of noise")
    if not isinstance(ratio, Ratio):
        raise InvalidInput(
            f"ratio must be a Ratio, got {show_given(ratio)}.", field="ratio"
        )
    if groups is not None and not isinstance(groups, Groups):
        raise InvalidInput(
            "sums from elsewhere have declared cells. Name the keys of the cells.",
            field="groups",
        )
    for name in ratio.columns:
        if name not in bounds:
            raise InvalidInput(
                f"every column of the ratio needs bounds. Add bounds for: {name}.",
                field="bounds",
            )
    cells = None if groups is None else groups.within(bounds)
    rows = 1 if cells is None else cells.count
    sums = sums if isinstance(sums, Mapping) else {}
    noise_sd = noise_sd if isinstance(noise_sd, Mapping) else {}
    measured, columns = [], []
    for summand in _summands(sums, ratio, bounds):
        step = _step(summand, bounds, ratio)
        scale = _scale(summand.name, noise_sd, _LAWS[law]) / step
        measured.append(MeasuredSum(summand, step, 0, max(scale, SMALLEST_SCALE)))
        columns.append(_counted(summand.name, sums[summand.name], step, rows))
    study = Study(
        Question(ratio, groups=cells),
        bounds=dict(bounds),
        budget=claimed,
        strategy=EXTERNAL,
        mechanism=_LAWS[law].name,
        clipping=UNMEASURED,
    )
    (question,) = study.questions
    plan = Plan(study, (Measurement(question, tuple(measured)),))
    require_external(plan)
    values = np.stack(columns, axis=1)
    detail = repr((origin, values.tolist(), tuple(measured), cells, ratio))
    return Release(
        id=hashlib.sha256(detail.encode()).hexdigest()[:32],
        plan=plan,
        questions=(fresh_question(plan.law, plan.measurements[0], cells, values),),
        made_by=MADE_BY,
        is_simulated=is_simulated,
        origin=origin,
    )


def require_external(plan: AnyPlan) -> None:
    """Refuse a plan that wrapping would not make; its price is not looked at."""
    if (
        not isinstance(plan, Plan)
        or not plan.is_external
        or plan.law not in _LAWS.values()
    ):
        raise InvalidInput(
            "sums from elsewhere have the strategy 'external' and a law of noise that "
            f"is known, got {plan.law.name}.",
            field="strategy",
        )
    # The sums are those of the paper, whoever measured them.
    require_terms(replace(plan.study, strategy="joint"), bought=plan.bought)
    if len(plan.measurements) > 1:
        raise InvalidInput("sums from elsewhere have one question.", field="questions")
    (question,) = plan.measurements
    groups = question.groups
    if isinstance(groups, PrivateKeys):
        raise InvalidInput("sums from elsewhere have declared groups.", field="groups")
    names = [measured.summand.name for measured in question.sums]
    wanted = tuple(
        MeasuredSum(summand, _step(summand, plan.bounds, question.ratio), 0, 1.0)
        for summand in _summands(names, question.ratio, plan.bounds)
    )
    if tuple(replace(measured, scale=1.0) for measured in question.sums) != wanted:
        raise InvalidInput(
            "sums from elsewhere must be those of their names, on their lattices.",
            field="sums",
        )
    for scale in question.scales:
        if not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            raise InvalidInput(
                f"noise must stay between 2^-10 and 2^50 cells, got {scale}.",
                field="noise_sd",
            )


def _summands(
    names: Iterable[str], ratio: Ratio, bounds: Mapping[str, Bounds]
) -> list[Summand]:
    """Return the sums of these names in order; refuse unknown ones and too few."""
    is_weighted = ratio.weight is not None
    summands = summands_for(weighted=is_weighted, binary=False, spread=True)
    known = {summand.name: summand for summand in summands}
    if is_weighted:
        letters = {"a": ("w", "s"), "b": ("w", "y"), "w": ("w",)}
        for name in _BY_UNITS:
            known[name] = Summand(name, letters[name[0]] + letters[name[1]])
    names = set(names)
    if not names <= set(known):
        raise InvalidInput(
            "a sum is named by its factors, got "
            f"{show_given(sorted(names - set(known)))}. Sums are: {', '.join(known)}.",
            field="sums",
        )
    is_binary = ratio.per in bounds and bounds[ratio.per].is_binary
    squares = {"wss", "wys"} | (set() if is_binary else {"wyy"})
    needed = {"ws", "wy", *squares, *(("w", "ww") if is_weighted else ())}
    # Squares of values and of units are not mixed: which they are must be clear.
    is_by_units = is_weighted and not squares & names
    if not needed <= names and not (is_by_units and {"ws", "wy", *_UNITS} <= names):
        advice = f"Add: {', '.join(sorted(needed - names))}"
        if is_weighted:
            advice += "; or in place of squares of values: aa, ab, bb"
        raise InvalidInput(
            f"an interval needs second-order sums. {advice}.", field="sums"
        )
    return [known[name] for name in known if name in names]


def _step(summand: Summand, bounds: Mapping[str, Bounds], ratio: Ratio) -> float:
    """Return the lattice step that a sum of ours would have."""
    box = row_box(ratio, bounds)
    return step_for(math.prod(box[factor].reach for factor in summand.factors))


def _scale(name: str, noise_sd: Mapping[str, object], law: NoiseLaw) -> float:
    """Return the scale of the noise of a sum, in its own units."""
    sd = noise_sd.get(name)
    if not isinstance(sd, int | float) or not 0 <= sd < math.inf:
        raise InvalidInput(
            f"the noise of the sum {name} must be known, got {show_given(sd)}. Give "
            "the standard deviation of the noise of every sum; 0 for none.",
            field="noise_sd",
        )
    return sd / law.sd(1.0)


def _counted(name: str, cells: object, step: float, rows: int) -> NDArray[np.int64]:
    """Return a sum of every cell in whole lattice cells."""
    try:
        values = np.array(cells, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        values = np.array([np.nan])
    counted = np.floor(values / step + 0.5)
    if len(values) != rows or not bool((np.abs(counted) < _LARGEST_SUM).all()):
        raise InvalidInput(
            f"the sum {name} must hold {rows} finite numbers, none of them too large "
            "for the bounds.",
            field="sums",
        )
    return counted.astype(np.int64)
