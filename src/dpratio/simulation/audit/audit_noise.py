"""The audit: every mechanism and strategy, end to end, against its claim."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from dpratio.checks import require, require_one_of
from dpratio.errors import InvalidInput
from dpratio.plan.laws import CLASSICAL_GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.plan import Plan
from dpratio.plan.realise import realise
from dpratio.plan.settle import STRATEGIES
from dpratio.simulation.audit.bound import RISK, largest_scale, least_epsilon, least_mu
from dpratio.simulation.audit.draw import (
    Door,
    Draw,
    Seen,
    look_at,
    released_by,
    totals_by,
)
from dpratio.simulation.audit.findings import Audit, Finding
from dpratio.simulation.audit.histograms import histogram_audit
from dpratio.simulation.audit.invent import releases_of
from dpratio.simulation.audit.keys import key_audit
from dpratio.simulation.audit.law import gaussian_divergence
from dpratio.simulation.audit.pair import Pair, find_pair
from dpratio.simulation.audit.question import (
    DELTA,
    QUESTIONS,
    SAMPLE,
    plan_for,
    plan_of_totals,
)
from dpratio.simulation.audit.refute import faults_of
from dpratio.simulation.audit.repeats import least_alike
from dpratio.simulation.audit.rounded_law import laws_of, names_of
from dpratio.simulation.progress import Progress, Report, silent, stages
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.groups import Groups
from dpratio.terms.study import MEASURED, UNMEASURED


def claimed_distance(
    law: NoiseLaw, strategy: str, *, epsilon: Fraction, delta: Fraction, sums: int
) -> float:
    """Give the distance a unit may move: epsilon, or μ under Gaussian noise.

    Strategy ``even`` claims a share of the budget for each sum; the squares of their μ
    add up, since one row may be extreme in all of them.

    Example:
        >>> from dpratio.plan.laws import GAUSSIAN
        >>> claimed = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6), "sums": 6}
        >>> round(1 / claimed_distance(GAUSSIAN, "joint", **claimed), 6)
        4.224679
    """
    if law == LAPLACE:
        return float(epsilon)
    parts = sums if strategy == "even" else 1
    share, rest = float(epsilon / parts), float(delta / parts)
    if law == CLASSICAL_GAUSSIAN:
        # Dwork & Roth (2014), theorem A.1.
        each = share / math.sqrt(2 * math.log(1.25 / rest))
    else:
        each = _largest_mu(share, rest)
    return math.sqrt(parts) * each


def _largest_mu(epsilon: float, delta: float) -> float:
    """Solve for the μ that costs (epsilon, delta)."""
    from scipy.optimize import brentq

    def excess(mu: float) -> float:
        return gaussian_divergence(mu, epsilon) - delta

    return float(brentq(excess, 1e-9, 100 + 10 * math.sqrt(epsilon), xtol=1e-15))


SAMPLES = 100_000
EPSILONS = ("0.2", "1", "4")
CUTS, KEYS, STAGES, HISTOGRAMS = "cuts", "keys", "stages", "histograms"
_STRATEGIES = (*STRATEGIES, CUTS, KEYS, STAGES, HISTOGRAMS)

_FEWEST = 100
_SMALLEST, _LARGEST = Fraction(1, 100), Fraction(100)
_HARDLY = Fraction(4, 10**7)  # An epsilon at which millions of rows drown in noise.


@dataclass(frozen=True, slots=True)
class _Case:
    """What is released and by whom it is protected."""

    mechanism: str
    strategy: str
    unit: str
    epsilon: str

    def finding(self, **found: Any) -> Finding:  # noqa: ANN401 (fields of a finding)
        """Give what was found of it."""
        names = (self.mechanism, self.strategy, self.unit)
        return Finding(*names, Budget(self.epsilon).epsilon, **found)

    @property
    def law(self) -> NoiseLaw:
        """The law of the noise."""
        return LAWS[self.mechanism]


def audit_noise(
    *,
    folder: Path,
    samples: int = SAMPLES,
    epsilons: Sequence[str] = EPSILONS,
    mechanisms: Sequence[str] = tuple(LAWS),
    strategies: Sequence[str] = _STRATEGIES,
    units: Sequence[str] | None = None,
    report: Report = silent,
) -> Audit:
    """Release invented neighbours end to end and bound their privacy loss from below.

    Args:
        folder: Where the invented tables are written.
        samples: How many samples are drawn of each table.
        epsilons: The budgets that are tried.
        mechanisms: Which noise is audited.
        strategies: Which strategies; ``"cuts"`` stands for a default release, which
            counts the units that bounds cut, ``"keys"`` for finding keys privately,
            ``"stages"`` for both stages of a release that finds its guess,
            ``"histograms"`` for those that propose bounds.
        units: Who is protected: ``"row"``, ``"changed-row"`` or ``"person"``. By
            default rows at every epsilon, and the others at the largest.
        report: Called with the steps done and the steps in all.

    Returns:
        One finding for each case: what was shown, beside what is claimed.

    Raises:
        InvalidInput: When nothing is left to audit, or an option breaks a rule.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     audit = audit_noise(
        ...         folder=Path(folder),
        ...         samples=2_000,
        ...         epsilons=["1"],
        ...         mechanisms=["laplace"],
        ...         strategies=["even"],
        ...         units=["row"],
        ...     )
        >>> audit.with_verdict("too little noise")
        0
    """
    counted = isinstance(samples, int) and samples >= _FEWEST
    require(counted, f"samples must be a whole number of at least {_FEWEST}", samples)
    cases = list(_cases(epsilons, mechanisms, strategies, units))
    hint = (
        "Keys, stages and histograms have Laplace noise; classical noise ends at "
        "epsilon 1."
    )
    require(cases, "nothing is left to audit", list(strategies), hint)
    findings = [
        finding
        for case, told in zip(cases, stages(report, len(cases)), strict=True)
        for finding in _find(case, folder, samples, told, risk=RISK / len(cases))
    ]
    return Audit(tuple(findings), samples)


def _cases(
    epsilons: Sequence[str],
    mechanisms: Sequence[str],
    strategies: Sequence[str],
    units: Sequence[str] | None,
) -> Iterator[_Case]:
    """List the cases that exist: classical noise is for ``even``, up to epsilon 1."""
    for mechanism in mechanisms:
        require_one_of(mechanism, LAWS, "mechanism")
    for strategy in strategies:
        require_one_of(strategy, _STRATEGIES, "strategy")
    for unit in units or ():
        require_one_of(unit, QUESTIONS, "unit")
    for each in epsilons:
        hint = "Below, one unit hardly shows; above, all of it does."
        within = _SMALLEST <= Budget(each).epsilon <= _LARGEST
        rule = "the audit tries an epsilon from 0.01 to 100"
        require(within, rule, each, hint)
    largest = max(epsilons, key=lambda each: Budget(each).epsilon, default=None)
    every = product(units or QUESTIONS, mechanisms, strategies, epsilons)
    for unit, mechanism, strategy, epsilon in every:
        asked = units is not None or unit == "row" or epsilon == largest
        case = _Case(mechanism, strategy, unit, epsilon)
        if asked and _exists(case):
            yield case


def _exists(case: _Case) -> bool:
    if case.strategy == KEYS:
        return case.law == LAPLACE and case.unit == "row"
    if case.strategy in {STAGES, HISTOGRAMS}:
        return case.law == LAPLACE
    if case.law != CLASSICAL_GAUSSIAN:
        return True
    try:
        _plan_of(case)
    except InvalidInput:
        return False
    return True


def _find(
    case: _Case,
    folder: Path,
    samples: int,
    report: Report,
    *,
    risk: float,
) -> list[Finding]:
    def door_for(releases: int) -> Door:
        return Door(folder, Progress(report, releases).tick)

    if case.strategy == KEYS:
        return _find_keys(case, samples, door_for, risk=risk)
    if case.strategy == HISTOGRAMS:
        return [_find_histogram(case, samples, door_for(2))]
    found = [_find_sums(case, samples, door_for, risk=risk)]
    if case.strategy == STAGES and case.unit == "row":
        found.append(_find_totals(case, samples, door_for, risk=risk))
    return found


def _find_sums(
    case: _Case, samples: int, door_for: Callable[[int], Door], *, risk: float
) -> Finding:
    question = QUESTIONS[case.unit]
    plan = _plan_of(case)
    pair = find_pair(plan, question)
    door = door_for(releases_of(question, pair, samples))
    draw = released_by(door, plan, question, pair, samples)
    return _finding(case, plan, pair, samples, draw, risk=risk)


def _find_totals(
    case: _Case, samples: int, door_for: Callable[[int], Door], *, risk: float
) -> Finding:
    """Audit the totals of a first stage that spends half of the budget."""
    staged = _plan_of(case, Fraction(1, 2))
    plan = plan_of_totals(staged)
    pair = find_pair(plan, QUESTIONS[case.unit])
    draw = totals_by(door_for(2), staged, pair, samples)
    half = decimal_text(Budget(case.epsilon).epsilon / 2)
    first = replace(case, strategy=f"{STAGES}, the first", epsilon=half)
    return _finding(first, plan, pair, samples, draw, risk=risk)


def _finding(
    case: _Case, plan: Plan, pair: Pair, samples: int, draw: Draw, *, risk: float
) -> Finding:
    """Hold what samples show to what is claimed."""
    question = QUESTIONS[case.unit]
    seen = look_at(plan, question, pair, samples, draw)
    laplace = case.law == LAPLACE
    shown = (
        least_epsilon(list(pair.shape), seen.counts)
        if laplace
        else least_mu(seen.counts)
    )
    asked = Budget(case.epsilon, DELTA)
    return case.finding(
        measure="epsilon" if laplace else "mu",
        units=pair.units,
        claimed=claimed_distance(
            case.law,
            case.strategy,
            epsilon=asked.epsilon,
            delta=asked.delta,
            sums=len(plan.measurements[0].sums),
        ),
        planned=pair.largest,
        shown=shown / pair.units,
        noise=_least_noise(case.law, seen),
        alike=least_alike(seen.agreements),
        faults=faults_of(seen.tally, laws_of(plan), names_of(plan), risk=risk),
    )


def _least_noise(law: NoiseLaw, seen: Seen) -> float:
    """Give the noise of the sum that has least, at most, as a part of the plan's."""
    return min(
        largest_scale(
            law,
            beyond=seen.beyond,
            hits=hits,
            trials=seen.drawn,
            risk=RISK / len(seen.large),
        )
        for hits in seen.large
    )


