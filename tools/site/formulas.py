"""Formulas in TeX become MathML, which browsers draw without a script.

The extension `arithmatex` finds them between dollars and marks them.
"""

import re
from html import unescape

from latex2mathml.converter import convert

__all__ = ["typeset"]

# Sources write these as they are, so that they can be read without being typeset.
_SIGNS = str.maketrans(
    {
        "−": "-",
        "·": r"\cdot ",
        "×": r"\times ",
        "±": r"\pm ",
        "≤": r"\le ",
        "≥": r"\ge ",
        "≠": r"\ne ",
        "≈": r"\approx ",
        "≡": r"\equiv ",
        "∝": r"\propto ",
        "∈": r"\in ",
        "←": r"\leftarrow ",
        "∂": r"\partial ",
        "⌊": r"\lfloor ",
        "⌋": r"\rfloor ",
        "⌈": r"\lceil ",
        "⌉": r"\rceil ",
    }
)

# In MathML as it comes, a bar or a slash stands apart, a minus after a bracket is that
# of a difference, and a function is far from its bracket.
_CLOSER = [
    (
        r'<mo stretchy="false">(&#x0007C;)</mo>',
        r'<mo form="prefix" stretchy="false">\1</mo>',
    ),
    (r"<mo>(&#x0002F;)</mo>", r'<mo lspace="0" rspace="0">\1</mo>'),
    (r"<mo>(&#x0002E;)</mo>", r"<mtext>\1</mtext>"),
    (r"<mo>(\w+)</mo>(?=<mo[^>]*>&#x00028;)", r"<mi>\1</mi>"),
    (
        r"(<mo[^>]*>(?:&#x00028;|&#x0002C;|&#x0003D;|&#x02265;)</mo>)<mo>&#x02212;",
        r'\1<mo form="prefix">&#x02212;',
    ),
]

_MARKED = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<tex>.*?)\\[)\]]</(?P=tag)>',
    re.DOTALL,
)


def typeset(html: str) -> str:
    """Put MathML in the place of every formula of a page.

    Args:
        html: The page, with its formulas marked.

    Raises:
        ValueError: When a formula has a command that has no MathML.
    """
    return _MARKED.sub(_drawn, html)


def _drawn(found: re.Match[str]) -> str:
    tex = unescape(found["tex"]).strip()
    known = tex.translate(_SIGNS)
    is_line = found["tag"] == "div"
    drawn = convert(known, display="block" if is_line else "inline")
    # What the converter does not know, it shows as it is.
    if "\\" in drawn or "<mi>&" in drawn.replace("<mi>&#", ""):
        raise ValueError(f"this formula cannot be written in MathML: {tex}")
    for found_as, closer in _CLOSER:
        drawn = re.sub(found_as, closer, drawn)
    # A wide formula scrolls; whoever has no mouse must reach it by key.
    return f'<div class="formula" tabindex="0">{drawn}</div>' if is_line else drawn
