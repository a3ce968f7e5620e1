"""The reference of Python names, made of the source: signatures and docstrings.

The build stops where a public name has no docstring, or no place on a page.
"""

import inspect
from types import FunctionType
from typing import Any

from docstrings import Link, to_markdown
from reference_contents import PAGES
from signatures import fields_of, signature_of

import dpratio
from dpratio.tabular import Tabular

__all__ = ["reference_pages"]

_NOT_MADE_BY_USERS = {"Plan", "Release", "Study"}


def reference_pages() -> dict[str, str]:
    """Make every page of the reference.

    Raises:
        ValueError: When a public name is on no page, or has no docstring.
    """
    for room in dict.fromkeys(page.room for page in PAGES.values()):
        placed = [
            name for page in PAGES.values() if page.room == room for name in page.names
        ]
        public = set(_room(room).__all__) - {"__version__"}
        if sorted(placed) != sorted(public):
            wrong = sorted(public.symmetric_difference(placed)) or "one is listed twice"
            raise ValueError(f"the reference and dpratio.__all__ differ: {wrong}")
    pages = {f"reference/{name}.md": _page(name) for name in PAGES}
    return {"reference/index.md": _index(), **pages}


def _index() -> str:
    """List every name with its first line."""
    lines = [
        "# Python reference\n",
        "```python\nimport dpratio as dpr\n```\n",
        "Names are loaded when they are first used. Options are keyword-only; values",
        f"are frozen. This is version {dpratio.__version__}.\n",
    ]
    for place, page in PAGES.items():
        lines.append(
            f"## [{page.title}]({place}.md)\n\n| name | what it does |\n|---|---|"
        )
        lines += [
            f"| [`{name}`]({place}.md#{name}) | {_first_line(page.room, name)} |"
            for name in page.names
        ]
        lines.append("")
    return "\n".join(lines)


def _room(name: str) -> Any:  # noqa: ANN401 (a module)
    return getattr(dpratio, name) if name else dpratio


def _first_line(room: str, name: str) -> str:
    text = _docstring(getattr(_room(room), name), name)
    return text.splitlines()[0].replace("|", "\\|")


def _page(place: str) -> str:
    page, link = PAGES[place], _linker(place)
    entries = [_entry(page.room, name, link) for name in page.names]
    if place == "results":
        entries.append(_tables(link))
    return "\n\n".join([f"# {page.title}", page.words, *entries]) + "\n"


def _entry(room: str, name: str, link: Link) -> str:
    thing = getattr(_room(room), name)
    parts = [f"## {name} {{ #{name} }}"]
    text = to_markdown(_docstring(thing, name), link)
    if isinstance(thing, type) and issubclass(thing, dpratio.errors.DpratioError):
        return "\n\n".join([*parts, text, f"Exit code {thing.exit_code}."])
    is_result = isinstance(thing, type) and (
        issubclass(thing, Tabular) or name in _NOT_MADE_BY_USERS
    )
    if not is_result:
        parts.append(f"```python\n{signature_of(thing, name)}\n```")
    parts.append(text)
    if is_result and "**Arguments**" not in text:
        parts.append(_fields(thing))
    if isinstance(thing, type):
        parts.append(_members(thing, name, link))
    return "\n\n".join(part for part in parts if part)


def _fields(thing: type) -> str:
    """List the fields of a value that dpratio makes."""
    lines = [
        f"| `{name}` | `{kind}` |".replace(" | None", " \\| None")
        for name, kind in fields_of(thing)
    ]
    return "\n".join(["| field | type |", "|---|---|", *lines])


def _members(thing: type, name: str, link: Link) -> str:
    """Describe the public properties and methods of a class."""
    properties, methods = [], []
    for member, value in vars(thing).items():
        bare = value.__func__ if isinstance(value, classmethod) else value
        if member.startswith("_") or not isinstance(bare, FunctionType | property):
            continue
        text = to_markdown(_docstring(bare, f"{name}.{member}"), link)
        if isinstance(bare, property):
            properties.append(f"`{member}`\n:   {' '.join(text.split())}")
            continue
        call = f"{name}.{member}" if bare is not value else member
        code = f"```python\n{signature_of(bare, call)}\n```"
        methods.append(f"### {member} {{ #{name}.{member} }}\n\n{code}\n\n{text}")
    if properties:
        properties.insert(0, "**Properties**")
    return "\n\n".join([*properties, *methods])


def _tables(link: Link) -> str:
    """Describe what every table can do."""
    text = to_markdown(_docstring(Tabular, "Tabular"), link)
    return "\n\n".join(
        ["## Tables { #Tabular }", text, _members(Tabular, "Tabular", link)]
    )


def _docstring(thing: object, name: str) -> str:
    """Give a docstring, or stop the build.

    Raises:
        ValueError: When there is none of its own.
    """
    # `getdoc` would take that of a parent class.
    found = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    if not found or found.startswith(f"{name}("):  # dataclasses write their signature
        raise ValueError(f"the public name '{name}' has no docstring")
    return found


def _linker(here: str) -> Link:
    places: dict[str, Any] = {
        name: place for place, page in PAGES.items() for name in page.names
    }

    def link(name: str) -> str | None:
        if name not in places:
            return None
        page = "" if places[name] == here else f"{places[name]}.md"
        return f"{page}#{name}"

    return link
