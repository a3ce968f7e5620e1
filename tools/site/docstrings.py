"""Docstrings of the house as Markdown: sections, arguments as lists, links to names."""

import re
import textwrap
from collections.abc import Callable

__all__ = ["Link", "to_markdown"]

_SECTION = re.compile(r"^(Args|Returns|Raises|Guarantee|Example):$", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+): (.*)$")
_NAME = re.compile(r"(?<!`)`([A-Za-z_]\w*)(\(\))?`(?!`)")
_PAGE = re.compile(r"docs/((?:proofs|methods|decisions)/[\w-]+\.md)")

Link = Callable[[str], str | None]


def to_markdown(docstring: str, link: Link) -> str:
    """Write a docstring as Markdown.

    Args:
        docstring: As the source has it, without its indentation.
        link: Gives the address of a public name, or None for other words.
    """
    first, *rest = _SECTION.split(docstring)
    parts = [_prose(first, link)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        text = textwrap.dedent(body).strip("\n")
        if title in {"Args", "Raises"}:
            heading = "Arguments" if title == "Args" else "Raises"
            parts.append(f"**{heading}**\n\n{_entries(text, link)}")
        elif title == "Example":
            parts.append(_example(text, link))
        elif title == "Guarantee":
            parts.append(f'!!! info "Guarantee"\n{_indented(_prose(text, link))}')
        else:
            parts.append(f"**{title}**\n\n{_prose(text, link)}")
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _prose(text: str, link: Link) -> str:
    def linked(found: re.Match[str]) -> str:
        address = link(found[1])
        return found[0] if address is None else f"[{found[0]}]({address})"

    # A literal block of reStructuredText is indented, as Markdown's are.
    plain = re.sub(r"^::$", "", text.strip("\n"), flags=re.MULTILINE)
    return _PAGE.sub(r"[\1](../\1)", _NAME.sub(linked, plain))


def _entries(text: str, link: Link) -> str:
    """Write arguments or errors as a list of definitions."""
    entries: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        found = _ENTRY.match(line)
        if found:
            entries.append((found[1], [found[2]]))
        else:
            entries[-1][1].append(line.strip())
    return "\n\n".join(
        f"{_term(name, link)}\n:   {_prose(' '.join(words), link)}"
        for name, words in entries
    )


def _term(name: str, link: Link) -> str:
    address = link(name) if name[:1].isupper() else None
    return f"`{name}`" if address is None else f"[`{name}`]({address})"


def _example(text: str, link: Link) -> str:
    """Show an example: a session is highlighted as one, words stay words."""
    if ">>>" not in text:
        return f"**Example**\n\n{_prose(text, link)}"
    shown = re.sub(r"\s*# doctest: .*", "", text)
    return f"**Example**\n\n```pycon\n{shown}\n```"


def _indented(text: str) -> str:
    """Set a paragraph off, as Markdown's extensions read it."""
    return textwrap.indent(text, "    ")
