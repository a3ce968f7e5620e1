"""What a report may do in the browser: what it was written with, and nothing else.

A report is one file with its styles and scripts inside. Each is allowed by its hash,
the report gets an origin of its own (``sandbox``), and no address can be reached.
W3C, Content Security Policy Level 3, section 6.7.
"""

from html.parser import HTMLParser

from dpratio.show.sections.template import hash_of

__all__ = ["policy_of"]


def policy_of(document: str) -> str:
    """Write the content security policy of a self-contained document.

    Example:
        >>> policy_of("<p>no style, no script</p>")[:53]
        "default-src 'none'; script-src 'none'; style-src 'non"
    """
    held = _Held()
    held.feed(document)
    held.close()
    scripts, styles = held.hashes("script"), held.hashes("style")
    rules = [
        "default-src 'none'",
        f"script-src {scripts}",
        f"style-src {styles}",
        # An attribute runs nothing, and there is no address it could load from.
        "style-src-attr 'unsafe-inline'",
        "img-src data:",
        "font-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "sandbox allow-scripts allow-downloads",
    ]
    return "; ".join(rules)


class _Held(HTMLParser):
    """Collects what stands inside scripts and styles."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.inside = ""
        self.texts: dict[str, list[str]] = {"script": [], "style": []}

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag in self.texts:
            self.inside = tag
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[self.inside][-1] += data

    def hashes(self, tag: str) -> str:
        """Give the hashes of all elements of one kind, or that there are none."""
        listed = dict.fromkeys(f"'{hash_of(each)}'" for each in self.texts[tag])
        return " ".join(listed) or "'none'"
