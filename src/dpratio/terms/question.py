"""A question: one ratio over one partition, with a name and the answers it wants."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.tabular import printable
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import Guess
from dpratio.terms.ratio import COUNTED, Ratio
from dpratio.terms.unit import PrivacyUnit, require_totals

__all__ = [
    "Asked",
    "Partition",
    "Question",
    "default_name",
    "is_plain",
    "is_share",
    "settle_bounds",
    "told_apart",
]

# Declared groups, keys to be found privately, or the whole table as one group.
Partition = Groups | PrivateKeys | None
Asked = Partition | Keys | ScoreBins | Periods

_LARGEST_SHARE = 10**6
# Whoever has several rows counts once all the same: nothing of them is cut.
_ONCE = Bounds(0, 1, natural=True)


@dataclass(frozen=True, slots=True, init=False)
class Question:
    """One ratio, asked of the whole table or of groups.

    Args:
        ratio: What is asked.
        groups: Of whom: `Groups`, one of their dimensions, `PrivateKeys`, or None for
            the whole table.
        answers: What is wanted besides the ratio: ``"means"``, ``"spread"``,
            ``"calibration"``.
        share: Its share of the budget beside those of the other questions.
        name: The name to ask for its answers by; by default made of the ratio and
            groups.
        totals: Where units have ids: bounds of one person's totals in each group of
            this question, as `PrivacyUnit` has them. They stand in place of the
            unit's; those that are not named here are the unit's.
        guess: What people are like in these groups, where that is not what the study
            says of all: it forecasts this question and is no term. The plan is the same
            without it.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> by_region = dpr.Question(
        ...     dpr.Ratio("score", per="label"),
        ...     groups=dpr.Groups("region", ["north", "south"]),
        ... )
        >>> by_region.name
        'score per label by region'
    """

    ratio: Ratio
    groups: Partition
    answers: tuple[str, ...]
    share: Fraction
    name: str
    totals: Mapping[str, Bounds] = field(hash=False)
    guess: Guess | None

    def __init__(
        self,
        ratio: Ratio,
        *,
        groups: Asked = None,
        answers: Sequence[str] = ("ratio",),
        share: float | Fraction = 1,
        name: str = "",
        totals: Mapping[str, Bounds] | None = None,
        guess: Guess | None = None,
    ) -> None:
        if not isinstance(ratio, Ratio):
            raise InvalidInput(
                f"ratio must be a Ratio, got {show_given(ratio)}.", field="ratio"
            )
        if not isinstance(answers, list | tuple):
            raise InvalidInput(
                "answers must be a list such as ['ratio', 'means'], got "
                f"{show_given(answers)}.",
                field="answers",
            )
        if not is_share(share):
            raise InvalidInput(
                "the share of a question must be a positive number, got "
                f"{show_given(share)}.",
                field="share",
            )
        if not is_plain(name):
            raise InvalidInput(
                f"the name of a question must be plain text, got {show_given(name)}.",
                field="name",
            )
        if not isinstance(guess, Guess | None):
            raise InvalidInput(
                f"guess must be a Guess or None, got {show_given(guess)}.",
                field="guess",
            )
        own = {} if totals is None else totals
        require_totals(own)
        # One dimension stands for groups of that dimension alone.
        is_dimension = isinstance(groups, Keys | ScoreBins | Periods)
        partition = Groups.cross(groups) if is_dimension else groups  # type: ignore[arg-type]
        fields = {
            "ratio": ratio,
            "groups": partition,
            "answers": tuple(answers),
            "share": Fraction(str(share)),
            "name": name or default_name(ratio, partition),  # type: ignore[arg-type]
            "totals": dict(own),
            "guess": guess,
        }
        for field_name, value in fields.items():
            object.__setattr__(self, field_name, value)


def default_name(ratio: Ratio, groups: Partition) -> str:
    """Return the name of a question that has none: its ratio and its groups."""
    minus = "" if ratio.minus is None else f" minus {ratio.minus}"
    weighted = "" if ratio.weight is None else f" weighted by {ratio.weight}"
    columns = getattr(groups, "columns", ())
    by = f" by {' and '.join(columns)}" if columns else ""
    return printable(f"{ratio.numerator}{minus} per {ratio.per}{weighted}{by}")


def is_plain(name: object) -> bool:
    """Whether a name prints as it is."""
    return isinstance(name, str) and printable(name) == name


def told_apart(names: Sequence[str]) -> list[str]:
    """Return the names, with a number behind those that stood before."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in names:
        counts[name] += 1
        numbered.append(f"{name} ({counts[name]})" if counts[name] > 1 else name)
    return numbered


def is_share(number: object) -> bool:
    """Whether a number can be a share of a budget, beside others."""
    if not isinstance(number, int | float | Fraction) or isinstance(number, bool):
        return False
    return 0 < number < _LARGEST_SHARE


def settle_bounds(
    questions: Sequence[Question],
    bounds: Mapping[str, Bounds],
    unit: PrivacyUnit,
) -> tuple[Mapping[str, Bounds], PrivacyUnit]:
    """Return bounds and unit with those of what is counted, which are 1."""
    if not isinstance(bounds, Mapping) or not isinstance(unit, PrivacyUnit):
        return bounds, unit  # Refused by `make_plan`.
    for question in questions:
        name = question.ratio.per
        if name in COUNTED and name not in bounds:
            bounds = {**bounds, name: Bounds.ones()}
        own = bounds.get(name)
        if name == "people" and isinstance(own, Bounds) and own.is_one:
            _require_people(question, unit)
            unit = replace(unit, totals={**unit.totals, name: _ONCE})
    return bounds, unit


def _require_people(question: Question, unit: PrivacyUnit) -> None:
    """Raise InvalidInput unless every person has an id, and counts once."""
    if unit.column is None:
        raise InvalidInput(
            "people are counted by their ids, got rows without ids. Name the column of "
            "their ids: PrivacyUnit(…), or [unit] in a study.",
            field="unit",
        )
    own = unit.totals.get("people", _ONCE)
    is_once = isinstance(own, Bounds) and (own.lower, own.upper) == (0, 1)
    if not is_once or "people" in question.totals:
        raise InvalidInput(
            "people count once each: totals of 'people' are 0 to 1. Leave them out.",
            field="unit",
        )
    if question.ratio.weight is not None:
        raise InvalidInput(
            "people are counted without weights, got "
            f"{show_given(question.ratio.weight)}. Leave the weight out, or count "
            "'rows'.",
            field="ratio",
        )
