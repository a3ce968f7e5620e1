"""What MkDocs asks while it builds: made pages, links, charts, formulas.

mkdocs.yml names this file; its neighbours make the pages.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from commands import commands_page
from documents import DOCUMENTS, document_page, mend_links
from drawings import inline_drawings
from formulas import typeset
from mkdocs.structure.files import File
from reference import reference_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["on_files", "on_page_content", "on_page_markdown", "on_post_template"]

# By folder, or by page at the top.
_BOOSTS = {
    "guides": 4.0,
    "tutorial.md": 4.0,
    "warehouses.md": 4.0,
    "glossary.md": 4.0,
    "decisions": 0.02,
    "proofs": 0.02,
    "changelog.md": 0.1,
    "contributing.md": 0.1,
    "architecture.md": 0.2,
}

# The theme's own page loads its style from the root of a host: opened as a file, or
# below another address, it would have none.
_MISSING = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found - dpratio</title>
<style>
:root { color-scheme: light dark; font: 1.1rem/1.6 system-ui, sans-serif; }
main { max-width: 36rem; margin: 15vh auto; padding: 0 1rem; }
a { color: inherit; }
</style>
</head>
<body><main>
<h1>Page not found</h1>
<p>There is no page at this address. <a href="index.html">Go to the first page</a>.</p>
</main></body>
</html>
"""


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the reference, the commands, and the documents of the repository's root."""
    made = {
        **reference_pages(),
        "reference/commands.md": commands_page(),
        **{page: document_page(name) for name, page in DOCUMENTS.items()},
    }
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(
    markdown: str, page: "Page", config: "MkDocsConfig", files: "Files"
) -> str:
    """Turn links to documents of the root into links to their pages."""
    del config, files
    page.meta.setdefault("search", {"boost": _boost_of(page.file.src_uri)})
    return mend_links(markdown, page.file.src_uri)


def _boost_of(page: str) -> float:
    """Rank what a user looks for above what a reader of proofs looks for."""
    folder = page.partition("/")[0] if "/" in page else ""
    return _BOOSTS.get(folder, _BOOSTS.get(page, 1.0))


def on_post_template(
    output_content: str, template_name: str, config: "MkDocsConfig"
) -> str:
    """Write a page for addresses without one that needs no other file."""
    del config
    return _MISSING if template_name == "404.html" else output_content


def on_page_content(
    html: str, page: "Page", config: "MkDocsConfig", files: "Files"
) -> str:
    """Typeset formulas, and put charts into the page, whose colours they take."""
    del files
    # A wide table scrolls, and whoever has no mouse must reach it by key.
    html = html.replace("<table>", '<table tabindex="0">')
    return inline_drawings(typeset(html), page.url, Path(config.docs_dir))
