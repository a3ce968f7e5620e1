"""The rules between terms: what a plan may be asked for, and what it must be told."""

from collections.abc import Mapping
from fractions import Fraction

from dpratio.checks import require, show_given
from dpratio.errors import InvalidInput
from dpratio.plan.calibration.threshold import threshold_of
from dpratio.plan.plan_terms import PlanTerms, settle_guess
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.box import row_box
from dpratio.plan.strategy.layout import ANSWERS
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import Guess
from dpratio.terms.question import is_plain
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "require_bins",
    "require_people",
    "require_terms",
]

_LARGEST_ROW = 2.0**30
_MOST_PEOPLE = 2**53 - 1  # Beyond it JSON has no whole numbers.


def require_terms(plan: PlanTerms) -> None:
    """Refuse terms that do not fit each other."""
    ratios = list(dict.fromkeys(_ratios(plan)))
    hint = "Write Budget(epsilon=1)."
    given = isinstance(plan.budget, Budget)
    require(given, "budget must be a Budget", plan.budget, hint)
    require(isinstance(plan.unit, PrivacyUnit), "unit must be a PrivacyUnit", plan.unit)
    _require_answers(plan)
    _require_partitions(plan)
    _require_bounds(plan, ratios)
    for question in plan.questions:
        _require_ratio(plan, question)
    _require_unit(plan)
    if plan.strategy != "even":
        rule = f"strategy '{plan.strategy}' has no classical_gaussian noise"
        hint = "Use 'analytic_gaussian', which composes exactly, or strategy 'even'."
        require(plan.mechanism != "classical_gaussian", rule, plan.mechanism, hint)
    if plan.mechanism in {"analytic_gaussian", "classical_gaussian"}:
        delta = plan.budget.delta
        hint = "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
        require(delta > 0, "Gaussian noise needs a delta above 0", str(delta), hint)
    _require_key_budgets(plan)
    _require_stage(plan)
    for question in plan.questions:
        if "calibration" in question.answers:
            _require_calibration(plan, question)


def _ratios(plan: PlanTerms) -> list[Ratio]:
    ratios = [question.ratio for question in plan.questions]
    require(ratios, "at least one ratio must be asked for", ratios)
    for ratio in ratios:
        require(isinstance(ratio, Ratio), "ratio must be a Ratio", ratio)
    pairs = {(question.ratio, question.partition) for question in plan.questions}
    once = len(pairs) == len(ratios)
    require(
        once, "each ratio must be asked for once", [str(each) for each in ratios[:2]]
    )
    names = [question.name for question in plan.questions]
    require(
        all(map(is_plain, names)), "the name of a question must be plain text", names
    )
    hint = "Give one of them another name: Question(…, name=…)."
    require(len(set(names)) == len(names), "questions must differ in name", names, hint)
    return ratios


def _require_ratio(plan: PlanTerms, question: PlannedQuestion) -> None:
    ratio, unit = question.ratio, plan.unit_of(question)
    if plan.strategy != "focused":
        rule = f"strategy '{plan.strategy}' does not use a residual bound"
        hint = "Use strategy 'focused', or leave the residual bound out."
        given = ratio.residual_bound
        require(given is None, rule, given, hint)
    if ratio.weight is not None:
        hint = "Weights count people; they cannot be negative."
        lower = plan.bounds[ratio.weight].lower
        require(
            lower >= 0, "the lower bound of a weight must be at least 0", lower, hint
        )
    if unit.column is not None:
        missing = [name for name in ratio.totals if name not in unit.totals]
        hint = f"Add totals for: {', '.join(missing)}."
        rule = "a unit with many rows needs bounds of its totals"
        require(not missing, rule, list(unit.totals), hint)
        unused = [name for name in question.totals if name not in ratio.totals]
        hint = "Remove them, or check the spelling."
        rule = "a question has totals of columns that its ratio adds up"
        require(not unused, rule, unused, hint)
        _require_sizes(plan, ratio, unit)


