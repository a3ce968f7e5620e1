"""Aggregates in: sums that another system measured, wrapped for inference.

A wrapped release is stamped with its origin. It has no plan that was priced here: its
strategy is ``external``, which the curator's door refuses, and dpratio makes no privacy
claim about it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require, require_one_of
from dpratio.plan.calibration.calibrate import LARGEST_SCALE, SMALLEST_SCALE
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import settle_partition
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.require_terms import require_terms
from dpratio.plan.sensitivity.box import row_box
from dpratio.plan.sensitivity.lattice import step_for
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.sums import Summand, summands_for
from dpratio.plan.strategy.layout import EXTERNAL
from dpratio.release.release import MADE_BY, Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["LAWS", "require_external", "wrap_sums"]

LAWS = {"laplace": "laplace", "gaussian": "analytic_gaussian"}

_BY_UNITS = ("aa", "ab", "bb", "wa", "wb")
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
    require_one_of(law, LAWS, "law of noise")
    require(isinstance(ratio, Ratio), "ratio must be a Ratio", ratio)
    given = dict(sums) if isinstance(sums, Mapping) else {}
    summands = _summands(given, ratio, bounds)
    hint = "Name the keys of the cells."
    declared = groups is None or isinstance(groups, Groups)
    require(declared, "sums from elsewhere have declared cells", groups, hint)
    settled = groups if groups is None else groups.within(bounds)
    rows = 1 if settled is None else settled.count
    arrays = {name: _read_sum(name, cells, rows) for name, cells in given.items()}
    measured = tuple(_measured(each, bounds, ratio, law, noise_sd) for each in summands)
    plan = Plan(
        bounds=dict(bounds),
        unit=PrivacyUnit(),
        partitions=(settled,),
        budget=claimed,
        strategy=EXTERNAL,
        mechanism=LAWS[law],
        questions=(PlannedQuestion(ratio, 0, Fraction(1), measured),),
    )
    require_external(plan)
    values = np.stack([_cells(arrays[one.summand.name], one) for one in measured], 1)
    detail = repr((origin, values.tolist(), measured, settled, ratio))
    return Release(
        id=hashlib.sha256(detail.encode()).hexdigest()[:32],
        plan=plan,
        questions=(fresh_question(plan, plan.questions[0], settled, values),),
        made_by=MADE_BY,
        is_simulated=is_simulated,
        origin=origin,
    )


def require_external(plan: Plan) -> None:
    """Refuse a plan that wrapping would not make; its price is not looked at."""
    rule = "sums from elsewhere have the strategy 'external'"
    require(plan.strategy == EXTERNAL, rule, plan.strategy)
    require_terms(plan)
    known = plan.mechanism in LAWS.values() and not any(
        isinstance(each, PrivateKeys) for each in plan.partitions
    )
    require(known, "sums from elsewhere have declared cells", plan.mechanism)
    one = (
        len(plan.questions) == len(plan.partitions) == 1
        and plan.questions[0].partition == 0
    )
    require(one, "sums from elsewhere have one question", len(plan.questions))
    (question,) = plan.questions
    names = {each.summand.name: 0 for each in question.sums}
    wanted = _summands(names, question.ratio, plan.bounds)
    for each, summand in zip(question.sums, wanted, strict=True):
        same = each.summand == summand and each.sensitivity == 0
        require(same, "a sum from elsewhere is another one", each.summand.name)
        fits = each.step == _step(summand, plan.bounds, question.ratio)
        require(fits, "a sum from elsewhere has another lattice", each.step)
        usable = SMALLEST_SCALE <= each.scale <= LARGEST_SCALE
        require(usable, "noise must stay between 2^-10 and 2^50 cells", each.scale)
    (groups,) = plan.partitions
    settled = settle_partition(groups, plan.bounds) == groups
    require(settled, "a plan states the edges of its bins", "a number of bins")


def _summands(
    given: Mapping[str, object], ratio: Ratio, bounds: Mapping[str, Bounds]
) -> list[Summand]:
    """List the sums in their order; refuse unknown ones and too few."""
    weighted = ratio.weight is not None
    every = summands_for(weighted=weighted, binary=False, spread=True)
    known = {each.name: each for each in every}
    if weighted:
        letters = {"a": ("w", "s"), "b": ("w", "y"), "w": ("w",)}
        known |= {
            name: Summand(name, letters[name[0]] + letters[name[1]])
            for name in _BY_UNITS
        }
    unknown = [name for name in given if name not in known]
    hint = f"Sums are: {', '.join(known)}."
    require(not unknown, "a sum is named by its factors", unknown, hint)
    is_binary = ratio.per in bounds and bounds[ratio.per].is_binary
    squares = {"wss", "wys"} | (set() if is_binary else {"wyy"})
    plain = squares if not weighted else squares | {"w", "ww"}
    # Squares of values and squares of units are not mixed: which is held must be clear.
    by_units = (
        weighted and {"aa", "ab", "bb"} <= set(given) and not squares & set(given)
    )
    enough = plain <= set(given) or by_units
    hint = f"Give ws, wy and: {', '.join(sorted(plain))}."
    if weighted:
        hint = f"{hint[:-1]}; or ws, wy and: aa, ab, bb."
    enough = enough and {"ws", "wy"} <= set(given)
    require(enough, "an interval needs second-order sums", list(given)[:2], hint)
    return [each for name, each in known.items() if name in given]


def _step(summand: Summand, bounds: Mapping[str, Bounds], ratio: Ratio) -> float:
    """Give the lattice step that a sum of ours would have."""
    box = row_box(ratio, bounds)
    reach = 1.0
    for factor in summand.factors:
        reach *= box[factor].reach
    return step_for(reach)


def _measured(
    summand: Summand,
    bounds: Mapping[str, Bounds],
    ratio: Ratio,
    law: str,
    noise_sd: Mapping[str, float],
) -> MeasuredSum:
    missing = [name for name in ratio.columns if name not in bounds]
    hint = f"Add bounds for: {', '.join(missing)}."
    require(not missing, "every column of the ratio needs bounds", list(bounds), hint)
    noise = noise_sd.get(summand.name) if isinstance(noise_sd, Mapping) else None
    sized = isinstance(noise, int | float) and 0 <= noise < np.inf
    hint = "Give the standard deviation of the noise of every sum; 0 for none."
    require(sized, f"the noise of the sum {summand.name} must be known", noise, hint)
    step = _step(summand, bounds, ratio)
    per_sd = np.sqrt(2.0) if law == "laplace" else 1.0
    scale = max(float(noise or 0.0) / per_sd / step, SMALLEST_SCALE)
    return MeasuredSum(summand, step, 0, scale)


def _read_sum(name: str, cells: object, rows: int) -> NDArray[np.float64]:
    try:
        values = np.array(cells, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        values = np.full(rows, np.nan)
    fits = len(values) == rows and bool(np.isfinite(values).all())
    require(fits, f"the sum {name} must hold {rows} finite numbers", len(values))
    return values


def _cells(values: NDArray[np.float64], measured: MeasuredSum) -> NDArray[np.int64]:
    counted = np.floor(values / measured.step + 0.5)
    fits = bool((np.abs(counted) < _LARGEST_SUM).all())
    rule = f"the sum {measured.summand.name} is too large for its bounds"
    require(fits, rule, float(np.abs(values).max()))
    return counted.astype(np.int64)
