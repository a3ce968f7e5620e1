"""How the pages that dpratio writes are filled in: texts are escaped, always."""

import base64
import hashlib
from importlib.resources import files
from typing import Any

from dpratio.tabular import printable

__all__ = ["hash_of", "page_file", "render_page", "safe"]


def render_page(**terms: object) -> str:
    """Fill in the report; what its template does not know is an error, not a gap."""
    from jinja2 import Environment, StrictUndefined

    # Marks of direction in a key would turn the words and numbers beside it around.
    rules = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda said: printable(said) if type(said) is str else said,
    )
    return rules.from_string(page_file("report.html")).render(**terms)


def page_file(name: str) -> str:
    """Read a template, a style sheet or a script."""
    return (files("dpratio.show") / "page_files" / name).read_text(encoding="utf-8")


def hash_of(script: str) -> str:
    """Name a script as the policy of a page does, so that it alone may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def safe(text: str) -> Any:  # noqa: ANN401 (Jinja is loaded here)
    """Mark what this room made itself as not to be escaped again."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 (made here, or escaped by to_html)
