"""The artifact: noisy integers, their plan, and nothing else of the data."""

import hashlib
import html
import re
from dataclasses import dataclass
from os import PathLike
from typing import cast

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.plan.laws import LARGEST_SCALE, SMALLEST_SCALE, NoiseLaw
from dpratio.plan.measurement import TOTALS, Measurement, pick_question
from dpratio.plan.plan import Plan
from dpratio.plan.realise import is_realised
from dpratio.plan.sensitivity.sums import Contrast, contrast_of
from dpratio.plan.words import NOT_COVERED
from dpratio.release.external import ExternalSums
from dpratio.tabular import printable
from dpratio.terms.budget import Budget, cost_words
from dpratio.terms.groups import GroupKey, Groups
from dpratio.terms.ratio import Ratio
from dpratio.version import __version__

MADE_BY = f"dpratio {__version__}"
EXTERNAL_WORDS = (
    "these sums were measured by {origin}; their noise is as stated there, and dpratio "
    "makes no privacy claim about them."
)


@dataclass(frozen=True, slots=True)
class NoiseLayer:
    """Noise of one law that lies on the sums of a question.

    ``counts`` says how many independent draws were added into each cell: one, unless
    cells were rolled up or releases merged. It has one entry where all cells agree.
    """

    law: NoiseLaw
    scales: tuple[float, ...]
    counts: tuple[int, ...] = (1,)


@dataclass(frozen=True, slots=True, eq=False)
class NoisySums:
    """Noisy integers, groups × sums, in cells of ``steps``, and their noise.

    ``contrast`` says what z and h are; None where sums are of the columns themselves.
    """

    contrast: Contrast | None
    steps: tuple[float, ...]
    values: Integers
    noise: tuple[NoiseLayer, ...]

    def __post_init__(self) -> None:
        values, width = _to_integers(self.values), len(self.steps)
        if values.shape[1:] != (width,):
            raise InvalidInput(
                f"values must be rows of {width} sums, got shape {values.shape}.",
                field="values",
            )
        object.__setattr__(self, "values", values)
        for layer in self.noise:
            if (
                len(layer.scales) != width
                or not all(SMALLEST_SCALE <= s <= LARGEST_SCALE for s in layer.scales)
                or len(layer.counts) not in {1, len(values)}
            ):
                raise InvalidInput(
                    f"noise must have {width} scales from 2^-10 to 2^50 cells, and 1 "
                    f"or {len(values)} numbers of draws.",
                    field="noise",
                )

    @property
    def kind(self) -> tuple[Contrast | None, tuple[float, ...]]:
        """The contrast and the lattice, which sums that are added up share."""
        return self.contrast, self.steps

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NoisySums)
            and (self.kind, self.noise) == (other.kind, other.noise)
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash(self.kind)


def _to_integers(values: object) -> Integers:
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


@dataclass(frozen=True, slots=True)
class ReleasedQuestion:
    """A question with its noisy sums.

    ``groups`` are declared, found privately, or None for the whole table. The first of
    ``sums`` are those that are ``planned``; others were merged into them and measured
    around other guesses: nobody is in two of them, as was promised. ``first`` are the
    noisy totals of a first stage, which led to what is planned here.
    """

    planned: Measurement | Histogram
    groups: Groups | None
    sums: tuple[NoisySums, ...]
    first: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.first is not None and not (
            isinstance(self.first, tuple)
            and len(self.first) == TOTALS
            and all(type(total) is int and abs(total) < 2**63 for total in self.first)
        ):
            raise InvalidInput(
                "the totals of a first stage are two whole numbers, got "
                f"{show_given(self.first)}.",
                field="stages",
            )
        rows = 1 if self.groups is None else self.groups.count
        for sums in self.sums:
            if len(sums.values) != rows:
                raise InvalidInput(
                    f"values must be {rows} rows of sums, got {len(sums.values)}.",
                    field="values",
                )
        kinds = [sums.kind for sums in self.sums]
        if kinds[:1] != [kind_of(self.planned)] or len(set(kinds)) < len(kinds):
            raise InvalidInput(
                "the first sums are those that are planned, and others differ in "
                "guess or lattice.",
                field="others",
            )
        if len(kinds) > 1 and any(c is None or c.limit for c, _ in kinds):
            raise InvalidInput(
                "sums of different guesses are z and h of a focused plan, without "
                "limit.",
                field="others",
            )

    @property
    def values(self) -> Integers:
        """The noisy integers of what is planned, groups × sums."""
        return self.sums[0].values

    @property
    def noise(self) -> tuple[NoiseLayer, ...]:
        """The noise on them."""
        return self.sums[0].noise

    @property
    def measurement(self) -> Measurement:
        """The planned measurement, in a release of ratios."""
        return cast("Measurement", self.planned)

    @property
    def histogram(self) -> Histogram:
        """The planned histogram, in a release of histograms."""
        return cast("Histogram", self.planned)

    @property
    def name(self) -> str:
        """The name of the question."""
        return self.planned.name

    @property
    def ratio(self) -> Ratio:
        """The ratio in question."""
        return self.planned.ratio

    @property
    def keys(self) -> tuple[GroupKey, ...]:
        """The cells in their order; one None for the whole table."""
        return (None,) if self.groups is None else self.groups.keys


