"""A real Chromium for tests, what it was asked for, and axe-core's findings.

A plugin of pytest. `make test-all` brings Chromium and axe-core
(tools/install_browser); where they are missing, tests that ask for these fixtures
fail and say so. Chromium's
headless build takes little more than half the time of the one with windows.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["DESKTOP", "PHONE", "Visit", "axe", "chromium", "find_faults", "visit"]

DESKTOP, PHONE = (1280, 900), (390, 844)

AXE = Path(__file__).parent.parent / "build/axe/node_modules/axe-core/axe.min.js"

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Whatever a page asks for beyond this machine has no address.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@dataclass
class Visit:
    """A browser page, with everything it said and asked for."""

    page: "Page"
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def addresses(self) -> set[str]:
        """Scheme and host of everything that was asked for."""
        return {"/".join(each.split("/")[:3]) for each in self.requests}


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    """The browser, started once per worker, with a fresh profile."""
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        pytest.fail("no Chromium: tools/install_browser brings it")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: "Browser") -> Iterator[Callable[..., Visit]]:
    """Make visits: ``visit(size=PHONE, scheme="dark", scripts=False)``."""
    contexts = []

    def begin(
        *,
        size: tuple[int, int] = DESKTOP,
        scheme: Literal["light", "dark"] = "light",
        scripts: bool = True,
    ) -> Visit:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            java_script_enabled=scripts,
        )
        contexts.append(context)
        made = Visit(context.new_page())
        made.page.set_default_timeout(60_000)
        made.page.on("request", lambda each: made.requests.append(each.url))
        made.page.on("pageerror", lambda each: made.errors.append(str(each)))
        made.page.on(
            "console",
            lambda said: (
                made.errors.append(said.text) if said.type == "error" else None
            ),
        )
        return made

    yield begin
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source text of axe-core."""
    if not AXE.is_file():
        pytest.fail("no axe-core: tools/install_browser brings it")
    return AXE.read_text(encoding="utf-8")


def find_faults(page: "Page", axe: str) -> list[str]:
    """List what axe-core finds wrong with a page: rule, impact, place."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']} ({each['impact']}): {node['target']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
