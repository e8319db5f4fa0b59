"""The pages in a real browser: nothing fails, nothing is asked of another host, nothing sticks out on a telephone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.devtools import BROWSER, open_page

pytest.importorskip("websocket", reason="websocket-client is not installed: the pages are not looked at")
pytest.importorskip("sphinx", reason="Sphinx is not installed: the site is not built")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on PATH: the pages are not looked at"),
    pytest.mark.full,
]
ROOT = Path(__file__).resolve().parents[2]
FEW = (
    "index.md",
    "course/08_identification_risk_matching.ipynb",
    "api/synthlab.identification_risk.rst",
    "how_to/evaluate.md",
)
# Until scripts, styles and formulas are there.
READY = """new Promise(done => { const look = () => {
  if (document.readyState !== "complete" || location.href === "about:blank") return setTimeout(look, 20);
  const formulas = window.MathJax && MathJax.startup && MathJax.startup.promise;
  Promise.resolve(formulas).then(() => document.fonts.ready).then(() => requestAnimationFrame(() => done(true)));
}; look(); })"""


class Visitor:
    """A browser on a site."""

    def __init__(self, page, address: str) -> None:
        self.page, self.address = page, address
        page.call("Network.enable")

    def width(self, pixels: int) -> None:
        """Set the width of the window."""
        self.page.call(
            "Emulation.setDeviceMetricsOverride", width=pixels, height=900, deviceScaleFactor=1, mobile=False
        )

    def go(self, name: str) -> None:
        """Open a page and wait until it is ready."""
        self.page.call("Page.navigate", url=f"{self.address}/{name}")
        self.page.run(READY)

    def complaints(self, name: str) -> list[str]:
        """Return what is wrong with a page."""
        self.page.console.clear()
        self.page.requests.clear()
        self.width(1200)
        self.go(name)
        found = list(self.page.console)
        found += [f"asks {url}" for url in self.page.requests if urlsplit(url).hostname not in ("127.0.0.1", None)]
        found += self.page.run(
            "[...document.images].filter(i => !i.naturalWidth && i.loading !== 'lazy').map(i => 'broken ' + i.src)"
        )
        found += self.page.run("[...document.querySelectorAll('mjx-merror')].map(e => 'formula ' + e.textContent)")
        for pixels in (1200, 400):
            self.width(pixels)
            wide = self.page.run("document.documentElement.scrollWidth")
            if wide > pixels:
                found.append(f"{wide} pixels wide at {pixels}")
        return [f"{name}: {what}" for what in found]


@pytest.fixture
def visit(serve, tmp_path):
    """Return a function that opens a browser on a built site."""
    import contextlib

    with contextlib.ExitStack() as stack:

        def start(folder: Path) -> Visitor:
            page = stack.enter_context(open_page("about:blank", tmp_path / "profile"))
            return Visitor(page, serve(folder))

        yield start


def sphinx(source: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-b",
        "html",
        "-c",
        str(ROOT / "course" / "site"),
        *options,
        source,
        folder,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def few(source, tmp_path_factory) -> Path:
    """A site of a few pages."""
    part, folder = tmp_path_factory.mktemp("few"), tmp_path_factory.mktemp("built")
    for name in (*FEW, "course/images/readme_verdict.png"):
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).write_bytes((source / name).read_bytes())
    done = sphinx(part, folder)  # warns of the pages that are left out
    assert done.returncode == 0, done.stderr
    return folder


def built(name: str) -> str:
    return str(Path(name).with_suffix(".html"))


def test_a_few_pages(few, check, visit):
    visitor = visit(few)
    assert [what for name in FEW for what in visitor.complaints(built(name))] == []
    assert list(check.outside(few, check.read(few))) == []


def test_answers_are_folded_and_open(few, visit):
    visitor = visit(few)
    visitor.go(built(FEW[1]))
    folded = "[...document.querySelectorAll('details.hide')]"
    assert visitor.page.run(f"{folded}.filter(d => d.open).length") == 0
    words = visitor.page.run(f"{folded}.map(d => d.querySelector('summary').innerText.trim().split('\\n')[0])")
    assert {"Show the answer", "Show the solution", "Show the code"} <= set(words)
    assert visitor.page.run("document.querySelectorAll('mjx-container').length") > 20
    shown = f"{folded}.find(d => d.innerHTML.includes('definition') || d.querySelector('pre')).querySelector('pre').checkVisibility()"
    assert visitor.page.run(shown) is False
    visitor.page.run(f"{folded}.forEach(d => d.open = true)")
    assert visitor.page.run(shown) is True


def test_an_api_page_has_its_example_and_parameters(few):
    text = (few / built(FEW[2])).read_text(encoding="utf-8")
    assert "Examples" in text
    assert "&gt;&gt;&gt;" in text
    assert "Parameters" in text


def test_dark_where_the_reader_wants_it(few, visit):
    visitor = visit(few)
    light = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
    for scheme, bright in (("light", True), ("dark", False)):
        visitor.page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        visitor.go("index.html")
        assert (visitor.page.run(light) > 3 * 128) is bright


def test_the_search_finds_a_page(few, visit):
    visitor = visit(few)
    visitor.go("search.html?q=identification")
    visitor.page.wait("document.querySelectorAll('#search-results li a').length > 2")
    assert visitor.page.console == []


def test_the_look_finds_what_it_looks_for(tmp_path, visit):
    (tmp_path / "a.html").write_text(
        '<!doctype html><link rel="icon" href="data:,"><div style="width:900px">x</div><img src="missing.png"><script>console.error("no")</script>'
        '<script src="http://localhost:9/x.js"></script>'
    )
    found = "\n".join(visit(tmp_path).complaints("a.html"))
    for what in ("pixels wide at 400", "broken", ": no\n", "404", "asks http://localhost:9"):
        assert what in found, (what, found)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The whole site, built without a warning."""
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "course" / "site" / "build.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return folder


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(slice(None, None, 10), id="a tenth"),
        # All pages in a browser: 8 minutes on an idle machine (make site-test, make editions).
        pytest.param(slice(None), id="all", marks=[pytest.mark.site, pytest.mark.editions]),
    ],
)
def test_the_whole_site_is_built_without_a_warning_and_its_pages_are_right(part, whole, check, visit):
    pages = [path.relative_to(whole).as_posix() for path in check.read(whole)]
    assert len(pages) > 300
    visitor = visit(whole)
    assert [what for name in pages[part] for what in visitor.complaints(name)] == []
