"""Merging: sums of disjoint people add, and so does their noise."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.histogram.histograms import counted_of
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.sums import CUT
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.release.noisy_sums import NoisySums, added_sums
from dpratio.release.release import MADE_BY, Release, ReleasedQuestion
from dpratio.release.roll_up import derived_id
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.study import UNMEASURED

__all__ = ["merge"]


def merge(releases: Sequence[Release], *, units_are_disjoint: bool = False) -> Release:
    """Add releases of one question about different people: sites, months, waves.

    Sums around the same guess add up. Sums around other guesses, given or found by
    first stages, are kept side by side, and answers add up what they say.

    Args:
        releases: Two releases or more, of the same terms and cells; budgets and
            guesses may differ. How many people bounds cut is added up where all of
            them counted it, and left out where one did not.
        units_are_disjoint: Must be True. You promise that no row and no person is in
            two of the releases; nothing in them can show it, and intervals rest on it.

    Returns:
        One release about all of them. Nothing is spent. Its cost is the sum of their
        costs; ``cost_if_disjoint`` is the largest epsilon and the largest delta, which
        is what a person pays who is in only one of them, as promised.

    Raises:
        InvalidInput: When the promise is missing, or releases share a source or differ
            in what was measured; the message gives the reason.

    Guarantee:
        The stated cost is at least the sum of what was charged for the releases, so it
        holds for people who are in all of them. Proof: docs/proofs/derived.md.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> table = {"score": [0.2, 0.9] * 500, "label": [0, 1] * 500}
        >>> sites = [dpr.release_sums(table, plan, ledger=None) for _ in range(2)]
        >>> both = dpr.merge(sites, units_are_disjoint=True)
        >>> both.plan.epsilon, both.cost_if_disjoint
        (Fraction(2, 1), Budget(epsilon=1, delta=0))
    """
    given = list(releases) if isinstance(releases, list | tuple) else []
    enough = len(given) > 1 and all(isinstance(each, Release) for each in given)
    require(enough, "merging needs two releases or more", len(given))
    if len({each.plan.clipping for each in given}) > 1:
        given = [_without_cuts(each) for each in given]
    first = given[0]
    for other in given[1:]:
        _require_alike(first, other)
    sources = [name for each in given for name in (each.sources or (each.id,))]
    hint = "The same people would count twice."
    rule = "releases that are merged must not share a source"
    require(len(set(sources)) == len(sources), rule, _repeated(sources), hint)
    hint = (
        "Say units_are_disjoint=True if that is so: it is your promise. Otherwise plan "
        "one release over all rows."
    )
    rule = "releases add up only if no row and no person is in two of them"
    require(units_are_disjoint is True, rule, units_are_disjoint, hint)
    plan = _added_up([each.measured for each in given])
    questions = tuple(
        _added(asked, same)
        for asked, *same in zip(
            plan.questions, *(each.questions for each in given), strict=True
        )
    )
    ordered = sorted(sources)
    return Release(
        id=derived_id(
            "merge", [], repr((ordered, [_shape(each) for each in questions]))
        ),
        plan=plan,
        questions=questions,
        made_by=MADE_BY,
        is_simulated=any(each.is_simulated for each in given),
        sources=tuple(ordered),
        ledger_heads=tuple(sorted({head for each in given for head in each.all_heads})),
        cost_if_disjoint=_dearest(given),
        origin=_origins(given),
    )


def _added_up(plans: Sequence[Plan]) -> Plan:
    """Give a plan that states what somebody pays who is in all of the releases.

    Its noise is that of one of them; the epsilon and delta of the others come on top,
    and so do the keys that they found.

    Raises:
        InvalidInput: When the costs are too large together to be stated.

    Guarantee:
        Epsilon and delta of the result are at least the sums of those of the plans,
        however the plans were added up before. Proof: docs/proofs/derived.md.
    """
    # Chosen by what adding leaves alone, so that the order does not matter.
    first = max(plans, key=_rank)
    epsilon = sum((plan.epsilon for plan in plans), Fraction(0))
    delta = sum((plan.delta for plan in plans), Fraction(0))
    # Keys were found for each release, and paid for each time.
    found = [each for plan in plans for each in plan.private_keys]
    for each in first.partitions:
        if isinstance(each, PrivateKeys):
            found.remove(each)
    named = {plan.title for plan in plans}
    mechanism = first.mechanism
    if mechanism == "laplace":
        # A delta that was allowed and not needed is not spent, and stays allowed.
        delta = max(delta, *(plan.budget.delta for plan in plans))
    else:
        # The classical formula ends at epsilon 1. The law of the noise is the same.
        mechanism = "analytic_gaussian"
    return replace(
        first,
        title=first.title if len(named) == 1 else None,
        mechanism=mechanism,
        budget=Budget(epsilon, delta),
        found=tuple(sorted(found, key=repr)),
    )


def _dearest(releases: Sequence[Release]) -> Budget:
    """Give the largest epsilon and delta that somebody pays who is in one of them."""
    costs = [each.cost_if_disjoint or each.cost for each in releases]
    epsilon = max(each.epsilon for each in costs)
    return Budget(epsilon, max(each.delta for each in costs))


def _rank(plan: Plan) -> tuple[bool, str]:
    lasting = (plan.questions, plan.partitions, plan.stage)
    return plan.mechanism != "laplace", repr(lasting)


def _without_cuts(release: Release) -> Release:
    """Leave out the counts of those whom bounds cut: the last sum of a question."""
    plan = release.plan
    asked = tuple(map(_uncounted, plan.questions))
    questions = []
    for each in release.questions:
        held = _uncounted(each.asked)
        own, *beside = (_first(sums, len(held.sums)) for sums in each.sums)
        questions.append(
            ReleasedQuestion(
                held, each.groups, own.values, own.noise, each.first, tuple(beside)
            )
        )
    return replace(
        release,
        plan=replace(plan, questions=asked, clipping=UNMEASURED),
        questions=tuple(questions),
    )


def _uncounted(question: PlannedQuestion) -> PlannedQuestion:
    kept = tuple(each for each in question.sums if each.summand != CUT)
    return replace(question, sums=kept)


def _first(sums: NoisySums, count: int) -> NoisySums:
    """Keep the first sums, with their noise."""
    noise = tuple(replace(each, scales=each.scales[:count]) for each in sums.noise)
    return replace(
        sums, steps=sums.steps[:count], values=sums.values[:, :count], noise=noise
    )


def _added(
    asked: PlannedQuestion, given: Sequence[ReleasedQuestion]
) -> ReleasedQuestion:
    """Add up a question; sums around other guesses than what is asked stay beside."""
    sums = added_sums([each for question in given for each in question.sums])
    kind = next(each.sums[0].kind for each in given if each.asked == asked)
    own = next(each for each in sums if each.kind == kind)
    beside = tuple(each for each in sums if each is not own)
    return ReleasedQuestion(
        asked, given[0].groups, own.values, own.noise, beside=beside
    )


def _require_alike(first: Release, other: Release) -> None:
    """Refuse releases whose sums say different things."""
    hint = "Make all releases from one plan; only budget and guess may differ."
    names = ("bounds", "unit", "strategy")
    for name in names:
        same = getattr(first.plan, name) == getattr(other.plan, name)
        require(same, "releases that are merged must agree", f"another {name}", hint)
    ratios = [
        [replace(question.ratio, guess=None, guess_is="close") for question in each]
        for each in (first.questions, other.questions)
    ]
    require(ratios[0] == ratios[1], "releases must ask the same", "another ratio", hint)
    for pair in zip(first.questions, other.questions, strict=True):
        rule = "releases that are merged must agree"
        same = pair[0].asked.totals == pair[1].asked.totals
        require(same, rule, "other totals", hint)
        sums = [[one.summand for one in each.asked.sums] for each in pair]
        rule = "releases that are merged must hold the same sums"
        require(sums[0] == sums[1], rule, "other sums", hint)
        rule = "releases that are merged must have the same cells"
        require(pair[0].groups == pair[1].groups, rule, "other groups", hint)
        if first.plan.strategy == HISTOGRAM:
            # The cells are the same, whatever is counted in them.
            counted = [
                counted_of(each.plan, question.asked)
                for each, question in zip((first, other), pair, strict=True)
            ]
            rule = "histograms that are merged must count the same"
            require(counted[0] == counted[1], rule, "totals in other groups", hint)
        _require_no_limits(pair)


def _require_no_limits(pair: tuple[ReleasedQuestion, ReleasedQuestion]) -> None:
    """Refuse values that were clipped around two guesses: nothing tells both."""
    first, other = (each.sums[0] for each in pair)
    hint = "A residual bound is a promise about one guess. Give all plans that guess."
    rule = "releases with a residual bound are merged around one guess"
    same = pair[0].ratio.residual_bound is None or first.kind == other.kind
    guess = None if other.contrast is None else other.contrast.centre
    require(same, rule, guess, hint)


def _origins(releases: Sequence[Release]) -> str | None:
    """Name every system whose sums were merged."""
    named = {each.origin for each in releases if each.origin is not None}
    return " and ".join(sorted(named)) if named else None


def _shape(question: ReleasedQuestion) -> tuple[object, ...]:
    """Say what tells one merged question from another, the integers aside."""
    layers = [
        [(each.mechanism, each.scales, each.counts.tolist()) for each in sums.noise]
        for sums in question.sums
    ]
    kinds = [each.kind for each in question.beside]
    return question.groups, layers[0], *zip(kinds, layers[1:], strict=True)


def _repeated(names: list[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")
