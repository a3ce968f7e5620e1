"""The rules between terms: what a plan may be asked for, and what it must state.

The planner and the curator's door call the same rules. Types and ranges of a term are
its own constructor's.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.plan.laws import CLASSICAL_GAUSSIAN, LAPLACE, LAWS, threshold_of
from dpratio.plan.sensitivity.sums import row_box
from dpratio.plan.settle import ANSWERS, STRATEGIES, private_keys, settle_guess, unit_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.population import Population
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import CLIPPINGS, Study
from dpratio.terms.unit import PrivacyUnit

_LARGEST_ROW = 2.0**30
_MOST_PEOPLE = 2**53 - 1  # Beyond it JSON has no whole numbers.


def require_terms(
    study: Study,
    *,
    found: Sequence[PrivateKeys] = (),
    first: Fraction = Fraction(0),
) -> None:
    """Raise InvalidInput unless the terms of a study fit each other.

    Args:
        study: The terms.
        found: Private keys that were paid for before groups were rolled up.
        first: What a first stage spends; 0 without one.
    """
    require_one_of(study.strategy, STRATEGIES, "strategy")
    require_one_of(study.mechanism, (*LAWS, "auto"), "mechanism")
    require_one_of(study.clipping, CLIPPINGS, "clipping")
    if not isinstance(study.budget, Budget):
        raise InvalidInput(
            f"budget must be a Budget, got {show_given(study.budget)}. Write "
            "Budget(epsilon=1).",
            field="budget",
        )
    if not isinstance(study.unit, PrivacyUnit):
        raise InvalidInput(
            f"unit must be a PrivacyUnit, got {show_given(study.unit)}.", field="unit"
        )
    _require_questions(study)
    for question in study.questions:
        _require_answers(study, question.answers)
    _require_groups(study)
    _require_bounds(study)
    for question in study.questions:
        _require_ratio(study, question)
    _require_unit(study)
    _require_law(study)
    keys = private_keys(study, found)
    if keys:
        _require_key_budgets(study, keys)
    if first:
        _require_stage(study, first, keys)
    for question in study.questions:
        if "calibration" in question.answers:
            _require_calibration(study, question, has_stage=bool(first))


def _require_questions(study: Study) -> None:
    questions = study.questions
    if not questions:
        raise InvalidInput("at least one ratio must be planned.", field="ratio")
    for place, question in enumerate(questions):
        for other in questions[:place]:
            if (question.ratio, question.groups) == (other.ratio, other.groups):
                raise InvalidInput(
                    "each ratio must be asked for once in the same groups, got "
                    f"{show_given(str(question.ratio))} twice.",
                    field="ratio",
                )
    names = [question.name for question in questions]
    if len(set(names)) != len(names):
        raise InvalidInput(
            f"questions must differ in name, got {show_given(names)}. Give one of them "
            "another name: Question(…, name=…).",
            field="name",
        )


def _require_answers(study: Study, answers: tuple[str, ...]) -> None:
    known = all(answer in ANSWERS for answer in answers)
    if not known or len(set(answers)) != len(answers) or "ratio" not in answers:
        raise InvalidInput(
            "answers must be 'ratio', and perhaps 'means', 'spread' and 'calibration', "
            f"each once, got {show_given(answers)}.",
            field="answers",
        )
    if "spread" in answers and study.strategy == "focused":
        raise InvalidInput(
            "the answer 'spread' needs sums that strategy 'focused' does not measure. "
            "Use strategy 'joint' or 'even'.",
            field="strategy",
        )


def _require_groups(study: Study) -> None:
    columns = {name for item in study.questions for name in item.ratio.columns}
    for groups in study.partitions:
        if not isinstance(groups, Groups | PrivateKeys | None):
            hint = "Write Groups('region', ['north', 'south'])."
            if isinstance(groups, str):
                hint = f"Write Groups({groups!r}, ['a', 'b']), with its public keys."
            raise InvalidInput(
                f"groups must be Groups or None, got {show_given(groups)}. {hint}",
                field="groups",
            )
        for column in _key_columns(groups):
            if column in columns:
                raise InvalidInput(
                    "a column of the ratio cannot be its group, got "
                    f"{show_given(column)}. Group by another column, or by bins of it.",
                    field="groups",
                )


def _key_columns(groups: Partition) -> list[str]:
    """Return the columns of keys: those of bins may be columns of the ratio."""
    if groups is None:
        return []
    if isinstance(groups, PrivateKeys):
        return [groups.column]
    return [
        dimension.column
        for dimension in groups.dimensions
        if not isinstance(dimension, ScoreBins)
    ]


def _require_bounds(study: Study) -> None:
    bounds = study.bounds
    _require_types_of_bounds(bounds)
    ratios = [question.ratio for question in study.questions]
    wanted = list(dict.fromkeys(name for ratio in ratios for name in ratio.columns))
    missing = [column for column in wanted if column not in bounds]
    if missing:
        raise InvalidInput(
            "every column of the ratio needs bounds, got those of "
            f"{show_given(list(bounds))}. Add bounds for: {', '.join(missing)}.",
            field="bounds",
        )
    binned = [
        bins.column
        for groups in study.partitions
        if isinstance(groups, Groups)
        for bins in groups.score_bins
    ]
    unused = [column for column in bounds if column not in {*wanted, *binned}]
    if unused:
        raise InvalidInput(
            f"bounds are given for columns not in the ratio, got {show_given(unused)}. "
            "Remove them, or check the spelling.",
            field="bounds",
        )


def _require_types_of_bounds(bounds: object) -> None:
    hint = "Write {'score': Bounds(0, 1), …}."
    if not isinstance(bounds, Mapping):
        raise InvalidInput(
            f"bounds must map column names to Bounds, got {show_given(bounds)}. {hint}",
            field="bounds",
        )
    for column, pair in bounds.items():
        if isinstance(pair, Bounds):
            continue
        shown = show_given(pair)
        is_pair = shown[0] in "([" and len(pair) == len(("lower", "upper"))
        written = f"Write Bounds({shown[1:-1]})." if is_pair else hint
        raise InvalidInput(
            f"bounds must map column names to Bounds, got {shown} for "
            f"{show_given(column)}. {written}",
            field="bounds",
        )


def _require_ratio(study: Study, question: Question) -> None:
    ratio = question.ratio
    if study.strategy != "focused" and ratio.residual_bound is not None:
        raise InvalidInput(
            f"strategy '{study.strategy}' does not use a residual bound, got "
            f"{ratio.residual_bound:g}. Use strategy 'focused', or leave the residual "
            "bound out.",
            field="residual_bound",
        )
    lower = 0.0 if ratio.weight is None else study.bounds[ratio.weight].lower
    if lower < 0:
        raise InvalidInput(
            f"the lower bound of a weight must be at least 0, got {lower:g}. Weights "
            "count people; they cannot be negative.",
            field="bounds",
        )
    unit = unit_of(study, question)
    if unit.column is None:
        return
    missing = [name for name in ratio.totals if name not in unit.totals]
    if missing:
        raise InvalidInput(
            "a unit with many rows needs bounds of its totals, got those of "
            f"{show_given(list(unit.totals))}. Add totals for: {', '.join(missing)}.",
            field="totals",
        )
    unused = [name for name in question.totals if name not in ratio.totals]
    if unused:
        raise InvalidInput(
            "a question has totals of columns that its ratio adds up, got "
            f"{show_given(unused)}. Remove them, or check the spelling.",
            field="totals",
        )
    _require_sizes(study, ratio, unit)


def _require_sizes(study: Study, ratio: Ratio, unit: PrivacyUnit) -> None:
    """Keep one row's count of cells within 64 bits."""
    box = row_box(ratio, study.bounds)
    weight = box["w"].reach if "w" in box else 1.0
    for letter, name in zip("sy", ratio.totals, strict=True):
        row, total = weight * box[letter].reach, unit.totals[name].reach
        if row > total * _LARGEST_ROW:
            raise InvalidInput(
                f"one row of '{name}' may not exceed its total by a factor of 2^30, "
                f"got {row / total:g}. Tighten the bounds of the column, or widen "
                "those of its totals.",
                field="totals",
            )


