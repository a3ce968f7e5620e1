"""Charts that take the colour of the page they stand in, light or dark.

A picture in an ``img`` does not know the page's colours. On the site charts are put
into the page itself; elsewhere, in the repository for instance, they ask for the
reader's preference. A chart with a sibling ``…_narrow.svg`` gives way to it on a phone.
"""

import html
import posixpath
import re
from pathlib import Path

__all__ = ["follow_page", "inline_drawings"]

_STYLE = (
    "<style>.follows{color:#595959}"
    "@media (prefers-color-scheme:dark){.follows{color:#c9ccd1}}</style>"
)
_GREY = re.compile(r'\b(fill|stroke)="#767676(33)?"')
_SPOKEN = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')
_IMAGE = re.compile(r'<img alt="([^"]*)" src="([^":]+)\.svg" ?/?>')


def follow_page(svg: str) -> str:
    """Draw the greys of one of our charts in the colour of the text around it.

    What Vega says about every line is left out: one text says what the chart shows.
    """
    drawn = _GREY.sub(_in_page_colour, _SPOKEN.sub("", svg))
    drawn = drawn.replace('class="marks"', 'class="marks follows"', 1)
    return drawn.replace(">", f">{_STYLE}", 1)


def inline_drawings(page: str, url: str, folder: Path) -> str:
    """Put the charts that follow the page into its HTML, in place of their images."""

    def replace(image: re.Match[str]) -> str:
        place = posixpath.join(posixpath.dirname(url), image[2])
        wide = folder / f"{posixpath.normpath(place)}.svg"
        if "currentColor" not in wide.read_text(encoding="utf-8"):
            return image[0]
        narrow = wide.with_name(f"{wide.stem}_narrow.svg")
        words = html.unescape(image[1])
        if not narrow.exists():
            return _chart(wide, words, "chart")
        return _chart(wide, words, "chart wide") + _chart(narrow, words, "chart narrow")

    return _IMAGE.sub(replace, page)


def _in_page_colour(found: re.Match[str]) -> str:
    faint = f' {found[1]}-opacity="0.2"' if found[2] else ""
    return f'{found[1]}="currentColor"{faint}'


def _chart(path: Path, words: str, names: str) -> str:
    svg = path.read_text(encoding="utf-8").replace(_STYLE, "", 1)
    label = html.escape(words)
    said = svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    # Numbers along axes are nothing to search for.
    return f'<span class="{names}" data-search-exclude>{said}</span>'