def _require_sizes(plan: PlanTerms, ratio: Ratio, unit: PrivacyUnit) -> None:
    """Keep one row's count of cells within 64 bits."""
    box = row_box(ratio, plan.bounds)
    weight = box["w"].reach if "w" in box else 1.0
    for letter, name in zip("sy", ratio.totals, strict=True):
        row, total = weight * box[letter].reach, unit.totals[name].reach
        hint = "Tighten the bounds of the column, or widen those of its totals."
        rule = f"one row of '{name}' may not exceed its total by a factor of 2^30"
        require(row <= total * _LARGEST_ROW, rule, row / total, hint)


def _require_unit(plan: PlanTerms) -> None:
    column = plan.unit.column
    if column is None:
        return
    columns = {name for question in plan.questions for name in question.ratio.columns}
    hint = "Ids say who a row belongs to; use another column."
    require(column not in columns, "ids cannot be a column of the ratio", column, hint)
    keyed = {
        name for each in plan.partitions if each is not None for name in each.columns
    }
    require(column not in keyed, "ids cannot be a group", column, hint)
    known = {name for question in plan.questions for name in question.ratio.totals}
    unused = [name for name in plan.unit.totals if name not in known]
    hint = "Remove them, or check the spelling."
    rule = "totals are given for columns that no ratio adds up"
    require(not unused, rule, unused, hint)


def _require_partitions(plan: PlanTerms) -> None:
    columns = {name for question in plan.questions for name in question.ratio.columns}
    listed = isinstance(plan.partitions, tuple) and len(plan.partitions) > 0
    require(listed, "groups must be Groups or None", plan.partitions)
    for each in plan.partitions:
        wanted = each is None or isinstance(each, Groups | PrivateKeys)
        hint = "Write Groups('region', ['north', 'south'])."
        if isinstance(each, str):
            hint = f"Write Groups({each!r}, ['a', 'b']), with its public keys."
        require(wanted, "groups must be Groups or None", each, hint)
        keyed = (
            []
            if each is None
            else [each.column]
            if isinstance(each, PrivateKeys)
            else [
                one.column for one in each.dimensions if not isinstance(one, ScoreBins)
            ]
        )
        hint = "Group by another column, or by bins of it."
        for column in keyed:
            free = column not in columns
            require(free, "a column of the ratio cannot be its group", column, hint)
    several = len(plan.partitions) > 1
    once = not several or len(set(map(repr, plan.partitions))) == len(plan.partitions)
    require(once, "each partition must be asked for once", len(plan.partitions))


def _require_key_budgets(plan: PlanTerms) -> None:
    if not plan.private_keys:
        return
    rule = "finding keys is proven for units that are added or removed"
    require(plan.unit.neighbours == "add-or-remove-one", rule, plan.unit.neighbours)
    epsilon = sum(each.budget.epsilon for each in plan.private_keys)
    delta = sum(each.budget.delta for each in plan.private_keys)
    hint = "Raise the budget, or spend less on finding keys."
    for each in plan.private_keys:
        threshold_of(each, plan.unit)
    rule = "finding keys must leave some of the budget for sums"
    require(epsilon < plan.budget.epsilon, rule, str(epsilon), hint)
    require(delta <= plan.budget.delta, rule, str(delta), hint)


def _require_stage(plan: PlanTerms) -> None:
    """Keep plans with a first stage on the ground of docs/proofs/staged.md."""
    stage = plan.stage
    if stage is None:
        return
    require(isinstance(stage, Stage), "stage must be a Stage or None", stage)
    rule = "a first stage must leave some of the budget for the second"
    left = isinstance(stage.epsilon, Fraction) and stage.epsilon > 0
    require(left and stage.epsilon < plan.budget.epsilon, rule, stage.epsilon)
    rule = "a first stage finds the guess of strategy 'focused'"
    hint = "Leave the stage out: the paper's sums need no guess."
    require(plan.strategy == "focused", rule, plan.strategy, hint)
    rule = "a release in two stages has groups that are declared"
    hint = "Declare the keys, or leave the stage out."
    require(not plan.private_keys, rule, "private keys", hint)
    for question in plan.questions:
        rule = "a residual bound belongs to a guess that is known beforehand"
        hint = "Leave out the stage, or the residual bound."
        bound = question.ratio.residual_bound
        require(bound is None, rule, bound, hint)
    require_people(stage.people, stage.guess)


