"""Charts that take the colours of the page they stand in, light or dark.

A picture in an ``img`` does not know the page's colours. On the site charts are put
into the page itself; elsewhere, in the repository for instance, they ask for the
reader's preference. A chart with a sibling ``…_narrow.svg`` gives way to it on a phone.
"""

import html
import posixpath
import re
from pathlib import Path

__all__ = ["inline_drawings"]

_SPOKEN = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')
_IMAGE = re.compile(r'<img alt="([^"]*)" src="([^":]+)\.svg" ?/?>')


def inline_drawings(page: str, url: str, folder: Path) -> str:
    """Put our charts into the HTML of a page, in place of their images."""

    def replace(image: re.Match[str]) -> str:
        place = posixpath.join(posixpath.dirname(url), image[2])
        wide = folder / f"{posixpath.normpath(place)}.svg"
        if 'class="dpr"' not in wide.read_text(encoding="utf-8"):
            return image[0]
        narrow = wide.with_name(f"{wide.stem}_narrow.svg")
        words = html.unescape(image[1])
        if not narrow.exists():
            return _chart(wide, words, "chart")
        return _chart(wide, words, "chart wide") + _chart(narrow, words, "chart narrow")

    return _IMAGE.sub(replace, page)


def _chart(path: Path, words: str, names: str) -> str:
    """Give a chart the words of its page; what it says of every mark is left out."""
    svg = _SPOKEN.sub("", path.read_text(encoding="utf-8").strip())
    label = html.escape(words)
    said = svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    # Numbers along axes are nothing to search for.
    return f'<span class="{names}" data-search-exclude>{said}</span>'
