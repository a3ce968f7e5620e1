"""Lines of a study that the planner has no field for: kept, and written again.

They are TOML in a field of their own. What they say stands beside what the fields say,
and in its place where both say something. Of several tables of one name, the first is
the one that the fields stand for.
"""

import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from dpratio.web.form import FieldWrong
from dpratio.web.study.toml_text import are_tables

__all__ = ["join", "left_over", "names_of", "read_kept"]

Document = Mapping[str, Any]


def read_kept(text: str) -> dict[str, Any]:
    """Read the field.

    Raises:
        FieldWrong: When it is not TOML.
    """
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        said = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "too deep"
        message = f"These lines are not TOML: {said}."
        raise FieldWrong(message, "kept") from None


def join(fields: Document, kept: Document) -> dict[str, Any]:
    """Put what is kept beside what fields say, and in its place.

    Example:
        >>> join({"privacy": {"epsilon": 1}}, {"privacy": {"scope": "loans"}})
        {'privacy': {'epsilon': 1, 'scope': 'loans'}}
    """
    joined = dict(fields)
    for name, value in kept.items():
        own = fields.get(name)
        if isinstance(own, Mapping) and isinstance(value, Mapping):
            joined[name] = join(own, value)
        elif isinstance(own, Mapping) and are_tables(value):
            joined[name] = [join(own, value[0]), *value[1:]]
        else:
            joined[name] = value
    return joined


def left_over(study: Document, fields: Document) -> dict[str, Any]:
    """Give what a study says and fields do not, so that `join` gives all of it.

    Example:
        >>> left_over({"n": 1, "data": {"path": "a"}}, {"n": 1, "data": {}})
        {'data': {'path': 'a'}}
    """
    kept: dict[str, Any] = {}
    for name, value in study.items():
        own = fields.get(name)
        if isinstance(own, Mapping) and isinstance(value, Mapping):
            if rest := left_over(value, own):
                kept[name] = rest
        elif isinstance(own, Mapping) and are_tables(value):
            rest = left_over(value[0], own)
            if len(value) > 1:
                kept[name] = [rest, *value[1:]]
            elif rest:
                kept[name] = rest
        elif name not in fields or own != value:
            kept[name] = value
    return kept


def names_of(kept: Document, fields: Document) -> tuple[list[str], list[str]]:
    """Name what stands beside the fields, and what stands in their place."""
    beside: list[str] = []
    instead: list[str] = []
    for name, path, own in _leaves(kept, fields, ""):
        (instead if own is not None and name in own else beside).append(path)
    return beside, instead


def _leaves(
    kept: Document, fields: Document, above: str
) -> Iterator[tuple[str, str, Document | None]]:
    for name, value in kept.items():
        own, path = fields.get(name), f"{above}{name}"
        if isinstance(own, Mapping) and isinstance(value, Mapping):
            yield from _leaves(value, own, f"{path}.")
        elif isinstance(own, Mapping) and are_tables(value):
            yield from _leaves(value[0], own, f"{path}.")
            more = len(value) - 1
            if more:
                yield "", f"{more} more [[{path}]]", None
        else:
            yield name, path, fields
