"""Check the pages of a built site, offline: links, where resources are asked for, and spelling.

    python course/site/check.py build/site

Every internal link must lead to a page and an anchor that are there. Of external links only the form is checked, and they are
counted. No page or style sheet may ask another host for a resource. Words that codespell takes for misspelt and that are meant are
in `words.txt`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat

# The attributes by which a page asks for something as it opens, without a click.
ASKS = {
    ("img", "src"),
    ("img", "srcset"),
    ("script", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("video", "src"),
    ("audio", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("image", "href"),
    ("image", "xlink:href"),
    ("use", "href"),
}
NO_REQUEST = {
    "canonical",
    "author",
    "license",
    "next",
    "prev",
    "index",
    "search",
    "help",
    "up",
    "top",
    "alternate",
    "me",
}
CSS = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")
EXTERNAL = re.compile(r"https?://[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?([/?#][^\s<>\"]*)?", re.IGNORECASE)


@dataclass
class Page(HTMLParser):
    """What a page links to, what it asks for, and the anchors it has."""

    links: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    in_style: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes of an element."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.in_style = tag == "style"
        if tag in ("a", "area") and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and not set(given.get("rel", "").split()) <= NO_REQUEST:
            self.asked.append(given.get("href", ""))
        self.asked += [given[name] for name in given if (tag, name) in ASKS]
        self.asked += urls(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        """Note what a style sheet within the page asks for."""
        if self.in_style:
            self.asked += urls(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave a style sheet."""
        self.in_style = False


def urls(style: str) -> list[str]:
    """Return the addresses a style sheet asks for."""
    return [one or other for one, other in CSS.findall(style)]


def read(folder: Path) -> dict[Path, Page]:
    """Return every page of a folder."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        if "_static" not in path.relative_to(folder).parts:
            pages[path] = Page()
            pages[path].feed(path.read_text(encoding="utf-8"))
    return pages


def broken(folder: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield the links and resources that lead nowhere."""
    for path, page in pages.items():
        for link in [*page.links, *page.asked]:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                if parts.scheme in ("http", "https") and not EXTERNAL.fullmatch(link):
                    yield f"{path.relative_to(folder)}: {link}: no address"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file():
                yield f"{path.relative_to(folder)}: {link}: no such file"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{path.relative_to(folder)}: {link}: no such anchor"


def outside(folder: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield what pages and style sheets ask other hosts for."""
    asked = [(path, what) for path, page in pages.items() for what in page.asked]
    for path in sorted(folder.rglob("*.css")):
        asked += [(path, what) for what in urls(path.read_text(encoding="utf-8"))]
    for path, what in asked:
        if what.startswith("//") or urlsplit(what).scheme not in ("", "data"):
            yield f"{path.relative_to(folder)}: {what[:200]}: asks another host"


def misspelt(source: Path, *others: Path) -> list[str]:
    """Return what is misspelt in the texts and notebooks of a folder, and in other files and folders."""
    command = [sys.executable, "-m", "codespell_lib", "--ignore-words", str(Path(__file__).with_name("words.txt"))]
    notebooks = [nbformat.read(path, as_version=4) for path in sorted(source.rglob("*.ipynb"))]
    written = "\n".join(cell.source for notebook in notebooks for cell in notebook.cells)
    texts = [path for kind in ("*.md", "*.rst") for path in source.rglob(kind)]
    asked = [([*map(str, [*texts, *others]), "--skip", "_data,*.json"], ""), (["-"], written)]
    found = [subprocess.run(command + what, input=said, capture_output=True, text=True) for what, said in asked]
    for done in found:
        if done.returncode and not done.stdout:
            raise RuntimeError(done.stderr)
    return [line for done in found for line in done.stdout.splitlines() if "==>" in line]


def report(folder: Path, misspellings: list[str]) -> int:
    """Print what was checked and what is wrong; return the exit code."""
    pages = read(folder)
    wrong = [*dict.fromkeys([*broken(folder, pages), *outside(folder, pages), *misspellings])]
    links = [link for page in pages.values() for link in page.links]
    external = {link for link in links if urlsplit(link).scheme in ("http", "https")}
    sys.stderr.writelines(f"{line}\n" for line in wrong)
    counts = f"{len(pages)} pages, {len(links)} links, {len(external)} external addresses (form only)"
    sys.stdout.write(f"{counts}, {len(wrong)} wrong\n")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(report(Path(sys.argv[1]).resolve(), []))