def _require_unit(study: Study) -> None:
    column = study.unit.column
    if column is None:
        return
    ratios = [question.ratio for question in study.questions]
    groups = [part.columns for part in study.partitions if part is not None]
    for columns, what in (
        ([ratio.columns for ratio in ratios], "a column of the ratio"),
        (groups, "a group"),
    ):
        if any(column in names for names in columns):
            raise InvalidInput(
                f"ids cannot be {what}, got {show_given(column)}. Ids say who a row "
                "belongs to; use another column.",
                field="unit",
            )
    known = {name for ratio in ratios for name in ratio.totals}
    unused = [name for name in study.unit.totals if name not in known]
    if unused:
        raise InvalidInput(
            "totals are given for columns that no ratio adds up, got "
            f"{show_given(unused)}. Remove them, or check the spelling.",
            field="totals",
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


def _require_key_budgets(study: Study, keys: Sequence[PrivateKeys]) -> None:
    if study.unit.neighbours != "add-or-remove-one":
        raise InvalidInput(
            "finding keys is proven for units that are added or removed, got "
            f"{show_given(study.unit.neighbours)}.",
            field="unit",
        )
    for part in keys:
        threshold_of(part, study.unit)
    epsilon = sum((part.budget.epsilon for part in keys), Fraction(0))
    delta = sum((part.budget.delta for part in keys), Fraction(0))
    spent = (epsilon, study.budget.epsilon, "epsilon"), (delta, study.budget.delta, "")
    for cost, budget, name in spent:
        # Laplace noise on sums needs no delta, so keys may have all of it.
        if cost > budget or (name and cost == budget):
            raise InvalidInput(
                f"finding keys must leave some of the budget for sums, got {cost} of "
                f"{budget} for keys. Raise the budget, or spend less on finding keys.",
                field="budget",
            )


def _require_stage(study: Study, first: Fraction, keys: Sequence[PrivateKeys]) -> None:
    """Keep plans with a first stage on the ground of docs/proofs/staged.md."""
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
    if keys:
        raise InvalidInput(
            "a release in two stages has groups that are declared. Declare the keys, "
            "or leave the stage out.",
            field="stage",
        )
    for question in study.questions:
        if question.ratio.residual_bound is not None:
            raise InvalidInput(
                "a residual bound belongs to a guess that is known beforehand. Leave "
                "out the stage, or the residual bound.",
                field="residual_bound",
            )


def require_bins(study: Study) -> None:
    """Raise InvalidInput if calibration is tested without bins; roll-up may lose them.

    A release that was rolled up keeps its answers, so the door does not ask for bins.
    """
    for question in study.questions:
        groups = question.groups
        is_binned = isinstance(groups, Groups) and groups.score_bins
        if "calibration" in question.answers and not is_binned:
            raise InvalidInput(
                "the answer 'calibration' needs bins. Write "
                f"groups=ScoreBins('{question.ratio.numerator}', 10).",
                field="groups",
            )


def require_people(count: object, people: object) -> None:
    """Raise InvalidInput unless this can be expected of a population."""
    if count is not None and (type(count) is not int or not 1 <= count <= _MOST_PEOPLE):
        raise InvalidInput(
            f"n must be a whole number of at least 1, got {show_given(count)}.",
            field="n",
        )
    if not isinstance(people, Population | None):
        raise InvalidInput(
            f"population must be a Population or None, got {show_given(people)}.",
            field="population",
        )


def _require_calibration(study: Study, question: Question, *, has_stage: bool) -> None:
    """Keep a plan made for the test of calibration to what the test is about."""
    answers, ratio = question.answers, question.ratio
    if study.strategy != "focused":
        raise InvalidInput(
            "the answer 'calibration' is measured by strategy 'focused', got strategy "
            f"{show_given(study.strategy)}. Leave it out: the paper's sums answer the "
            "test too.",
            field="answers",
        )
    if len(answers) != len(("ratio", "calibration")):
        raise InvalidInput(
            "the answer 'calibration' stands beside 'ratio' alone, got "
            f"{show_given(answers)}. Leave one out: a plan for means answers the test "
            "too, with less power.",
            field="answers",
        )
    if study.unit.column is not None or ratio.minus is not None or has_stage:
        raise InvalidInput(
            "the answer 'calibration' is about rows, one score and one stage. Leave it "
            "out, or leave out ids, minus and stage.",
            field="answers",
        )
    guess = settle_guess(study, question).guess
    if guess != 1:
        raise InvalidInput(
            f"the answer 'calibration' is measured around the ratio 1, got guess "
            f"{show_given(guess)}. Write guess=1, where score and label have one unit.",
            field="guess",
        )
