"""The text of a study that questions asked for, with a comment at each answer."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpratio.checks import require

if TYPE_CHECKING:
    from dpratio.curator.reading.statement import ColumnType

__all__ = ["Answers", "column_bounds", "study_text"]

# One key: in quotes, or whatever stands between commas and ends of lines.
_KEY = re.compile(r'[ \t]*(?:"([^"\r\n]*)"|([^,\r\n]*?))[ \t]*(?:[,\r\n]|\Z)')
_WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")


@dataclass(frozen=True, slots=True)
class Answers:
    """What was answered: bounds have their numbers, and where they come from."""

    data: str
    names: tuple[str, ...]
    ids: str | None
    numerator: str
    per: str
    bounds: Mapping[str, tuple[str, str]]
    totals: Mapping[str, tuple[str, str]]
    groups: str | None
    n: int
    epsilon: str


def column_bounds(text: str) -> tuple[str, tuple[str, str]]:
    """Read bounds and their reason.

    Example:
        >>> column_bounds("score=0,1: a probability")
        ('score', ('[0, 1]', 'a probability'))
        >>> column_bounds("score=natural 0,1: a probability")[1][0]
        '{ natural = [0, 1] }'
    """
    name, _, rest = text.partition("=")
    ends, _, why = rest.partition(":")
    hint = "Write for instance 'score=natural 0,1: a probability', or 'age=0,99: ours'."
    require(bool(why.strip()), "bounds must say where they come from", text, hint)
    natural = ends.startswith("natural ")
    numbers = [each.strip() for each in ends.removeprefix("natural ").split(",")]
    if numbers == ["binary"]:
        return name.strip(), ('"binary"', why.strip())
    require(len(numbers) == 2, "bounds are two numbers or binary", text, hint)  # noqa: PLR2004
    for each in numbers:
        require(_is_number(each), "bounds are two numbers or binary", text, hint)
    ends = f"[{', '.join(numbers)}]"
    return name.strip(), (f"{{ natural = {ends} }}" if natural else ends, why.strip())


def study_text(answers: Answers, kinds: "Mapping[str, ColumnType]") -> str:
    """Write the study; every answer has a comment that says what it promises."""
    data = [f"path = {_quote(answers.data)}"]
    if answers.names:
        listed = ", ".join(_quote(name) for name in answers.names)
        data.append(f"columns = [{listed}]  # The file has no header.")
    tables = [
        ("data", "Where the rows are: beside this file.", data),
        (
            "ratio",
            "What is asked: the sum of one column per the sum of another.",
            [
                f"numerator = {_quote(answers.numerator)}",
                f"per = {_quote(answers.per)}",
            ],
        ),
    ]
    lines = [f"{_quote(name)} = {ends}" for name, (ends, _) in answers.bounds.items()]
    said = "Values of a row outside of these are clipped; never read them off the data."
    tables.append(("bounds", said, lines))
    lines = [f"{_quote(name)} = {_quote(why)}" for name, why in _reasons(answers)]
    tables.append(("bounds_from", "For whoever approves it: why these bounds.", lines))
    if answers.ids is not None:
        ends = (
            f"{_quote(name)} = {given}" for name, (given, _) in answers.totals.items()
        )
        lines = [
            f"column = {_quote(answers.ids)}",
            f"totals = {{ {', '.join(ends)} }}",
        ]
        said = "All rows of one id are protected; its totals are clipped to these."
        tables.append(("unit", said, lines))
    if answers.groups is not None:
        said = "Keys are public: every one is answered, and no other."
        tables.append(("groups", said, _groups(answers.groups, kinds)))
    said = "What the release may cost. Less is safer, and wider."
    tables.append(("privacy", said, [f"epsilon = {answers.epsilon}"]))
    said = "How many people are expected in each answer: a guess, never counted."
    tables.append(("population", said, [f"n = {answers.n}"]))
    return "\n".join(
        "\n".join([f"# {said}", f"[{name}]", *lines, ""])
        for name, said, lines in tables
    )


def _reasons(answers: Answers) -> Iterator[tuple[str, str]]:
    for name, (_, why) in answers.bounds.items():
        total = answers.totals.get(name)
        yield name, why if total is None else f"{why}; its total: {total[1]}"
    for name, (_, why) in answers.totals.items():
        if name not in answers.bounds:
            yield name, why


def _groups(text: str, kinds: "Mapping[str, ColumnType]") -> list[str]:
    name, _, typed = text.partition("=")
    name, keys = name.strip(), _write_keys(typed)
    hint = "Write for instance region=north,south, or none."
    require(bool(keys), "groups are a column and its keys", text, hint)
    rule = f"the data have no such column; they have {', '.join(kinds)}"
    require(name in kinds, rule, name)
    if kinds[name].kind == "text" and not keys[0].startswith('"'):
        keys = [_quote(each) for each in keys]
    return [f"column = {_quote(name)}", f"keys = [{', '.join(keys)}]"]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _write_keys(typed: str) -> list[str]:
    """Write keys, separated by commas or lines, as TOML does.

    Keys are numbers where all of them are whole numbers without quotes; else text.

    Example:
        >>> _write_keys("north, south"), _write_keys("1, 2"), _write_keys('"1", 2')
        (['"north"', '"south"'], ['1', '2'], ['"1"', '"2"'])
    """
    found = [match.groups() for match in _KEY.finditer(typed) if any(match.groups())]
    keys = [quoted if quoted is not None else bare for quoted, bare in found]
    is_whole = all(bare is not None and _WHOLE.fullmatch(bare) for _, bare in found)
    return keys if is_whole else [_quote(key) for key in keys]


def _quote(text: str) -> str:
    """Write text as TOML does: as JSON, and without a bare DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
