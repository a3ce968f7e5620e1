"""A question: one ratio over one partition, with a name and the answers it wants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dpratio.checks import require
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
        require(isinstance(ratio, Ratio), "ratio must be a Ratio", ratio)
        listed = isinstance(answers, list | tuple)
        rule = "answers must be a list such as ['ratio', 'means']"
        require(listed, rule, answers)
        rule = "the share of a question must be a positive number"
        require(is_share(share), rule, share)
        rule = "the name of a question must be plain text"
        require(is_plain(name), rule, name)
        own = {} if totals is None else totals
        require_totals(own)
        told = guess is None or isinstance(guess, Guess)
        require(told, "guess must be a Guess or None", guess)
        partition = _as_partition(groups)
        fields = {
            "ratio": ratio,
            "groups": partition,
            "answers": tuple(answers),
            "share": Fraction(str(share)),
            "name": name or default_name(ratio, partition),
            "totals": dict(own),
            "guess": guess,
        }
        for at, value in fields.items():
            object.__setattr__(self, at, value)


def default_name(ratio: Ratio, groups: Partition) -> str:
    """Call a question by its ratio and its groups."""
    top = ratio.numerator if ratio.minus is None else " minus ".join(_both(ratio))
    weighted = "" if ratio.weight is None else f" weighted by {ratio.weight}"
    columns = getattr(groups, "columns", ())
    by = f" by {' and '.join(columns)}" if columns else ""
    return printable(f"{top} per {ratio.per}{weighted}{by}")


def is_plain(name: object) -> bool:
    """Tell whether a name prints as it is."""
    return isinstance(name, str) and printable(name) == name


def told_apart(names: Sequence[str]) -> list[str]:
    """Number the names that would be taken for another one before them."""
    kept: list[str] = []
    for name in names:
        same = sum(each == name for each in names[: len(kept)])
        kept.append(f"{name} ({same + 1})" if same else name)
    return kept


def _both(ratio: Ratio) -> Sequence[str]:
    return ratio.numerator, str(ratio.minus)


def _as_partition(groups: Asked) -> Partition:
    """Take one dimension for groups of that dimension alone."""
    if isinstance(groups, Keys | ScoreBins | Periods):
        return Groups.cross(groups)
    return groups


def is_share(given: object) -> bool:
    """Tell whether a number can be a share of a budget, beside others."""
    return (
        isinstance(given, int | float | Fraction)
        and not isinstance(given, bool)
        and 0 < given < _LARGEST_SHARE
    )


def settle_bounds(
    questions: Sequence[Question],
    bounds: Mapping[str, Bounds],
    unit: PrivacyUnit,
) -> tuple[Mapping[str, Bounds], PrivacyUnit]:
    """Say what bounds are: as declared, and 1 for what is counted."""
    if not isinstance(bounds, Mapping) or not isinstance(unit, PrivacyUnit):
        return bounds, unit  # Refused by `make_plan`.
    for each in questions:
        name = each.ratio.per
        if name in COUNTED and name not in bounds:
            bounds = {**bounds, name: Bounds.ones()}
        own = bounds.get(name)
        if name == "people" and isinstance(own, Bounds) and own.is_one:
            _require_people(each, unit)
            unit = replace(unit, totals={**unit.totals, name: _ONCE})
    return bounds, unit


def _require_people(question: Question, unit: PrivacyUnit) -> None:
    """Refuse to count people who have no ids, or who count more or less than once."""
    hint = "Name the column of their ids: PrivacyUnit(…), or [unit] in a study."
    rule = "people are counted by their ids"
    require(unit.column is not None, rule, "rows without ids", hint)
    rule = "people count once each: totals of 'people' are 0 to 1"
    own = unit.totals.get("people", _ONCE)
    once = isinstance(own, Bounds) and (own.lower, own.upper) == (0, 1)
    require(once, rule, str(own), "Leave them out.")
    rule = "people count once each: a question has no totals of 'people'"
    given = question.totals.get("people")
    require(given is None, rule, str(given), "Leave them out.")
    hint = "Leave the weight out, or count 'rows'."
    rule = "people are counted without weights"
    weight = question.ratio.weight
    require(weight is None, rule, weight, hint)
