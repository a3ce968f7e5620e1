"""Who is protected: a row, or a person with many rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds, require_bounds, settle
from dpratio.terms.ratio import require_column_name, require_line

NEIGHBOURS = ("add-or-remove-one", "change-one")
_MOST_GROUPS = 10**6
_LONGEST_NOUN = 40


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """Whose presence a release hides.

    Args:
        column: The column of ids: all rows of one id are protected together. Rows
            without an id are not counted. Without a column single rows are protected.
        totals: With ids: bounds of each person's totals in one group, by column: of
            the numerator and of the denominator, times the weight. Totals are clipped
            to them. Of ``Ratio("a", minus="b", …)`` the numerator's total is named
            ``"a - b"``. A `Question` may have its own.
        most_groups: With ids: in how many groups of a question one person is counted
            at most. Of more, some are chosen at random, anew for every release.
        neighbours: ``"add-or-remove-one"`` hides whether someone is there at all;
            ``"change-one"`` hides what someone's rows hold.
        noun: What those who are protected are called, in the plural: plans and reports
            say it, as in ``"aircraft"``. By default ``"people"``, without ids
            ``"rows"``.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> totals = {"spent": Bounds(0, 50), "visits": Bounds(0, 5)}
        >>> print(PrivacyUnit("user", totals=totals))
        all rows of one user, counted in at most 1 group
    """

    column: str | None = None
    totals: Mapping[str, Bounds] = field(default_factory=dict, hash=False)
    most_groups: int = 1
    neighbours: str = "add-or-remove-one"
    noun: str | None = None

    def __post_init__(self) -> None:
        require_one_of(self.neighbours, NEIGHBOURS, "neighbour relation")
        require_bounds(self.totals, "totals")
        settle(self, totals=dict(self.totals))
        most, noun = self.most_groups, self.noun
        if type(most) is not int or not 1 <= most <= _MOST_GROUPS:
            raise InvalidInput(
                "most_groups must be a whole number from 1 to 1,000,000, got "
                f"{show_given(most)}.",
                field="most_groups",
            )
        if noun is not None:
            require_line(noun, "noun", _LONGEST_NOUN)
        if self.column is not None:
            require_column_name(self.column)
        elif self.totals or most > 1:
            raise InvalidInput(
                "totals, most_groups and the count of people need a unit with a column "
                "of ids.",
                field="totals" if self.totals else "most_groups",
            )

    @property
    def people(self) -> str:
        """The noun of those who are protected, in the plural."""
        return self.noun or ("rows" if self.column is None else "people")

    @property
    def cells_moved(self) -> int:
        """The number of groups that one unit enters or leaves; if changed, both."""
        return self.most_groups * (2 if self.neighbours == "change-one" else 1)

    def with_totals(self, totals: Mapping[str, Bounds]) -> "PrivacyUnit":
        """Return the unit with other totals in the place of its own.

        Raises:
            InvalidInput: When it is one row, which has none.
        """
        return replace(self, totals={**self.totals, **totals}) if totals else self

    def __str__(self) -> str:
        if self.column is None:
            return "one row"
        groups = "1 group" if self.most_groups == 1 else f"{self.most_groups:,} groups"
        return f"all rows of one {self.column}, counted in at most {groups}"
