"""The site builds, asks nothing of other hosts, and leaves nothing out."""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import pytest
import reference
import typer.main
from commands import commands_page

import dpratio
from browser import DESKTOP, PHONE, Visit, find_faults
from docs.page_blocks import ROOT
from dpratio.cli.main import app

LOADING = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
OF_THE_THEME = ("aria-dialog-name", "landmark-unique")
ELSEWHERE = re.compile(r"^\s*(\w+:)?//")
IN_STYLES = re.compile(r"url\(\s*['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)")


class Loaded(HTMLParser):
    """Collects whatever a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.addresses += [given.get(name) or "" for name in LOADING.get(tag, ())]
        self.addresses += in_styles(given.get("style") or "")

    def handle_data(self, data: str) -> None:
        if self.lasttag == "style":
            self.addresses += in_styles(data)


def in_styles(text: str) -> list[str]:
    return [first or second for first, second in IN_STYLES.findall(text)]


def loaded_by(page: str) -> list[str]:
    parser = Loaded()
    parser.feed(page)
    return parser.addresses


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    pages, styles = sorted(site.rglob("*.html")), sorted(site.rglob("*.css"))
    assert len(pages) > 60
    assert styles
    for page in pages:
        found = loaded_by(page.read_text(encoding="utf-8"))
        assert found or page.name == "404.html"
        wrong = [each for each in found if ELSEWHERE.match(each)]
        assert not wrong, page
    for style in styles:
        found = in_styles(style.read_text(encoding="utf-8"))
        assert not [each for each in found if ELSEWHERE.match(each)], style


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<img srcset="http://example/x.png 2x">',
        '<p style="background: url(https://example/x.png)">',
        "<style>@import 'https://example/x.css';</style>",
    ],
)
def test_what_comes_from_another_host_would_be_noticed(page: str) -> None:
    assert [each for each in loaded_by(page) if ELSEWHERE.match(each)]


def test_every_public_name_and_every_command_is_in_the_reference(site: Path) -> None:
    pages = [each.read_text(encoding="utf-8") for each in site.glob("reference/*.html")]
    rooms = [
        getattr(dpratio, name)
        for name in ("functions", "results", "simulation", "ledgers", "errors")
    ]
    names = {name for room in (dpratio, *rooms) for name in room.__all__}
    for name in names - {"__version__"}:
        assert any(f'id="{name}"' in page for page in pages), name
    shown = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.callback.__name__.replace("_", "-")
        assert f'id="dpratio-{name}"' in shown


def test_a_name_without_a_place_or_a_docstring_stops_the_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(dpratio, "__all__", [*dpratio.__all__, "new_name"])
        with pytest.raises(ValueError, match="differ: \\['new_name'\\]"):
            reference.reference_pages()
    with monkeypatch.context() as patch:
        patch.setattr(dpratio.estimate_ratios, "__doc__", None)
        with pytest.raises(ValueError, match="'estimate_ratios' has no docstring"):
            reference.reference_pages()
    with monkeypatch.context() as patch:
        patch.setattr(dpratio.Ledger.approve, "__doc__", "")
        with pytest.raises(ValueError, match=r"'Ledger\.approve' has no docstring"):
            reference.reference_pages()


def test_a_command_that_says_nothing_stops_the_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    callback = app.registered_commands[0].callback
    monkeypatch.setattr(callback, "__doc__", None)
    # Whatever ran before may have put the command line together, with the words.
    afresh = inspect.unwrap(typer.main.get_command)
    monkeypatch.setattr(typer.main, "get_command", afresh)
    with pytest.raises(ValueError, match="'dpratio new' says nothing"):
        commands_page()


def test_formulas_are_typeset_and_no_tex_is_left(site: Path) -> None:
    folders = ("methods", "proofs")
    pages = [page for each in folders for page in sorted(site.glob(f"{each}/*.html"))]
    typeset = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        words = re.sub(r"<(script|pre|code)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert not re.search(r"\\[a-zA-Z(\[]|arithmatex|\$", words), page
        typeset[page.stem] = text.count("<math ")
    for name in ("pivot", "focused", "intervals", "joint_cost", "noise_scales"):
        assert typeset[name] >= 6, name
    assert sum(typeset.values()) > 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_can_be_read_by_those_who_see_little(
    scheme: str, site: Path, visit: Callable[..., Visit], axe: str
) -> None:
    seen = visit(scheme=scheme)
    for page in (
        *("index.html", "reference/release.html"),
        *("methods/functions.html", "proofs/joint_cost.html", "404.html"),
    ):
        seen.page.goto((site / page).as_uri())
        faults = find_faults(seen.page, axe)
        # Two are the theme's own: the search box has no name, navigation has one twice.
        own = [each for each in faults if not each.startswith(OF_THE_THEME)]
        assert own == []


def test_pages_open_as_files_and_search_finds_words(
    site: Path, visit: Callable[..., Visit]
) -> None:
    seen = visit(size=PHONE, scheme="dark")
    seen.page.goto((site / "index.html").as_uri())
    assert seen.page.evaluate("document.body.dataset.mdColorScheme") == "slate"
    wide = "document.documentElement.scrollWidth - window.innerWidth"
    assert seen.page.evaluate(wide) <= 0
    seen.page.locator("label[for=__search]").first.click()
    seen.page.locator(".md-search__input").press_sequentially("pooler")
    seen.page.locator(".md-search-result__link").first.wait_for()
    assert "team_ledger.html" in seen.page.locator(".md-search-result").inner_html()
    seen.page.goto((site / "guides" / "bounds.html").as_uri())
    assert seen.page.evaluate(wide) <= 0
    assert seen.errors == []
    assert seen.addresses == {"file://"}


FOUND_FIRST = {
    "revenue per visit": "guides/experiments",
    "unbounded": "guides/troubleshooting",
    "calibration": "guides/calibration",
    "bounds": "guides/bounds",
    "weights": "guides/survey",
    "spark": "guides/spark",
    "postgresql": "guides/team_ledger",
    "approve": "guides/planning",
    "weekly": "guides/repeated_looks",
    "csv": "guides/csv",
    "pooler": "guides/team_ledger",
    "states": "guides/hierarchy",
}


def test_twelve_searches_find_the_right_page_first(
    site: Path, visit: Callable[..., Visit]
) -> None:
    page = visit().page
    found = {}
    for words in FOUND_FIRST:
        # A page that opens with a search asks nothing else: it shows that answer.
        page.goto(f"{(site / 'index.html').as_uri()}?{urlencode({'q': words})}")
        first = page.locator(".md-search-result__item").first
        first.wait_for(state="attached")
        link = first.locator(".md-search-result__link").first.get_attribute("href")
        address = str(link).partition("?")[0].removeprefix(f"{site.as_uri()}/")
        found[words] = address.removesuffix(".html")
    assert found == FOUND_FIRST


WEAKEST_TEXT = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([r, g, b]) =>
    0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const paper = parts(getComputedStyle(document.body).backgroundColor);
  const contrasts = [...document.querySelectorAll(".chart text")].map((text) => {
    const [r, g, b, share = 1] = parts(getComputedStyle(text).fill);
    const ink = [r, g, b].map((each, at) => share * each + (1 - share) * paper[at]);
    const both = [luminance(ink), luminance(paper)];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  });
  return contrasts.length ? Math.min(...contrasts) : 0;
}"""