def _plan_of(case: _Case, stage: Fraction | None = None) -> Plan:
    """Plan for one sample; others are given the same noise.

    Of two stages the first has so much noise that it hardly ever moves the guess: then
    the same sums are measured of every table, and the plan declares these.
    """
    drowned = case.strategy == STAGES and stage is None
    if drowned:
        stage = _HARDLY / Budget(case.epsilon).epsilon
    question = QUESTIONS[case.unit]
    plan = plan_for(
        question,
        strategy="focused" if case.strategy in {STAGES, CUTS} else case.strategy,
        mechanism=case.mechanism,
        epsilon=case.epsilon,
        stage=stage,
        clipping=MEASURED if case.strategy == CUTS else UNMEASURED,
    )
    if not drowned:
        return plan
    several = plan.over(Groups(SAMPLE, range(2 * question.cells)))
    (measured,) = realise(several, [(0, 0)])
    return plan.measuring([measured]).over(plan.measurements[0].groups)


def _find_keys(
    case: _Case, samples: int, door_for: Callable[[int], Door], *, risk: float
) -> list[Finding]:
    audit = key_audit(case.epsilon)
    door = door_for(audit.releases(samples))
    epsilon, faults = audit.look_at_loss(door, samples, risk=risk)
    loss, single = float(audit.loss.budget.epsilon), float(audit.single.budget.delta)
    return [
        case.finding(
            measure="epsilon",
            units=audit.extra,
            claimed=loss,
            planned=loss,
            shown=epsilon,
            faults=faults,
        ),
        case.finding(
            measure="delta",
            units=1,
            claimed=single,
            planned=single,
            shown=audit.least_delta(door, samples),
        ),
    ]


def _find_histogram(case: _Case, samples: int, door: Door) -> Finding:
    audit = histogram_audit(case.unit, case.epsilon)
    return case.finding(
        measure="epsilon",
        units=audit.units,
        claimed=float(Budget(case.epsilon).epsilon),
        planned=audit.planned,
        shown=audit.least_epsilon(door, samples),
    )
