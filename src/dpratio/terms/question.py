"""A question: one ratio over one partition, with a name and the answers it wants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.tabular import printable
from dpratio.terms.bounds import Bounds, require_bounds, settle
from dpratio.terms.groups import Dimension, Groups, PrivateKeys
from dpratio.terms.ratio import Ratio

# Declared groups, keys to be found privately, or the whole table as one group.
Partition = Groups | PrivateKeys | None
Asked = Partition | Dimension

_LARGEST_SHARE = 10**6


@dataclass(frozen=True, slots=True, init=False)
class Question:
    """One ratio, asked of the whole table or of groups.

    Args:
        ratio: What is asked.
        groups: Of whom: `Groups`, one of their dimensions, `PrivateKeys`, or None for
            the whole table.
        answers: What is wanted besides the ratio: ``"means"``, ``"spread"``,
            ``"calibration"``.
        budget_share: Its part of the budget beside the others.
        name: The name to ask for its answers by; by default made of the ratio and
            groups.
        totals: With ids: bounds of one person's totals in each of these groups alone,
            such as monthly totals beside yearly ones. Totals that are not named are
            those of the unit.

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
    budget_share: Fraction
    name: str
    totals: Mapping[str, Bounds] = field(hash=False)

    def __init__(
        self,
        ratio: Ratio,
        *,
        groups: Asked = None,
        answers: Sequence[str] = ("ratio",),
        budget_share: float | Fraction = 1,
        name: str = "",
        totals: Mapping[str, Bounds] | None = None,
    ) -> None:
        if not isinstance(ratio, Ratio):
            raise InvalidInput(
                f"ratio must be a Ratio, got {show_given(ratio)}.", field="ratio"
            )
        if isinstance(answers, str):
            raise InvalidInput(
                "answers must be a list such as ['ratio', 'means'], got "
                f"{show_given(answers)}.",
                field="answers",
            )
        if not is_share(budget_share):
            raise InvalidInput(
                "the share of a question must be a positive number, got "
                f"{show_given(budget_share)}.",
                field="budget_share",
            )
        if not is_plain(name):
            raise InvalidInput(
                f"the name of a question must be plain text, got {show_given(name)}.",
                field="name",
            )
        require_bounds(totals or {}, "totals")
        answers, totals = tuple(answers), dict(totals or {})
        groups = Groups.cross(groups) if isinstance(groups, Dimension) else groups
        if not isinstance(groups, Partition):
            raise InvalidInput(
                f"groups must be Groups or None, got {show_given(groups)}. Write "
                "Groups('region', ['north', 'south']), with its public keys.",
                field="groups",
            )
        budget_share = Fraction(str(budget_share))
        name = name or default_name(ratio, groups)
        settle(self, **locals())


def default_name(ratio: Ratio, groups: Partition) -> str:
    """Return the name of a question that has none: its ratio and its groups."""
    minus = "" if ratio.minus is None else f" minus {ratio.minus}"
    weighted = "" if ratio.weight is None else f" weighted by {ratio.weight}"
    by = name_of_groups(groups)
    return printable(f"{ratio.numerator}{minus} per {ratio.per}{weighted}{by}")


def name_of_groups(groups: Partition) -> str:
    """Return the end of a question's name: the columns of its groups."""
    columns = getattr(groups, "columns", ())
    return f" by {' and '.join(columns)}" if columns else ""


def is_plain(name: object) -> bool:
    """Whether a name prints as it is."""
    return isinstance(name, str) and printable(name) == name


def is_share(number: object) -> bool:
    """Whether a number can be a share of a budget, beside others."""
    if not isinstance(number, int | float | Fraction) or isinstance(number, bool):
        return False
    return 0 < number < _LARGEST_SHARE
