"""What Sphinx reads: every public name, every notebook with its answers folded, no link that leads nowhere."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from types import ModuleType

import nbformat
import pytest

import synthlab
from synthlab.teaching import cell_tags


def test_every_public_name_has_one_page(stage, source):
    modules = [name for _, name, _ in pkgutil.iter_modules(synthlab.__path__) if not name.startswith("_")]
    rooms = [
        synthlab,
        *(importlib.import_module(f"synthlab.{m}") for m in modules if m not in ("teaching", "crosscheck", "cli")),
    ]
    things = {id(t): n for room in rooms for n in getattr(room, "__all__", ()) for t in [getattr(room, n)]
              if not isinstance(t, ModuleType)}  # fmt: skip
    things |= {
        id(t): n
        for n, t in vars(synthlab.exceptions).items()
        if isinstance(t, type) and t.__module__ == "synthlab.exceptions"
    }
    documented = [(name, thing) for names in stage.reference_names().values() for name, thing in names.items()]
    assert {id(thing) for _, thing in documented} == set(things)
    assert len(documented) == len(things) > 200
    assert {f"synthlab.{n}" for n in synthlab.__all__ if not isinstance(getattr(synthlab, n), ModuleType)} <= {
        n for n, _ in documented
    }
    assert all((source / "api" / f"{name}.rst").is_file() for name, _ in documented)


def test_every_name_has_an_example_or_leads_to_one(stage, source):
    everything = {name: thing for names in stage.reference_names().values() for name, thing in names.items()}
    shown = stage.examples(everything)
    lacking = [n for n, thing in everything.items() if not shown[n] and ">>>" not in stage.documentation(thing)]
    assert lacking == []
    # A figure may lead to the example that computes its result; every other function has an example of its own.
    functions = [n for n, thing in everything.items() if inspect.isfunction(thing) and "synthlab.plots." not in n]
    assert len(functions) > 50 and not any(shown[n] for n in functions)
    assert shown["synthlab.risk.CapResult"] == ["synthlab.cap", "synthlab.scale.cap"]
    page = (source / "api" / "synthlab.risk.CapResult.rst").read_text(encoding="utf-8")
    assert "**Examples:** :py:obj:`sl.cap <synthlab.cap>`" in page


def test_every_notebook_is_there_with_the_outputs_it_holds(stage, source):
    for name in stage.names(stage.NOTEBOOKS):
        given, shown = (nbformat.read(folder / name, as_version=4) for folder in (stage.ROOT, source))
        assert [c.get("outputs") for c in shown.cells] == [c.get("outputs") for c in given.cells], name


def test_answers_and_solutions_are_folded(stage, source):
    answers = solutions = turns = 0
    for name in stage.names(["course/*.ipynb"]):
        given, shown = (nbformat.read(folder / name, as_version=4) for folder in (stage.ROOT, source))
        after = {cell.id for cells in cell_tags.asked(given) for cell in cells[1:]}
        for cell, other in zip(given.cells, shown.cells, strict=True):
            tags = set(cell_tags.tags(other))
            if "solution" in cell_tags.tags(cell):
                assert tags & {"hide-cell", "hide-input"}, name
                assert not cell.outputs or "hide-cell" in tags, name
                solutions += 1
            elif cell.id in after and cell.get("outputs"):
                assert "hide-output" in tags, name
                answers += 1
            elif cell.cell_type == "code" and cell.source.startswith("# your turn"):
                assert not tags & {"hide-cell", "hide-input"}, name
                turns += 1
    assert min(answers, solutions, turns) >= 15


def test_no_launch_link_and_no_address_while_there_is_no_repository(stage, source):
    texts = {
        path: path.read_text(encoding="utf-8") for path in source.rglob("*") if path.suffix in (".md", ".ipynb", ".rst")
    }
    published = stage.links.repository() is not None
    found = [str(path) for path, text in texts.items() if re.search(r"mybinder\.org|github\.com/OWNER", text)]
    assert published or found == []
    rows = re.findall(r"^\| 0?\d+b? \|.*$", texts[source / "course" / "README.md"], re.MULTILINE)
    assert len(rows) == len(list((source / "course").glob("[0-9]*.ipynb")))
    assert {row.count("|") for row in rows} == {6 + published}


def test_with_a_repository_files_that_are_no_pages_are_linked_there(stage, tmp_path):
    staged, unpublished = stage.Staged(tmp_path, "gh/someone/synthlab/main"), stage.Staged(tmp_path, None)
    pages = {"course/README.md", "course/GLOSSARY.md"}
    text = "[a](instructor) [b](GLOSSARY.md#x) `[c](d)` [e](https://example.org) [f](README.md)"
    at = "https://github.com/someone/synthlab/blob/main"
    expected = text.replace("(instructor)", f"({at}/course/instructor)")
    assert stage.linked("course/README.md", text, pages, staged) == expected
    assert stage.linked("course/README.md", text, pages, unpublished) == text.replace("[a](instructor)", "a")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        stage.linked("course/README.md", "[a](nowhere.md)", pages, staged)


def test_the_address_is_the_one_that_the_launch_links_have(stage, tmp_path, monkeypatch):
    monkeypatch.setattr(stage.links, "ROOT", tmp_path)
    (tmp_path / "binder").mkdir()
    address = tmp_path / "binder" / "repository.txt"
    address.write_text("# such as gh/OWNER/synthlab/HEAD\n", encoding="ascii")
    stage.stage(tmp_path / "without")
    assert "github.com/somebody" not in (tmp_path / "without" / "index.md").read_text(encoding="utf-8")
    address.write_text("# such as gh/OWNER/synthlab/HEAD\ngh/somebody/synthlab/main\n", encoding="ascii")
    stage.stage(tmp_path / "with")
    text = (tmp_path / "with" / "index.md").read_text(encoding="utf-8")
    assert "(https://github.com/somebody/synthlab/blob/main/binder/README.md)" in text


def test_the_badge_is_a_link_and_asks_no_other_host(stage, tmp_path, monkeypatch):
    monkeypatch.setattr(stage.links, "repository", lambda: "gh/somebody/synthlab/main")
    badge = stage.links.with_badge((stage.ROOT / "README.md").read_text(encoding="utf-8"))
    assert "badge_logo.svg" in badge
    text = stage.text_of("README.md", badge, set(), stage.Staged(tmp_path, stage.links.repository()))
    assert "badge_logo.svg" not in text
    assert "\n[Launch the course on Binder](https://mybinder.org/v2/gh/somebody/synthlab/main" in text


def test_what_is_no_longer_made_goes_and_what_is_the_same_stays(stage, tmp_path):
    first = stage.Staged(tmp_path, None)
    first.write("a.md", "a")
    first.write("b.md", "b")
    before = (tmp_path / "a.md").stat().st_mtime_ns
    second = stage.Staged(tmp_path, None)
    second.write("a.md", "a")
    second.remove_others()
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
    assert (tmp_path / "a.md").stat().st_mtime_ns == before


def test_a_cell_of_a_table_is_only_text(stage):
    assert stage.escaped("a|b *c* <d> $e$ [f](g)\nh") == r"a\|b \*c\* \<d\> \$e\$ \[f\](g) h"


PAGE = '<a href="{}">x</a><h1 id="here">x</h1>'


@pytest.mark.parametrize(
    "link", ["#here", "b.html", "b.html#here", "https://example.org/a?b#c", "mailto:a@example.org"]
)
def test_a_link_that_leads_somewhere(check, tmp_path, link):
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(PAGE.format(link))
    assert list(check.broken(tmp_path, check.read(tmp_path))) == []


@pytest.mark.parametrize("link", ["#there", "c.html", "b.html#there", "https://exa mple", "http:/x.org"])
def test_a_link_that_does_not(check, tmp_path, link):
    (tmp_path / "b.html").write_text(PAGE.format("#here"))
    (tmp_path / "a.html").write_text(PAGE.format(link))
    assert len(list(check.broken(tmp_path, check.read(tmp_path)))) == 1


@pytest.mark.parametrize(
    "page",
    [
        '<img src="https://example.org/x.png">',
        '<script src="//example.org/x.js"></script>',
        '<link rel="stylesheet" href="https://example.org/x.css">',
        '<link rel="preload" as="font" href="https://example.org/x.woff2">',
        "<style>@import 'https://example.org/x.css'; p { background: url(\"http://example.org/x.png\") }</style>",
        '<p style="background: url(https://example.org/x.png)">',
    ],
)
def test_a_resource_of_another_host_is_found(check, tmp_path, page):
    (tmp_path / "a.html").write_text(
        f'{page}<a href="https://example.org">x</a><link rel="canonical" href="https://example.org">'
    )
    found = list(check.outside(tmp_path, check.read(tmp_path)))
    assert found
    assert all("asks another host" in line for line in found)
    assert check.report(tmp_path, []) == 1


def test_a_misspelt_word_is_found_in_texts_and_notebooks(check, tmp_path):
    cells = [nbformat.v4.new_markdown_cell("A notebok with a speling.")]
    (tmp_path / "a.ipynb").write_text(json.dumps(nbformat.v4.new_notebook(cells=cells)))
    (tmp_path / "a.md").write_text("This is definately wrong, and a .sav file is not.")
    assert sorted(line.split("==>")[0].split()[-1] for line in check.misspelt(tmp_path)) == [
        "definately",
        "notebok",
        "speling",
    ]
