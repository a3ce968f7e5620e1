"""The artifact: noisy integers, their plan, and nothing else of the data."""

import html
import re
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.plan.laws import LARGEST_SCALE, SMALLEST_SCALE, NoiseLaw
from dpratio.plan.measurement import Measurement, pick_question
from dpratio.plan.plan import Plan, require_ratios
from dpratio.plan.price import AnyPlan
from dpratio.plan.realise import is_realised
from dpratio.plan.sensitivity.sums import Contrast, contrast_of
from dpratio.plan.strategy.first_stage import TOTALS
from dpratio.release.id import require_id
from dpratio.tabular import printable
from dpratio.terms.budget import Budget, cost_words
from dpratio.terms.groups import GroupKey, Groups
from dpratio.terms.ratio import Ratio, is_unicode
from dpratio.version import __version__


@dataclass(frozen=True, slots=True, eq=False)
class NoiseLayer:
    """Noise of one law that lies on the sums of a question.

    ``counts`` says how many independent draws were added into each cell: one, unless
    cells were rolled up or releases merged. It has one entry where all cells agree.
    """

    law: NoiseLaw
    scales: tuple[float, ...]
    counts: Integers

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NoiseLayer)
            and (self.law, self.scales) == (other.law, other.scales)
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((self.law, self.scales))


@dataclass(frozen=True, slots=True, eq=False)
class NoisySums:
    """Noisy integers, groups × sums, in cells of ``steps``, and their noise.

    ``contrast`` says what z and h are; None where sums are of the columns themselves.
    """

    contrast: Contrast | None
    steps: tuple[float, ...]
    values: Integers
    noise: tuple[NoiseLayer, ...]

    @property
    def kind(self) -> tuple[Contrast | None, tuple[float, ...]]:
        """What sums must share to be added as whole numbers."""
        return self.contrast, self.steps

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NoisySums)
            and (self.kind, self.noise) == (other.kind, other.noise)
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash(self.kind)


def to_integers(values: object) -> Integers:
    """Return a read-only copy of whole numbers of 64 bits; refuse everything else."""
    try:
        array = np.array(values)
    except (ValueError, OverflowError):
        array = np.array(None)
    if array.dtype.kind not in "iu" or (
        array.size and not -(2**63) < int(array.min()) <= int(array.max()) < 2**63
    ):
        raise InvalidInput("values must be whole numbers of 64 bits.", field="values")
    integers = array.astype(np.int64, copy=False)
    integers.flags.writeable = False
    return integers


