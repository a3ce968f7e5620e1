"""Texts in pictures: escaped, cut where they are too long, and measured.

Without a font letters cannot be measured; an upper guess keeps texts apart.
"""

import html
import unicodedata

from dpratio.tabular import printable

__all__ = [
    "attributes",
    "cut",
    "element",
    "escaped",
    "text_at",
    "width_of",
    "wrapped",
]

_NARROW, _WIDE = 6.6, 12.5


def escaped(text: str) -> str:
    """Write a text so that it stays text in SVG and HTML."""
    return html.escape(printable(text), quote=True)


def width_of(text: str) -> float:
    """Guess how many pixels a text takes at 12 pixels of height."""
    return sum(
        _WIDE if unicodedata.east_asian_width(letter) in "WF" else _NARROW
        for letter in text
    )


def cut(text: str, most: float) -> str:
    """Shorten a text to so many pixels.

    Example:
        >>> cut("a name that is long", 60)
        'a name …'
    """
    plain = printable(text)
    if width_of(plain) <= most:
        return plain
    kept = plain[: max(int(most / _NARROW), 1)]
    while width_of(kept) > most - _NARROW and len(kept) > 1:
        kept = kept[:-1]
    return f"{kept}…"


def wrapped(text: str, width: float) -> list[str]:
    """Break a text into lines that fit, if there is one; a dot ends no line.

    Example:
        >>> wrapped("laplace · weighted · n = 5,000", 150)
        ['laplace · weighted', 'n = 5,000']
    """
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(cut(word, width))
    return [line.removeprefix("· ").removesuffix(" ·") for line in lines]


def attributes(**given: object) -> str:
    """Write attributes; numbers to a tenth of a pixel, an underscore as a hyphen.

    Example:
        >>> attributes(x=1.04, aria_label='"a"', class_="line")
        ' x="1" aria-label="&quot;a&quot;" class="line"'
    """
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_written(value)}"'
        for name, value in given.items()
        if value is not None
    )


def element(name: str, *inside: str, **given: object) -> str:
    """Write an element; what is inside must be escaped already."""
    content = "".join(inside)
    opened = f"<{name}{attributes(**given)}"
    return f"{opened}>{content}</{name}>" if content else f"{opened}/>"


def text_at(x: float, y: float, said: str, css: str = "") -> str:
    """Write a text at a place."""
    return element("text", escaped(said), x=x, y=y, class_=css or None)


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{round(value, 1):g}" if abs(value) < 1e5 else f"{value:.1f}"  # noqa: PLR2004
    return escaped(str(value))
