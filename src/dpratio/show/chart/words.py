"""Texts in pictures: escaped, cut where they are too long, and measured.

Without a font letters cannot be measured; an upper guess keeps texts apart.
"""

import html
import unicodedata
from collections.abc import Sequence

from dpratio.tabular import printable

_NARROW, _WIDE = 6.6, 12.5
_DOT = " · "


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
        'a name t…'
    """
    plain = printable(text)
    if width_of(plain) <= most:
        return plain
    kept = plain[: max(int(most / _NARROW), 1)]
    while width_of(kept) > most - _NARROW and len(kept) > 1:
        kept = kept[:-1]
    return f"{kept}…"


def wrapped(text: str, width: float) -> list[str]:
    """Break a text into lines that fit: at its dots, or else between words.

    Example:
        >>> wrapped("laplace · weighted · n = 5,000", 140)
        ['laplace · weighted', 'n = 5,000']
    """
    parts = [each for each in text.split(_DOT) if each]
    if len(parts) > 1:
        lines = _filled(parts, _DOT, width)
        if all(width_of(line) <= width for line in lines):
            return lines
    return [cut(line, width) for line in _filled(text.split(), " ", width)]


def _filled(parts: Sequence[str], between: str, width: float) -> list[str]:
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{between}{part}" if lines else part
        if lines and width_of(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


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
