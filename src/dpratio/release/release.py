"""The artifact: noisy integers, their plan, and nothing else of the data."""

import html
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import refuse, require
from dpratio.plan.histogram.histograms import grid_of
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion, pick_question
from dpratio.plan.realise import is_realised
from dpratio.plan.sensitivity.contrast import contrast_of
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.release.noisy_sums import (
    NoiseLayer,
    NoisySums,
    require_totals,
    to_integers,
)
from dpratio.release.release_id import (
    require_derived,
    require_hash,
    require_id,
    require_origin,
)
from dpratio.tabular import printable
from dpratio.terms.budget import Budget, cost_words
from dpratio.terms.dimensions import Cell
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio, is_unicode
from dpratio.version import __version__

__all__ = [
    "EXTERNAL_WORDS",
    "MADE_BY",
    "Release",
    "ReleasedQuestion",
    "fresh_question",
    "require_release",
]


MADE_BY = f"dpratio {__version__}"
EXTERNAL_WORDS = (
    "these sums were measured by {origin}; their noise is as stated there, and dpratio "
    "makes no privacy claim about them."
)


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedQuestion:
    """A question with its noisy integers, groups × sums; they are kept read-only.

    ``groups`` are declared, found privately, or None for the whole table. ``first`` are
    the noisy totals of a first stage: they led to what is ``asked`` here. ``beside``
    are sums of the same question that were merged into it and measured around other
    guesses; nobody is in two of them, as was promised.
    """

    asked: PlannedQuestion
    groups: Groups | None
    values: Integers
    noise: tuple[NoiseLayer, ...]
    first: tuple[int, ...] | None = None
    beside: tuple[NoisySums, ...] = ()

    def __post_init__(self) -> None:
        require_totals(self.first)
        object.__setattr__(self, "values", self._checked(self.values))
        others = tuple(
            replace(each, values=self._checked(each.values)) for each in self.beside
        )
        object.__setattr__(self, "beside", others)
        kinds = {each.kind for each in self.sums}
        rule = "sums may stand side by side only if their guesses or lattices differ"
        require(len(kinds) == len(self.sums), rule, "the same guess twice")
        limits = [each.contrast is None or each.contrast.limit for each in self.sums]
        rule = "sums of different guesses are z and h of a focused plan, without limit"
        require(not (others and any(limits)), rule, "others")

    def _checked(self, given: object) -> Integers:
        """Refuse integers that do not fit the cells and the sums."""
        values = to_integers(given)
        cells = 1 if self.groups is None else self.groups.count
        fits = values.ndim == 2 and len(values) == cells  # noqa: PLR2004
        require(fits, f"values must have {cells} rows", values.shape)
        planned = len(self.asked.sums)
        fits = values.shape[1] == planned
        require(fits, f"values must hold {planned} sums", values.shape[1])
        return values

    @property
    def sums(self) -> tuple[NoisySums, ...]:
        """Its noisy integers around its own guess, then those around others."""
        asked, contrast = self.asked, None
        if any("z" in each.summand.factors for each in asked.sums):
            contrast = contrast_of(asked.ratio, asked.basis)
        steps = tuple(each.step for each in asked.sums)
        return NoisySums(contrast, steps, self.values, self.noise), *self.beside

    @property
    def integers(self) -> Integers:
        """All of them, groups × sums: its own, then those around other guesses."""
        return np.concatenate([each.values for each in self.sums], axis=1)

    @property
    def name(self) -> str:
        """What the question is called."""
        return self.asked.name

    @property
    def ratio(self) -> Ratio:
        """What is asked."""
        return self.asked.ratio

    @property
    def keys(self) -> tuple[Cell, ...]:
        """The cells in their order; one None for the whole table."""
        return (None,) if self.groups is None else self.groups.keys

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ReleasedQuestion)
            and (self.asked, self.groups, self.noise, self.first, self.beside)
            == (other.asked, other.groups, other.noise, other.first, other.beside)
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash(self.values.shape)


