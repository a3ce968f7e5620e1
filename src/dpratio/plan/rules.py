"""The rules between terms: what a plan may be asked for, and what it must state.

The planner and the curator's door call the same rules. Types and ranges of a term are
its own constructor's.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.plan.laws import CLASSICAL_GAUSSIAN, GAUSSIAN, LAPLACE, LAWS, threshold_of
from dpratio.plan.sensitivity.sums import contrast_of, corners_of
from dpratio.plan.settle import (
    ANSWERS,
    STRATEGIES,
    Layout,
    layouts_of,
    left_for_sums,
    private_keys,
    settle_guess,
)
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.population import Population
from dpratio.terms.question import Question
from dpratio.terms.study import CLIPPINGS, Study

_LARGEST_ROW = 2.0**30
_MOST_PEOPLE = 2**53 - 1  # Beyond it JSON has no whole numbers.


def require_study(study: Study) -> None:
    """Raise InvalidInput unless the terms of a study can be planned for.

    A release that was rolled up keeps its answers, so the door does not ask for bins.
    """
    require_terms(study)
    n, people = study.n, study.population
    if n is not None and (type(n) is not int or not 1 <= n <= _MOST_PEOPLE):
        raise InvalidInput(
            f"n must be a whole number of at least 1, got {show_given(n)}.", field="n"
        )
    if not isinstance(people, Population | None):
        raise InvalidInput(
            f"population must be a Population or None, got {show_given(people)}. "
            "Write Population(MeanSd(0.5, 0.1), MeanSd(0.4)).",
            field="population",
        )
    if study.stage:
        require_stage(study, study.stage * study.budget.epsilon)
    for question in study.questions:
        groups = question.groups
        is_binned = isinstance(groups, Groups) and groups.score_bins
        if "calibration" in question.answers and not is_binned:
            raise InvalidInput(
                "the answer 'calibration' needs bins. Write "
                f"groups=ScoreBins('{question.ratio.numerator}', 10).",
                field="groups",
            )


def require_terms(study: Study, *, bought: Sequence[PrivateKeys] = ()) -> None:
    """Raise InvalidInput unless the terms of a study fit each other.

    Args:
        study: The terms.
        bought: Private keys that were paid for before groups were rolled up.
    """
    require_one_of(study.strategy, STRATEGIES, "strategy")
    require_one_of(study.mechanism, (*LAWS, "auto"), "mechanism")
    require_one_of(study.clipping, CLIPPINGS, "clipping")
    _require_questions(study.questions)
    _require_columns(study)
    for layout in layouts_of(study):
        _require_answers(layout)
        _require_ratio(layout)
    _require_law(study)
    if private_keys(study, bought):
        _require_keys(study, bought)


def require_stage(study: Study, first: Fraction) -> None:
    """Raise InvalidInput unless two stages fit the terms: docs/proofs/staged.md.

    Args:
        study: The terms.
        first: The epsilon that the first stage spends.
    """
    if not 0 < first < study.budget.epsilon:
        raise InvalidInput(
            "a first stage must leave some of the budget for the second, got epsilon "
            f"{first} of {study.budget.epsilon}.",
            field="stage",
        )
    if study.strategy != "focused":
        raise InvalidInput(
            "a first stage finds the guess of strategy 'focused', got strategy "
            f"{show_given(study.strategy)}. Leave the stage out: the paper's sums need "
            "no guess.",
            field="stage",
        )
    if private_keys(study):
        raise InvalidInput(
            "a release in two stages has groups that are declared. Declare the keys, "
            "or leave the stage out.",
            field="stage",
        )
    for question in study.questions:
        is_limited = question.ratio.residual_bound is not None
        if is_limited or "calibration" in question.answers:
            raise InvalidInput(
                "a residual bound, or the answer 'calibration', belongs to a guess "
                "that is known beforehand. Leave it out, or the stage.",
                field="stage",
            )


def _require_questions(questions: Sequence[Question]) -> None:
    if not questions:
        raise InvalidInput("at least one ratio must be planned.", field="ratio")
    pairs = [(question.ratio, question.groups) for question in questions]
    if any(pair in pairs[:place] for place, pair in enumerate(pairs)):
        raise InvalidInput(
            "each ratio must be asked for once in the same groups.", field="ratio"
        )
    names = [question.name for question in questions]
    if len(set(names)) != len(names):
        raise InvalidInput(
            f"questions must differ in name, got {show_given(names)}. Give one of them "
            "another name: Question(…, name=…).",
            field="name",
        )


def _require_columns(study: Study) -> None:
    """Keep columns of ratios, keys and ids apart; of each ratio there are bounds."""
    ratios = [question.ratio for question in study.questions]
    wanted = list(dict.fromkeys(name for ratio in ratios for name in ratio.columns))
    binned: list[str] = []
    keyed: list[str] = []
    for groups in (question.groups for question in study.questions):
        if isinstance(groups, PrivateKeys):
            keyed.append(groups.column)
        for dimension in groups.dimensions if isinstance(groups, Groups) else ():
            # Bins may be of a column of the ratio.
            is_binned = isinstance(dimension, ScoreBins)
            (binned if is_binned else keyed).append(dimension.column)
    for column in keyed:
        if column in wanted:
            raise InvalidInput(
                "a column of the ratio cannot be its group, got "
                f"{show_given(column)}. Group by another column, or by bins of it.",
                field="groups",
            )
    if study.unit.column in {*wanted, *binned, *keyed}:
        raise InvalidInput(
            "ids cannot be a column of the ratio or a group, got "
            f"{show_given(study.unit.column)}. Ids say who a row belongs to; use "
            "another column.",
            field="unit",
        )
    _require_names("bounds", [*wanted, *binned], [*study.bounds])
    if study.unit.column is not None:
        added = [name for question in study.questions for name in question.ratio.totals]
        for question in study.questions:
            names = question.ratio.totals
            shared = [name for name in study.unit.totals if name in names]
            _require_names("totals", names, [*shared, *question.totals])
        _require_names("totals", added, [*study.unit.totals, *added])


def _require_names(field: str, needed: Sequence[str], given: Sequence[str]) -> None:
    """Raise InvalidInput unless bounds, or totals, are those of what is counted."""
    kind = "bounds of totals" if field == "totals" else field
    missing = [name for name in dict.fromkeys(needed) if name not in given]
    if missing:
        raise InvalidInput(
            f"what is counted needs {kind}, got those of {show_given(given)}. Add "
            f"{field} for: {', '.join(missing)}.",
            field=field,
        )
    unused = [name for name in given if name not in needed]
    if unused:
        raise InvalidInput(
            f"{field} are given for columns that no ratio has, got "
            f"{show_given(unused)}. Remove them, or check the spelling.",
            field=field,
        )


def _require_answers(layout: Layout) -> None:
    answers, is_focused = layout.question.answers, layout.strategy == "focused"
    known = all(answer in ANSWERS for answer in answers)
    if not known or len(set(answers)) != len(answers) or "ratio" not in answers:
        raise InvalidInput(
            "answers must be 'ratio', and perhaps 'means', 'spread' and 'calibration', "
            f"each once, got {show_given(answers)}.",
            field="answers",
        )
    if "spread" in answers and is_focused:
        raise InvalidInput(
            "the answer 'spread' needs sums that strategy 'focused' does not measure. "
            "Use strategy 'joint' or 'even'.",
            field="strategy",
        )
    if "calibration" not in answers:
        return
    is_of_rows = layout.unit.column is None and layout.question.ratio.minus is None
    if not (is_focused and is_of_rows) or "means" in answers:
        raise InvalidInput(
            "the answer 'calibration' is about rows and one score, and is measured by "
            "strategy 'focused' beside 'ratio' alone. Leave it out: the paper's sums "
            "and a plan for means answer the test too.",
            field="answers",
        )
    guess = settle_guess(layout).guess
    if guess != 1:
        raise InvalidInput(
            f"the answer 'calibration' is measured around the ratio 1, got guess "
            f"{show_given(guess)}. Write guess=1, where score and label have one unit.",
            field="guess",
        )


def _require_ratio(layout: Layout) -> None:
    row, ratio = layout.row, layout.question.ratio
    if "w" in row and row["w"].lower < 0:
        raise InvalidInput(
            f"the lower bound of a weight must be at least 0, got {row['w'].lower:g}. "
            "Weights count people; they cannot be negative.",
            field="bounds",
        )
    if ratio.residual_bound is not None:
        _require_residual_bound(layout, ratio.residual_bound)
    if layout.unit.column is None:
        return
    # One row's count of cells stays within 64 bits.
    weight = row["w"].reach if "w" in row else 1.0
    for letter, name in zip("sy", ratio.totals, strict=True):
        times = weight * row[letter].reach / layout.unit.totals[name].reach
        if times > _LARGEST_ROW:
            raise InvalidInput(
                f"one row of '{name}' may not exceed its total by a factor of 2^30, "
                f"got {times:g}. Tighten the bounds of the column, or widen those of "
                "its totals.",
                field="totals",
            )


def _require_residual_bound(layout: Layout, bound: float) -> None:
    if layout.strategy != "focused":
        raise InvalidInput(
            f"strategy '{layout.strategy}' does not use a residual bound, got "
            f"{bound:g}. Use strategy 'focused', or leave the residual bound out.",
            field="residual_bound",
        )
    free = contrast_of(replace(settle_guess(layout), residual_bound=None))
    most = max(abs(point["z"]) for point in corners_of(layout.box, free))
    if bound >= most:
        raise InvalidInput(
            f"the residual bound must be below {float(most):g}, which the box gives, "
            f"got {bound:g}. Leave it out, or promise less.",
            field="residual_bound",
        )


def _require_law(study: Study) -> None:
    law = LAWS.get(study.mechanism, LAPLACE)
    if study.strategy != "even" and law == CLASSICAL_GAUSSIAN:
        raise InvalidInput(
            f"strategy '{study.strategy}' has no classical_gaussian noise. Use "
            "'analytic_gaussian', which composes exactly, or strategy 'even'.",
            field="mechanism",
        )
    if law != LAPLACE and study.budget.delta <= 0:
        raise InvalidInput(
            "Gaussian noise needs a delta above 0. Give the budget a delta such as "
            "1e-6, or use mechanism 'laplace'.",
            field="budget",
        )


def _require_keys(study: Study, bought: Sequence[PrivateKeys]) -> None:
    """Keep finding keys to what is proven, and some of the budget for the sums."""
    if study.unit.neighbours != "add-or-remove-one":
        raise InvalidInput(
            "finding keys is proven for units that are added or removed, got "
            f"{show_given(study.unit.neighbours)}.",
            field="unit",
        )
    for keys in private_keys(study, bought):
        threshold_of(keys, study.unit)
    epsilon, delta = left_for_sums(study, GAUSSIAN, bought=bought)
    # Laplace noise on sums needs no delta, so keys may have all of it.
    needs_delta = LAWS.get(study.mechanism, LAPLACE) != LAPLACE
    if epsilon <= 0 or delta < 0 or (needs_delta and delta == 0):
        raise InvalidInput(
            "finding keys must leave some of the budget for sums, got epsilon "
            f"{epsilon} and delta {delta} that are left. Raise the budget, or spend "
            "less on finding keys.",
            field="budget",
        )