def kind_of(
    planned: Measurement | Histogram,
) -> tuple[Contrast | None, tuple[float, ...]]:
    """Return the contrast and the lattice of sums that are planned."""
    contrast = None
    if isinstance(planned, Measurement) and any(
        "z" in part.summand.factors for part in planned.sums
    ):
        contrast = contrast_of(planned.ratio, planned.basis)
    return contrast, tuple(part.step for part in planned.sums)


def one_draw(law: NoiseLaw, planned: Measurement | Histogram) -> tuple[NoiseLayer, ...]:
    """Return the noise of sums that were measured once."""
    return (NoiseLayer(law, tuple(planned.scales)),)


def fresh_question(
    law: NoiseLaw,
    planned: Measurement | Histogram,
    groups: Groups | None,
    values: Integers,
    first: tuple[int, ...] | None = None,
) -> ReleasedQuestion:
    """Return a question with sums that were measured just now."""
    sums = NoisySums(*kind_of(planned), values, one_draw(law, planned))
    return ReleasedQuestion(planned, groups, (sums,), first)


@dataclass(frozen=True, slots=True)
class Release:
    """Noisy sums in whole lattice cells, with their plan.

    Args:
        id: 32 hexadecimal digits that name this release.
        plan: What was measured and with how much noise; of sums that another system
            measured, what it says of them. See `wrap_sums`.
        questions: Each question of the plan, with its noisy integers.
        made_by: The program and version that made it.
        is_simulated: Whether the people in it are invented.
        sources: The ids of the releases it was rolled up or merged from.
        ledger_head: The head of the ledger when data were opened for it; None where
            no ledger was kept, and where it was made from others.
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
    plan: Plan | HistogramPlan | ExternalSums
    questions: tuple[ReleasedQuestion, ...]
    made_by: str
    is_simulated: bool = False
    sources: tuple[str, ...] = ()
    ledger_head: str | None = None
    ledger_heads: tuple[str, ...] = ()
    cost_if_disjoint: Budget | None = None
    source_hash: str | None = None

    def __post_init__(self) -> None:
        require_id(self.id)
        for name in self.sources:
            require_id(name, "sources")
        for field, digits in (
            ("ledger_head", self.ledger_head),
            *(("ledger_heads", head) for head in self.ledger_heads),
            ("source_hash", self.source_hash),
        ):
            if digits is not None and not _is_hex(digits, 64):
                raise InvalidInput(
                    f"a hash is 64 hexadecimal digits, got {show_given(digits)}.",
                    field=field,
                )
        if not isinstance(self.is_simulated, bool):
            raise InvalidInput(
                "is_simulated must be true or false, got "
                f"{show_given(self.is_simulated)}.",
                field="is_simulated",
            )
        apart, cost = self.cost_if_disjoint, self.cost
        if apart is not None and (
            apart.epsilon > cost.epsilon or apart.delta > cost.delta
        ):
            raise InvalidInput(
                "one of several releases costs no more than all of them.",
                field="cost_if_disjoint",
            )
        if not self._answers_plan():
            raise InvalidInput(
                "a release answers the questions of its plan, or those that the noisy "
                "totals of its first stage lead to.",
                field="questions",
            )
        if len(self.sources) < 2 and any(  # noqa: PLR2004 (a merged release)
            len(question.sums) > 1 for question in self.questions
        ):
            raise InvalidInput(
                "sums around other guesses belong to releases that were merged.",
                field="sources",
            )
        if not self.sources and any(
            [sums.noise for sums in question.sums]
            != [one_draw(self.plan.law, question.planned)]
            for question in self.questions
        ):
            raise InvalidInput(
                "noise of several draws, or around several guesses, belongs to "
                "releases that were made from others.",
                field="sources",
            )

    def _answers_plan(self) -> bool:
        plan = self.plan
        planned = tuple(question.planned for question in self.questions)
        firsts = [part.first for part in self.questions if part.first is not None]
        if isinstance(plan, Plan) and plan.stage is not None and not self.sources:
            measured = tuple(question.measurement for question in self.questions)
            return is_realised(plan, measured, firsts)
        return planned == plan.measurements and not firsts

    def question(self, which: str | int) -> ReleasedQuestion:
        """Return the question of a name, or of a number from 1.

        Raises:
            InvalidInput: When there is none; the message lists those there are.
        """
        return pick_question(self.questions, which)

    @property
    def measured(self) -> Plan | ExternalSums:
        """The plan as it was measured: with the guesses of its first stage.

        Raises:
            InvalidInput: When histograms were released.
        """
        plan = self.plan
        if isinstance(plan, HistogramPlan):
            raise InvalidInput(
                "a release of histograms holds no sums of a ratio. Read it with "
                "propose_bounds or propose_bins.",
                field="release",
            )
        if isinstance(plan, ExternalSums) or plan.stage is None:
            return plan
        return plan.measuring([question.measurement for question in self.questions])

    @property
    def origin(self) -> str | None:
        """The name of the system that measured the sums; None for our own."""
        return self.plan.origin if isinstance(self.plan, ExternalSums) else None

    @property
    def cost(self) -> Budget:
        """The cost as stated or claimed: of merged releases the sum."""
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
        origin, apart = self.origin, self.cost_if_disjoint
        names = " and ".join(question.name for question in self.questions)
        rows = sum(len(question.values) for question in self.questions)
        words = ["SIMULATED: the people in it are invented. "] * self.is_simulated
        if origin is not None:
            words.append(f"EXTERNAL: {EXTERNAL_WORDS.format(origin=origin)} ")
        words.append(f"Release {self.id}: {names}, noisy sums in {rows:,} rows")
        if self.sources:
            words.append(f", made from other releases: {len(self.sources)}")
        words.append(f"; {cost_words(self.cost)}")
        words += [" as claimed there"] * (origin is not None)
        if apart is not None:
            words.append(
                f" in all; {cost_words(apart)} if nobody is in two of them, as promised"
            )
        words.append(".")
        if origin is None:
            words.append(f" Not covered: {NOT_COVERED[0]}")
        return printable("".join(words))


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
    _ = release.measured


# --- Ids ------------------------------------------------------------------------------

# Nobody calls a run so; somebody may have lost a digit, or the case.
_ALMOST = re.compile("[0-9a-fA-F]{16,}")
_LONGEST = 1000


def _is_hex(digits: object, count: int) -> bool:
    return isinstance(digits, str) and bool(
        re.fullmatch(f"[0-9a-f]{{{count}}}", digits)
    )


def require_id(name: object, field: str = "id") -> None:
    """Raise InvalidInput unless a release can have this name."""
    if not _is_hex(name, 32):
        raise InvalidInput(
            f"a release id is 32 hexadecimal digits, got {show_given(name)}.",
            field=field,
        )


def id_of(text: object) -> str:
    """Return the id that a text stands for; an id stands for itself.

    A scheduler knows what a run is called before it runs. The same text is the same
    id, so that a second attempt goes on with the first one's charge.

    Raises:
        InvalidInput: When it is no line of text, or nearly an id: a mistyped one would
            be charged as a new release.

    Example:
        >>> id_of("orders 2026-11")
        '850f107f388ee934f906e0abe5f37c96'
        >>> id_of("0123456789abcdef0123456789abcdef")
        '0123456789abcdef0123456789abcdef'
    """
    if not (
        isinstance(text, str)
        and 0 < len(text) <= _LONGEST
        and text.isprintable()
        and text.strip() == text
    ):
        raise InvalidInput(
            "a release id is 32 hexadecimal digits, or one line of text, got "
            f"{show_given(text)}.",
            field="id",
        )
    if _is_hex(text, 32):
        return text
    if _ALMOST.fullmatch(text):
        raise InvalidInput(
            f"a release id has 32 digits, in lower case, got {show_given(text)}. "
            "Correct it; or add a word, if it is the name of a run.",
            field="id",
        )
    return hashlib.sha256(f"dpratio release id:{text}".encode()).hexdigest()[:32]