def require_bins(plan: PlanTerms) -> None:
    """Refuse to plan a test of calibration without bins; roll-up may lose them."""
    for question in plan.questions:
        partition = plan.partitions[question.partition]
        binned = isinstance(partition, Groups) and partition.score_bins
        hint = f"Write groups=ScoreBins('{question.ratio.numerator}', 10)."
        fits = binned or "calibration" not in question.answers
        given = getattr(partition, "columns", None)
        require(fits, "the answer 'calibration' needs bins", given, hint)


def require_people(people: object, guess: object) -> None:
    """Refuse what cannot be expected of a population."""
    counted = people is None or (type(people) is int and 1 <= people <= _MOST_PEOPLE)
    require(counted, "n must be a whole number of at least 1", people)
    known = guess is None or isinstance(guess, Guess)
    require(known, "guess must be a Guess or None", guess)


def _require_answers(plan: PlanTerms) -> None:
    for answers in [question.answers for question in plan.questions]:
        known = isinstance(answers, tuple) and all(each in ANSWERS for each in answers)
        once = known and len(set(answers)) == len(answers) and "ratio" in answers
        rule = (
            "answers must be 'ratio', and perhaps 'means', 'spread' and 'calibration', "
            "each once"
        )
        require(once, rule, answers)
        rule = "the answer 'spread' needs sums that strategy 'focused' does not measure"
        hint = "Use strategy 'joint' or 'even'."
        fits = "spread" not in answers or plan.strategy != "focused"
        require(fits, rule, plan.strategy, hint)


def _require_calibration(plan: PlanTerms, question: PlannedQuestion) -> None:
    """Keep a plan made for the test of calibration to what the test is about."""
    answers, ratio = question.answers, question.ratio
    rule = "the answer 'calibration' is measured by strategy 'focused'"
    hint = "Leave it out: the paper's sums answer the test too."
    require(plan.strategy == "focused", rule, plan.strategy, hint)
    rule = "the answer 'calibration' stands beside 'ratio' alone"
    hint = "Leave one out: a plan for means answers the test too, with less power."
    require(len(answers) == len(("ratio", "calibration")), rule, answers, hint)
    rule = "the answer 'calibration' is about rows, one score and one stage"
    hint = "Leave it out, or leave out ids, minus and stage."
    plain = plan.unit.column is None and ratio.minus is None and plan.stage is None
    require(plain, rule, "others", hint)
    guess = settle_guess(question, plan).guess
    rule = "the answer 'calibration' is measured around the ratio 1"
    hint = "Write guess=1, where score and label have one unit."
    require(guess == 1, rule, guess, hint)


def _require_bounds(plan: PlanTerms, ratios: list[Ratio]) -> None:
    bounds = plan.bounds
    _require_named_bounds(bounds)
    wanted = list(dict.fromkeys(name for each in ratios for name in each.columns))
    missing = [column for column in wanted if column not in bounds]
    hint = f"Add bounds for: {', '.join(missing)}."
    require(not missing, "every column of the ratio needs bounds", list(bounds), hint)
    binned = [
        each.column
        for partition in plan.partitions
        if isinstance(partition, Groups)
        for each in partition.score_bins
    ]
    unused = [column for column in bounds if column not in {*wanted, *binned}]
    hint = "Remove them, or check the spelling."
    require(not unused, "bounds are given for columns not in the ratio", unused, hint)


def _require_named_bounds(bounds: object) -> None:
    rule = "bounds must map column names to Bounds"
    hint = "Write {'score': Bounds(0, 1), …}."
    if not isinstance(bounds, Mapping):
        raise InvalidInput(f"{rule}, got {show_given(bounds)}. {hint}")
    for column, each in bounds.items():
        if not isinstance(each, Bounds):
            shown = show_given(each)
            is_pair = shown[0] in "([" and len(each) == len(("lower", "upper"))
            written = f"Write Bounds({shown[1:-1]})." if is_pair else hint
            raise InvalidInput(
                f"{rule}, got {shown} for {show_given(column)}. {written}"
            )