_HASH = re.compile("[0-9a-f]{64}")
MADE_BY = f"dpratio {__version__}"
EXTERNAL_WORDS = (
    "these sums were measured by {origin}; their noise is as stated there, and dpratio "
    "makes no privacy claim about them."
)


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedQuestion:
    """A question with its noisy integers, groups × sums; they are kept read-only.

    ``groups`` are declared, found privately, or None for the whole table. ``first`` are
    the noisy totals of a first stage: they led to what is ``planned`` here. ``beside``
    are sums of the same question that were merged into it and measured around other
    guesses; nobody is in two of them, as was promised.
    """

    planned: Measurement | Histogram
    groups: Groups | None
    values: Integers
    noise: tuple[NoiseLayer, ...]
    first: tuple[int, ...] | None = None
    beside: tuple[NoisySums, ...] = ()

    def __post_init__(self) -> None:
        _require_totals(self.first)
        rows = 1 if self.groups is None else self.groups.count
        object.__setattr__(self, "values", _checked_values(self.sums[0], rows))
        others = tuple(
            replace(sums, values=_checked_values(sums, rows)) for sums in self.beside
        )
        object.__setattr__(self, "beside", others)
        if len({sums.kind for sums in self.sums}) < len(self.sums):
            raise InvalidInput(
                "sums may stand side by side only if their guesses or lattices differ.",
                field="beside",
            )
        if others and any(
            sums.contrast is None or sums.contrast.limit for sums in self.sums
        ):
            raise InvalidInput(
                "sums of different guesses are z and h of a focused plan, without "
                "limit.",
                field="beside",
            )

    @property
    def sums(self) -> tuple[NoisySums, ...]:
        """Its noisy integers around its own guess, then those around others."""
        question, contrast = self.planned, None
        if isinstance(question, Measurement) and any(
            "z" in part.summand.factors for part in question.sums
        ):
            contrast = contrast_of(question.ratio, question.basis)
        steps = tuple(measured.step for measured in question.sums)
        return NoisySums(contrast, steps, self.values, self.noise), *self.beside

    @property
    def measurement(self) -> Measurement:
        """What was measured for a ratio.

        Raises:
            InvalidInput: When a histogram was.
        """
        if not isinstance(self.planned, Measurement):
            raise InvalidInput(
                "a histogram holds no sums of a ratio.", field="question"
            )
        return self.planned

    @property
    def histogram(self) -> Histogram:
        """What was counted.

        Raises:
            InvalidInput: When sums of a ratio were measured.
        """
        if not isinstance(self.planned, Histogram):
            raise InvalidInput("sums of a ratio are no histogram.", field="question")
        return self.planned

    @property
    def integers(self) -> Integers:
        """All of them, groups × sums: its own, then those around other guesses."""
        return np.concatenate([sums.values for sums in self.sums], axis=1)

    @property
    def name(self) -> str:
        """What the question is called."""
        return self.planned.name

    @property
    def ratio(self) -> Ratio:
        """The ratio in question."""
        return self.planned.ratio

    @property
    def keys(self) -> tuple[GroupKey, ...]:
        """The cells in their order; one None for the whole table."""
        return (None,) if self.groups is None else self.groups.keys

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ReleasedQuestion)
            and (self.planned, self.groups, self.noise, self.first, self.beside)
            == (other.planned, other.groups, other.noise, other.first, other.beside)
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
    plan: AnyPlan
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
        require_id(self.id)
        for name in self.sources:
            require_id(name, "sources")
        _require_hashes((self.ledger_head, *self.ledger_heads), "ledger")
        _require_hashes((self.source_hash,), "source")
        if not _is_text(self.made_by):
            raise InvalidInput(
                f"made_by must be text, got {show_given(self.made_by)}.",
                field="made_by",
            )
        if not isinstance(self.is_simulated, bool):
            raise InvalidInput(
                "is_simulated must be true or false, got "
                f"{show_given(self.is_simulated)}.",
                field="simulated",
            )
        _require_origin(self.origin, is_external=self.plan.is_external)
        apart, cost = self.cost_if_disjoint, self.cost
        if apart is not None and (
            apart.epsilon > cost.epsilon or apart.delta > cost.delta
        ):
            raise InvalidInput(
                "one of several releases costs no more than all of them.",
                field="derived",
            )
        self._require_questions()

    def _require_questions(self) -> None:
        """Refuse answers to other questions than the plan's, or its first stage's."""
        if len(self.sources) < 2 and any(  # noqa: PLR2004 (a release that was merged)
            question.beside for question in self.questions
        ):
            raise InvalidInput(
                "sums around other guesses belong to releases that were merged.",
                field="parts",
            )
        plan, planned = (
            self.plan,
            tuple(question.planned for question in self.questions),
        )
        firsts = [part.first for part in self.questions if part.first is not None]
        in_stages = isinstance(plan, Plan) and plan.stage is not None
        if in_stages and not self.sources:
            if not is_realised(plan, planned, firsts):  # type: ignore[arg-type]
                raise InvalidInput(
                    "what was measured must be what the noisy totals of the first "
                    "stage lead to.",
                    field="parts",
                )
        elif planned != plan.measurements:
            raise InvalidInput(
                "a release answers the questions of its plan.", field="parts"
            )
        elif firsts:
            raise InvalidInput(
                "totals of a first stage belong to a release in two stages.",
                field="parts",
            )

    def question(self, which: str | int) -> ReleasedQuestion:
        """Return the question of a name, or of a number from 1.

        Raises:
            InvalidInput: When there is none; the message lists those there are.
        """
        return pick_question(self.questions, which)

    @property
    def measured(self) -> Plan:
        """The plan as it was measured: with the guesses of its first stage.

        Raises:
            InvalidInput: When histograms were released.
        """
        require_ratios(self.plan)
        plan: Plan = self.plan  # type: ignore[assignment]  # required above
        if plan.stage is None:
            return plan
        return plan.measuring([question.measurement for question in self.questions])

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
        return f"<p>{html.escape(str(self))}</p>{self.plan.to_html()}"

    def __str__(self) -> str:
        words = ["SIMULATED: the people in it are invented. "] * self.is_simulated
        if self.origin is not None:
            words.append(f"EXTERNAL: {EXTERNAL_WORDS.format(origin=self.origin)} ")
        words.append(f"Release {self.id}: {self._contents()}")
        if self.sources:
            plural = "" if len(self.sources) == 1 else "s"
            words.append(f", made from {len(self.sources)} other release{plural}")
        if self.ways_measured:
            words.append(f" and {self.ways_measured}")
        words.append(f"; {cost_words(self.cost)}")
        words += [" as claimed there"] * (self.origin is not None)
        if self.cost_if_disjoint is not None:
            apart = cost_words(self.cost_if_disjoint)
            words.append(f" in all; {apart} if nobody is in two of them, as promised")
        words.append(".")
        if self.origin is None:
            words.append(f" Not covered: {self.plan.not_covered[0]}")
        return printable("".join(words))

    def _contents(self) -> str:
        count = sum(len(question.values) for question in self.questions)
        if isinstance(self.plan, HistogramPlan):
            names = " and ".join(question.name for question in self.questions)
            return f"noisy counts of {names} in {count} cells"
        planned = self.plan.measurements
        ratios = dict.fromkeys(str(question.ratio) for question in planned)
        sizes = dict.fromkeys(str(len(question.sums)) for question in planned)
        answers = "answer" if count == 1 else "answers"
        return (
            f"{' and '.join(ratios)}, {count} {answers}, {' or '.join(sizes)} noisy "
            "sums each"
        )

    @property
    def ways_measured(self) -> str:
        """Where sums around different guesses were merged, around which; else none."""
        ways = max((len(question.sums) for question in self.questions), default=1)
        if ways == 1:
            return ""
        centres = {
            sums.contrast.centre
            for question in self.questions
            for sums in question.sums
            if sums.contrast is not None
        }
        low, high = min(centres), max(centres)
        guesses = "the guess" if low == high else f"guesses from {low:g} to"
        return f"measured in {ways} ways, around {guesses} {high:g}"


