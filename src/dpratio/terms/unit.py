"""Who is protected: a row, or a person with many rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dpratio.checks import require, require_one_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import require_column_name

__all__ = ["NEIGHBOURS", "PrivacyUnit", "require_contributions"]

NEIGHBOURS = ("add-or-remove-one", "change-one")
_MOST_GROUPS = 10**6


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """Whose presence a release hides.

    Args:
        column: The column of ids; None protects single rows. Rows without an id are
            not counted.
        totals: With ids: bounds of each person's totals in one group, by column: of
            the numerator and of the denominator, times the weight. Totals are clipped
            to them. Of ``Ratio("a", minus="b", …)`` the numerator's total is named
            ``"a - b"``. A `Question` may have its own.
        most_groups: With ids: in how many groups one person is counted at most. Of
            more, some are chosen by a keyed hash of the id. A `Question` may have its
            own.
        neighbours: ``"add-or-remove-one"`` hides whether someone is there at all;
            ``"change-one"`` hides what someone's rows hold.
        key: The public key of the hash that chooses groups.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> PrivacyUnit("user", totals={"spent": Bounds(0, 50), "visits": Bounds(0, 5)})
        PrivacyUnit('user', at most 1 group each)
    """

    column: str | None = None
    totals: Mapping[str, Bounds] = field(default_factory=dict)
    most_groups: int = 1
    neighbours: str = "add-or-remove-one"
    key: str = "dpratio"

    def __post_init__(self) -> None:
        require_one_of(self.neighbours, NEIGHBOURS, "neighbour relation")
        require_contributions(self.totals, self.most_groups)
        usable = isinstance(self.key, str) and self.key.isascii() and self.key
        require(usable, "the key of the hash must be plain text", self.key)
        object.__setattr__(self, "totals", dict(self.totals))
        if self.column is None:
            hint = "Name the column of ids, or leave totals and most_groups out."
            bare = not self.totals and self.most_groups == 1
            rule = "rows have no totals and lie in one group"
            require(bare, rule, self.most_groups, hint)
        else:
            require_column_name(self.column)

    @property
    def cells_moved(self) -> int:
        """How many cells one unit enters or leaves: changed, it does both."""
        return self.most_groups * (2 if self.neighbours == "change-one" else 1)

    def of_question(
        self, totals: Mapping[str, Bounds], most_groups: int | None
    ) -> "PrivacyUnit":
        """Give the unit as a question counts it: with its own terms where it has any.

        Raises:
            InvalidInput: When the question's own terms break a rule.
        """
        require_contributions(totals, 1 if most_groups is None else most_groups)
        if not totals and most_groups is None:
            return self
        return replace(
            self,
            totals={**self.totals, **totals},
            most_groups=self.most_groups if most_groups is None else most_groups,
        )

    def __str__(self) -> str:
        if self.column is None:
            return "one row"
        groups = "1 group" if self.most_groups == 1 else f"{self.most_groups:,} groups"
        return f"all rows of one {self.column}, counted in at most {groups}"

    def __repr__(self) -> str:
        if self.column is None:
            return f"PrivacyUnit(neighbours={self.neighbours!r})"
        plural = "" if self.most_groups == 1 else "s"
        groups = f"at most {self.most_groups} group{plural} each"
        relation = ", change-one" if self.neighbours == "change-one" else ""
        return f"PrivacyUnit({self.column!r}, {groups}{relation})"

    def __hash__(self) -> int:
        return hash((self.column, self.most_groups, self.neighbours))


def require_contributions(totals: object, most_groups: object) -> None:
    """Refuse what cannot be totals of a person, or a number of groups."""
    valid = isinstance(totals, Mapping) and all(
        isinstance(each, Bounds) for each in totals.values()
    )
    require(valid, "totals must map column names to Bounds", totals)
    counted = type(most_groups) is int and 1 <= most_groups <= _MOST_GROUPS
    rule = "most_groups must be a whole number from 1 to 1,000,000"
    require(counted, rule, most_groups)
