"""The questions every tool answers: the same sums, bounds, keys and budget.

A row holds a = weight·score and b = weight·label. The five sums below and the five of
dpratio's default plan, made of a − b and a + b, are linear maps of each other; those
below start at zero, so that a row added, removed or replaced moves them equally far.
A question with two sums asks only what the ratio itself needs.
"""

from dataclasses import dataclass, replace

EPSILON = 1.0
LEVEL = 0.95
TRUE_RATIO = 0.5 / 0.45  # Of the people that bench/weighted_people.py invents.
COLUMNS = ("score", "label", "weight", "region")
PERSON = "person"  # The column of ids, where people have many rows.
FIVE = {"a": 3.0, "b": 3.0, "aa": 9.0, "ab": 9.0, "bb": 9.0}
TWO = {"a": 3.0, "b": 3.0}
# What an expert asks by hand: z = weight·(score − label), in [−3, 3], which has most of
# epsilon, and the denominator. The ratio is 1 + z/b.
BY_HAND = {"z": 3.0, "b": 3.0}
BY_HAND_SHARES = {"z": 0.8, "b": 0.2}
WHOLE = "all"  # The key of the only group, where there is one.

# Groups of the modest tables: how many, and rows of each.
MODEST = ((500, 200), (500, 2_000), (200, 20_000))


@dataclass(frozen=True)
class Question:
    """What is asked of one table.

    Args:
        groups: How many declared keys; 1 asks for the whole table.
        rows: How many rows the table has.
        sums: How far one row moves each sum that is asked for.
        longest: A public promise about the rows of a group. OpenDP's float sums need
            it; it is twice what there is.
        most_rows: Rows of one person that count; None where a row is a person.
        seed: Of the noise, for tools that allow one (diffprivlib).
    """

    groups: int
    rows: int
    sums: dict[str, float]
    longest: int
    most_rows: int | None = None
    seed: int | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The declared keys."""
        if self.groups == 1:
            return (WHOLE,)
        return tuple(f"region {number}" for number in range(self.groups))

    @property
    def share(self) -> float:
        """The epsilon of each sum, where shares are even."""
        return EPSILON / len(self.sums)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        unused = {"region"} if self.groups == 1 else set()
        used = [name for name in COLUMNS if name not in unused]
        return used if self.most_rows is None else [*used, PERSON]

    def moved(self, name: str) -> float:
        """How far one unit, a row or a person, moves a sum."""
        return self.sums[name] * (self.most_rows or 1)


ROWS = 10_000_000
MODEST_TABLES = Question(
    groups=sum(groups for groups, _ in MODEST),
    rows=sum(groups * rows for groups, rows in MODEST),
    sums=TWO,
    longest=2 * max(rows for _, rows in MODEST),
    seed=31,
)
QUESTIONS = {
    "1_group": Question(1, ROWS, FIVE, 2 * ROWS),
    "1000_groups": Question(1_000, ROWS, FIVE, 2 * ROWS // 1_000),
    "1000000_groups": Question(1_000_000, ROWS, FIVE, 2 * ROWS // 1_000_000),
    "people": Question(1, ROWS, TWO, 2 * ROWS, most_rows=10),
    "modest": MODEST_TABLES,
    "by_hand": replace(MODEST_TABLES, sums=BY_HAND),
}