def require_release(release: object) -> None:
    """Raise InvalidInput unless `release` is a Release of ratio sums."""
    if not isinstance(release, Release):
        advice = ""
        if isinstance(release, str | PathLike):
            advice = f" Read it first: read_release({str(release)!r})."
        raise InvalidInput(
            f"release must be a Release, got {show_given(release)}.{advice}",
            field="release",
        )
    if isinstance(release.plan, HistogramPlan):
        raise InvalidInput(
            "a release of histograms holds no sums of a ratio. Read it with "
            "propose_bounds or propose_bins.",
            field="release",
        )


def _is_text(text: object) -> bool:
    return isinstance(text, str) and is_unicode(text) and "\x00" not in text


def _require_hashes(hashes: tuple[object, ...], field: str) -> None:
    for digits in hashes:
        if digits is not None and not (
            isinstance(digits, str) and _HASH.fullmatch(digits)
        ):
            raise InvalidInput(
                f"a hash is 64 hexadecimal digits, got {show_given(digits)}.",
                field=field,
            )


def _require_origin(origin: object, *, is_external: bool) -> None:
    """Stamp what was measured elsewhere, and nothing else."""
    if origin is not None and not (
        isinstance(origin, str) and origin.strip() and origin.isprintable()
    ):
        raise InvalidInput(
            f"origin must be plain text or None, got {show_given(origin)}.",
            field="origin",
        )
    if (origin is not None) != is_external:
        raise InvalidInput(
            "a release has an origin if, and only if, it was measured elsewhere.",
            field="origin",
        )


def _require_totals(first: object) -> None:
    if first is not None and not (
        isinstance(first, tuple)
        and len(first) == TOTALS
        and all(type(total) is int and abs(total) < 2**63 for total in first)
    ):
        raise InvalidInput(
            "the totals of a first stage are two whole numbers, got "
            f"{show_given(first)}.",
            field="stages",
        )


def _checked_values(sums: NoisySums, rows: int) -> Integers:
    """Return the integers of sums, which fit their cells and their noise."""
    values, width = to_integers(sums.values), len(sums.steps)
    if values.shape != (rows, width):
        raise InvalidInput(
            f"values must be {rows} rows of {width} sums, got shape {values.shape}.",
            field="values",
        )
    for layer in sums.noise:
        if (
            len(layer.scales) != width
            or not all(
                SMALLEST_SCALE <= scale <= LARGEST_SCALE for scale in layer.scales
            )
            or len(layer.counts) not in {1, rows}
        ):
            raise InvalidInput(
                f"noise must have {width} scales from 2^-10 to 2^50 cells, and 1 or "
                f"{rows} numbers of draws.",
                field="noise",
            )
    return values


def fresh_question(
    law: NoiseLaw,
    question: Measurement | Histogram,
    groups: Groups | None,
    values: Integers,
) -> ReleasedQuestion:
    """Return a question with sums that were measured just now."""
    ones = np.ones(1, dtype=np.int64)
    layer = NoiseLayer(law, tuple(question.scales), ones)
    return ReleasedQuestion(question, groups, values, (layer,))
