"""What each row of an answer is about: its ratio, its partition, its keys."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpratio.release.release import Release, ReleasedQuestion

ALL = "(all)"
_BARE = {"yes", "no"}


def labels_of(release: Release) -> dict[str, Sequence[Any]]:
    """Give label columns for the groups of every question, in their order.

    A release of one ratio over one set of groups has just the columns of its groups.
    With several ratios a column ``question`` says which; with several partitions the
    columns of the others hold "(all)".
    """
    questions = release.questions
    ratios = dict.fromkeys(question.ratio for question in questions)
    names = dict.fromkeys(
        name
        for question in questions
        if question.groups is not None
        for name in question.groups.columns
    )
    labels: dict[str, Sequence[Any]] = {}
    if len(ratios) > 1:
        title = "question"
        while title in names:
            title = f"{title}_asked"
        labels[title] = [
            str(question.ratio)
            for question in questions
            for _ in range(len(question.values))
        ]
    if len(questions) == 1 and len(names) == 1:
        # A million keys are not copied.
        return labels | dict.fromkeys(names, questions[0].keys)
    own = [question_labels(question) for question in questions]
    for name in names:
        column: list[Any] = []
        for question, cells in zip(questions, own, strict=True):
            column += cells.get(name, [ALL] * len(question.values))
        if ALL in column and not all(isinstance(each, str | None) for each in column):
            # Frames want one type in a column.
            column = [None if each is None else str(each) for each in column]
        labels[name] = column
    return labels


def question_labels(question: ReleasedQuestion) -> dict[str, Sequence[Any]]:
    """Give label columns for the groups of one question."""
    columns = () if question.groups is None else question.groups.columns
    if len(columns) == 1:
        return {columns[0]: list(question.keys)}
    return {
        name: [key[at] for key in question.keys]  # type: ignore[index]
        for at, name in enumerate(columns)
    }


def labelled(
    labels: Mapping[str, Sequence[Any]], answers: Mapping[str, list[Any]]
) -> dict[str, list[Any]]:
    """Put label columns before answers, under names that no other column has.

    Example:
        >>> labelled({"se": ["south-east"]}, {"se": [0.1]})
        {'se_key': ['south-east'], 'se': [0.1]}
    """
    table: dict[str, list[Any]] = {}
    taken = set(answers)
    for label, cells in labels.items():
        # A column may be called like an answer; both must be seen.
        shown = label
        while shown in taken or (shown != label and shown in labels):
            shown = f"{shown}_key"
        taken.add(shown)
        table[shown] = list(cells)
    return table | dict(answers)


def says_little(key: object) -> bool:
    """Tell a key that needs its column's name to be understood: 3, True, "yes".

    Example:
        >>> says_little(3), says_little("yes"), says_little("north")
        (True, True, False)
    """
    return isinstance(key, int) or key in _BARE


def name_of(labels: Mapping[str, Sequence[Any]], at: int) -> str:
    """Name a row in a sentence, with its columns where its keys alone say little.

    Example:
        >>> name_of({"region": ["north"]}, 0), name_of({"grade": [3]}, 0)
        ('north', 'grade 3')
        >>> name_of({"grade": ["3", "(all)"], "sex": ["(all)", "f"]}, 1)
        'sex f'
    """
    cells = {name: cells[at] for name, cells in labels.items() if cells[at] != ALL}
    told = len(cells) < len(labels) or any(map(says_little, cells.values()))
    words = (f"{name} {cell}" if told else str(cell) for name, cell in cells.items())
    return ", ".join(words) or "all"
