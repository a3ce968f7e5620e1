"""The rules between terms: what a plan may be asked for, and what it must be told.

Floor: plan. Imports: terms, checks.
"""

from collections.abc import Mapping
from dataclasses import replace

from dpratio.checks import require
from dpratio.plan.contrast import contrast_of
from dpratio.plan.corners import corners_of
from dpratio.plan.strategy import ANSWERS
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Groups, Ratio

__all__ = ["require_terms", "settle_guess"]


def require_terms(
    ratio: Ratio,
    bounds: Mapping[str, Bounds],
    budget: Budget,
    groups: Groups | None,
    answers: tuple[str, ...],
    strategy: str,
    mechanism: str,
) -> None:
    """Refuse terms that do not fit each other.

    Raises:
        InvalidInput: With the rule, what was given and what to do.
    """
    require(isinstance(ratio, Ratio), "ratio must be a Ratio", ratio)
    require(isinstance(budget, Budget), "budget must be a Budget", budget)
    wanted = groups is None or isinstance(groups, Groups)
    require(wanted, "groups must be Groups or None", groups)
    _require_answers(answers)
    _require_bounds(ratio, bounds)
    if groups is not None:
        hint = "Group by another column."
        free = groups.column not in ratio.columns
        require(free, "a column of the ratio cannot be its group", groups.column, hint)
    if strategy != "even":
        rule = f"strategy '{strategy}' has no classical_gaussian noise"
        hint = "Use 'analytic_gaussian', which composes exactly, or strategy 'even'."
        require(mechanism != "classical_gaussian", rule, mechanism, hint)
    if strategy != "focused":
        rule = f"strategy '{strategy}' does not use a residual bound"
        hint = "Use strategy 'focused', or leave the residual bound out."
        given = ratio.residual_bound
        require(given is None, rule, given, hint)
    if mechanism in {"analytic_gaussian", "classical_gaussian"}:
        delta = budget.delta
        hint = "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
        require(delta > 0, "Gaussian noise needs a delta above 0", str(delta), hint)


def settle_guess(ratio: Ratio, bounds: Mapping[str, Bounds]) -> Ratio:
    """Settle the guess of the ratio: 1 where both columns share bounds, else asked for.

    Raises:
        InvalidInput: When no guess was given, or the residual bound binds nowhere.
    """
    s, y = bounds[ratio.numerator], bounds[ratio.per]
    settled = ratio
    if ratio.guess is None:
        share = (s.lower, s.upper) == (y.lower, y.upper)
        rule = "the ratio needs a public guess where its columns have different bounds"
        hint = (
            "Write Ratio(…, guess=…), with guess_is='unknown' where it is not more "
            "than a size; or use strategy 'joint'."
        )
        require(share, rule, ratio.guess, hint)
        settled = replace(ratio, guess=1.0)
    if settled.residual_bound is not None:
        box = {letter: bounds[name] for letter, name in zip("syw", ratio.columns)}  # noqa: B905 (w may be missing)
        free = contrast_of(replace(settled, residual_bound=None))
        most = max(abs(point["z"]) for point in corners_of(box, free))
        rule = f"the residual bound must be below {float(most):g}, which the box gives"
        hint = "Leave it out, or promise less."
        require(settled.residual_bound < most, rule, settled.residual_bound, hint)
    return settled


def _require_answers(answers: tuple[str, ...]) -> None:
    known = isinstance(answers, tuple) and all(each in ANSWERS for each in answers)
    once = known and len(set(answers)) == len(answers) and "ratio" in answers
    rule = "answers must be ('ratio',) or ('ratio', 'means')"
    require(once, rule, answers)


def _require_bounds(ratio: Ratio, bounds: Mapping[str, Bounds]) -> None:
    valid = isinstance(bounds, Mapping) and all(
        isinstance(each, Bounds) for each in bounds.values()
    )
    hint = "Write {'score': Bounds(0, 1), …}."
    require(valid, "bounds must map column names to Bounds", bounds, hint)
    missing = [column for column in ratio.columns if column not in bounds]
    hint = f"Add bounds for: {', '.join(missing)}."
    require(not missing, "every column of the ratio needs bounds", list(bounds), hint)
    unused = [column for column in bounds if column not in ratio.columns]
    hint = "Remove them, or check the spelling."
    require(not unused, "bounds are given for columns not in the ratio", unused, hint)
    if ratio.weight is not None:
        hint = "Weights count people; they cannot be negative."
        lower = bounds[ratio.weight].lower
        require(
            lower >= 0, "the lower bound of a weight must be at least 0", lower, hint
        )