def test_the_words_of_charts_are_dark_on_light_and_light_on_dark(
    site: Path, visit: Callable[..., Visit]
) -> None:
    page = visit(scheme="light").page
    readable = 4.5  # WCAG 2.2, level AA.
    for chosen in ("default", "slate"):  # The system's choice, then the reader's own.
        for name in ("index", "tutorial", "guides/calibration", "guides/bounds"):
            page.goto((site / f"{name}.html").as_uri())
            page.evaluate(f"document.body.dataset.mdColorScheme = '{chosen}'")
            assert page.evaluate(WEAKEST_TEXT) >= readable, (name, chosen)


COLLISIONS = """() => {
  const shown = [...document.querySelectorAll(".chart text:not([opacity='0'])")]
    .map((text) => [text.textContent, text.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0);
  const meet = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const found = shown.flatMap(([words, box], at) =>
    shown.slice(at + 1).filter(([, other]) => meet(box, other))
      .map(([others]) => `${words} ${others}`));
  return { count: shown.length, least: Math.min(...shown.map(([, b]) => b.height)),
    found };
}"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_chart_of_the_first_page_can_be_read(
    size: tuple[int, int], site: Path, visit: Callable[..., Visit]
) -> None:
    page = visit(size=size).page
    page.goto((site / "index.html").as_uri())
    assert page.locator(".chart:visible").count() == 1
    seen = page.evaluate(COLLISIONS)
    assert seen["count"] > 30
    assert seen["found"] == []
    assert seen["least"] >= 11


def test_a_table_that_goes_on_beyond_a_phone_shows_it(
    site: Path, visit: Callable[..., Visit]
) -> None:
    page = visit(size=PHONE).page
    cut = []
    for name in ("installing", "methods/limit"):
        page.goto((site / f"{name}.html").as_uri())
        page.locator(".md-typeset__scrollwrap").first.wait_for()
        for wrap in page.locator(".md-typeset__scrollwrap").all():
            before = wrap.screenshot()
            moved = wrap.evaluate("e => { e.scrollLeft = 1e4; return e.scrollLeft }")
            if moved > 0:
                cut.append(name)
                look = "e => getComputedStyle(e).backgroundImage"
                assert "gradient" in wrap.evaluate(look)
                paper = "e => getComputedStyle(e).backgroundColor"
                assert wrap.locator("table").evaluate(paper) == "rgba(0, 0, 0, 0)"
                assert wrap.screenshot() != before
            else:
                last = wrap.locator("td:last-child").first.bounding_box()
                assert last is not None
                assert last["x"] + last["width"] <= PHONE[0]
    assert "methods/limit" in cut
