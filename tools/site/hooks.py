"""What MkDocs asks while it builds: made pages, links that leave docs/, charts.

mkdocs.yml names this file; its neighbours make the pages.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from commands import commands_page
from documents import DOCUMENTS, document_page, mend_links
from drawings import inline_drawings
from mkdocs.structure.files import File
from reference import reference_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["on_files", "on_page_content", "on_page_markdown"]


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
    return mend_links(markdown, page.file.src_uri)


def on_page_content(
    html: str, page: "Page", config: "MkDocsConfig", files: "Files"
) -> str:
    """Put charts into the page, whose colours they take."""
    del files
    return inline_drawings(html, page.url, Path(config.docs_dir))
