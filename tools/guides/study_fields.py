"""Write the tables of fields in docs/reference/study_file.md from the codec.

Names, choices and defaults are those that the codec reads; meanings are the docstrings
of what it makes. Tables stand between `<!-- fields: NAME -->` and `<!-- end -->`.

Usage: study_fields.py [--write]
"""

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dpratio.terms.study_file import STUDY

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "study_file.md"

_TABLE = re.compile(r"(<!-- fields: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page() -> str:
    """Return the page with its tables as the codec has them."""
    return _TABLE.sub(_written, PAGE.read_text(encoding="utf-8"))


def _written(table: re.Match[str]) -> str:
    kinds = _kinds_of(STUDY.schema["properties"][table[2]])
    shared = {name for name in kinds[0] if all(name in kind for kind in kinds)}
    lines = [
        f"| `{name}`{_with(name, kind, shared)} | {_meaning(schema)} |"
        for kind in kinds
        for name, schema in kind.items()
    ]
    heading = ["| field | meaning |", "|---|---|"]
    return "\n".join([table[1].rstrip(), *heading, *dict.fromkeys(lines), table[3]])


def _kinds_of(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the fields of a table, or of each of its kinds."""
    if "properties" in schema:
        return [schema["properties"]]
    kinds = [kind for kind in schema["anyOf"] if kind.get("type") != "array"]
    return [fields for kind in kinds for fields in _kinds_of(kind)]


def _with(name: str, kind: Iterable[str], shared: set[str]) -> str:
    """Return the other fields of the kind of table that a field belongs to."""
    others = [f"`{other}`" for other in kind if other not in {name, *shared}]
    return f" with {', '.join(others)}" if others and name not in shared else ""


def _meaning(schema: Mapping[str, Any]) -> str:
    """Return what a field means, its choices, and its default."""
    meaning: str = schema.get("description", "").rstrip(".").replace("``", "`")
    choices = [f'`"{choice}"`' for choice in schema.get("enum", ())]
    if choices and choices[0] not in meaning:
        meaning += f": {' or '.join(choices)}"
    if schema.get("default"):
        default = schema["default"]
        meaning += f"; `{_toml(default)}` by default"
    return meaning.replace("|", "\\|")


def _toml(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else str(default)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