@dataclass(frozen=True, slots=True)
class Release:
    """Noisy sums in whole lattice cells, with their plan.

    Args:
        id: 32 hexadecimal digits that name this release.
        plan: What was measured and with how much noise.
        questions: Each question of the plan, with its noisy integers.
        made_by: The program and version that made it.
        is_simulated: Whether the people in it are invented.
        sources: The ids of the releases it was rolled up or merged from.
        ledger_head: The head of the ledger when data were opened for it; None where
            no ledger was kept, and where it was made from others.
        origin: For sums that another system measured: its name. dpratio makes no
            privacy claim about them. See `wrap_sums`.
        ledger_heads: The heads of the releases it was made from.
        cost_if_disjoint: What it costs if nobody is in two of the releases that were
            merged, as was promised; None where none were.
        source_hash: A salted hash of what was read, or None; the ledger has the salt.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> release.is_simulated, [question.name for question in release.questions]
        (True, ['score per label by region', 'score per label by score'])
    """

    id: str
    plan: Plan
    questions: tuple[ReleasedQuestion, ...]
    made_by: str
    is_simulated: bool = False
    sources: tuple[str, ...] = ()
    ledger_head: str | None = None
    origin: str | None = None
    ledger_heads: tuple[str, ...] = ()
    cost_if_disjoint: Budget | None = None
    source_hash: str | None = None

    def __post_init__(self) -> None:
        for name in (self.id, *self.sources):
            require_id(name)
        for head in (self.ledger_head, *self.ledger_heads):
            require_hash(head, "a ledger head")
        require_hash(self.source_hash, "the hash of a source")
        apart, cost = self.cost_if_disjoint, self.cost
        require_derived(self.ledger_heads, self.sources, apart, cost)
        made = isinstance(self.made_by, str) and is_unicode(self.made_by)
        require(made, "made_by must be text", self.made_by)
        given = self.is_simulated
        require(isinstance(given, bool), "is_simulated must be true or false", given)
        require_origin(self.origin, self.plan.strategy)
        _require_asked(self)

    def question(self, which: str | int) -> ReleasedQuestion:
        """Give the question of a name, or of a number from 1.

        Raises:
            InvalidInput: When there is none; the message lists those there are.
        """
        return pick_question(self.questions, which)

    @property
    def measured(self) -> Plan:
        """The plan as it was measured: with the guesses that were found."""
        if self.plan.stage is None:
            return self.plan
        asked = tuple(each.asked for each in self.questions)
        return replace(self.plan, questions=asked)

    @property
    def cost(self) -> Budget:
        """What it costs: of merged releases the sum, whoever is in them."""
        return Budget(self.plan.epsilon, self.plan.delta)

    @property
    def all_heads(self) -> tuple[str, ...]:
        """The heads of its ledger, or of the ledgers of what it was made from."""
        own = () if self.ledger_head is None else (self.ledger_head,)
        return (*own, *self.ledger_heads)

    def __hash__(self) -> int:
        return hash(self.id)

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(str(self))}</p>{self.measured.to_html()}"

    def __str__(self) -> str:
        plan = self.plan
        simulated = (
            "SIMULATED: the people in it are invented. " if self.is_simulated else ""
        )
        count = sum(len(question.values) for question in self.questions)
        others = len(self.sources)
        plural = "" if others == 1 else "s"
        made = f", made from {others} other release{plural}" if others else ""
        ratios = list(dict.fromkeys(str(question.ratio) for question in plan.questions))
        each = dict.fromkeys(str(len(question.sums)) for question in plan.questions)
        held = (
            f"{' and '.join(ratios)}, {count} {'answer' if count == 1 else 'answers'}"
        )
        held += f", {' or '.join(each)} noisy sums each"
        if plan.strategy == HISTOGRAM:
            names = " and ".join(question.name for question in plan.questions)
            held = f"noisy counts of {names} in {count} cells"
        if self.origin is not None:
            simulated += f"EXTERNAL: {EXTERNAL_WORDS.format(origin=self.origin)} "
        return printable(
            f"{simulated}Release {self.id}: {held}{made}{self._said_of_guesses()}; "
            f"{cost_words(self.cost)}{' as claimed there' if self.origin else ''}"
            f"{self._said_of_cost()}."
            f"{'' if self.origin else f' Not covered: {plan.not_covered[0]}'}"
        )

    @property
    def ways_measured(self) -> str:
        """Where sums around different guesses were merged, around which; else none."""
        ways = max((len(each.sums) for each in self.questions), default=1)
        around = {
            one.contrast.centre
            for each in self.questions
            for one in each.sums
            if one.contrast is not None
        }
        if ways == 1:
            return ""
        low, high = min(around), max(around)
        guesses = "the guess" if low == high else f"guesses from {low:g} to"
        return f"measured in {ways} ways, around {guesses} {high:g}"

    def _said_of_guesses(self) -> str:
        return f" and {self.ways_measured}" if self.ways_measured else ""

    def _said_of_cost(self) -> str:
        if self.cost_if_disjoint is None:
            return ""
        return (
            f" in all; {cost_words(self.cost_if_disjoint)} if nobody is in two of them,"
            " as promised"
        )


def require_release(given: object) -> None:
    """Refuse what is no release of sums; a file's name is to be read first."""
    hint = ""
    if isinstance(given, str | PathLike):
        hint = f"Read it first: read_release({str(given)!r})."
    require(isinstance(given, Release), "release must be a Release", given, hint)
    plan = given.plan  # type: ignore[attr-defined]  # refused above
    if plan.strategy == HISTOGRAM:
        rule = "a release of histograms holds no sums of a ratio"
        reader = "propose_bounds" if grid_of(plan) is None else "propose_bins"
        refuse(rule, plan.strategy, f"Read it with {reader}.")


def _require_asked(release: Release) -> None:
    """Refuse answers to other questions than the plan's, or than its first stage's."""
    plan = release.plan
    asked = tuple(each.asked for each in release.questions)
    merged = len(release.sources) > 1
    rule = "sums around other guesses belong to releases that were merged"
    others = sum(len(each.beside) for each in release.questions)
    require(merged or not others, rule, others)
    firsts = [each.first for each in release.questions if each.first is not None]
    if plan.stage is None or release.sources:
        rule = "a release answers the questions of its plan"
        require(asked == plan.questions, rule, "others")
        rule = "totals of a first stage belong to a release in two stages"
        require(not firsts, rule, len(firsts))
        return
    rule = "what was measured must be what the noisy totals of the first stage lead to"
    require(is_realised(plan, asked, firsts), rule, "something else")


def fresh_question(
    plan: Plan, question: PlannedQuestion, groups: Groups | None, values: Integers
) -> ReleasedQuestion:
    """Give a question with sums that were measured just now."""
    ones = np.ones(1, dtype=np.int64)
    layer = NoiseLayer(plan.mechanism, tuple(question.scales), ones)
    return ReleasedQuestion(question, groups, values, (layer,))
