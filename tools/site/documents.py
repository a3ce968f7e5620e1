"""Documents of the repository's root as pages of the site.

They are written to be read in the repository; here their links are turned so that they
lead to the same places on the site.
"""

import posixpath
import re
from pathlib import Path

__all__ = ["DOCUMENTS", "document_page", "mend_links"]

ROOT = Path(__file__).parent.parent.parent

DOCUMENTS = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}

_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s#]+)")


def document_page(name: str) -> str:
    """Give the text of a document; its links are those of a page in docs/."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return _LINK.sub(lambda found: _from_docs(found[1]), text)


def mend_links(markdown: str, page: str) -> str:
    """Turn links of a page that lead out of docs/ to the pages made of documents."""
    folder = posixpath.dirname(page)

    def mended(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", folder, found[1]))
        if target not in DOCUMENTS:
            return found[1]
        return posixpath.relpath(DOCUMENTS[target], folder or ".")

    return _LINK.sub(mended, markdown)


def _from_docs(link: str) -> str:
    """Take a link of a document in the root as one of a page in docs/."""
    target = posixpath.normpath(link)
    if target in DOCUMENTS:
        return DOCUMENTS[target]
    if (ROOT / target).is_dir():
        target = posixpath.join(target, "README.md")
    return posixpath.relpath(target, "docs")
