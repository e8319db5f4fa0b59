"""Lay out what Sphinx reads: the texts and notebooks of the repository, a page for each public name, the replications.

The layout is that of the repository, so that links among its files hold. A link to a file that is no page leads to the
repository where `binder/repository.txt` names one, and is text where it names none: launch links are in the texts or not, by
`binder/links.py`.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import nbformat
import pandas as pd

import synthlab
from synthlab.teaching import cell_tags

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "binder"), str(ROOT / "course"), str(SITE)]

import equations  # noqa: E402 - a script of this folder
import links  # noqa: E402 - a script of the folder binder

from replications import registry, summary  # noqa: E402 - a package of the folder course

HOSTS = {"gh": "https://github.com/{}/blob/{}", "gl": "https://gitlab.com/{}/-/blob/{}"}
NOT_DOCUMENTED = {"teaching", "crosscheck", "cli"}  # no part of what a program imports
TEXTS = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"),
    *("course/*.md", "course/pages/*.md", "course/homework/*.md", "course/r/*.md"),
)
NOTEBOOKS = (
    "course/*.ipynb",
    "course/pages/*.ipynb",
    "course/solutions/*.ipynb",
    "course/homework/*.ipynb",
    "course/replications/*/*.ipynb",
)
FILES = ("course/images/*", "course/homework/*.csv")
MOVED = {
    "README.md": "index.md",
    "course/solutions": "course/solutions/index.md",
    **{path.relative_to(ROOT).as_posix(): path.relative_to(SITE).as_posix() for path in SITE.rglob("*.md")},
}

EQUATIONS = """# Equations of the documents

Every numbered equation, definition, assumption, theorem and lemma of the five documents, and the main definitions without a
number, with the functions that implement it, the notebooks that use these functions most, and the files in `tests` that call
them. The text of Savitsky, Williams and Hu from which we work has lost its formulas; of their numbers, it cites (26), (27) and
(29). The index is built from the docstrings.

{table}
"""

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
BADGE = re.compile(r"!\[(Launch[^\]]*)\]\([^)]*\)")  # a picture of another host
IMAGE = re.compile(r'<img src="([^"]+)" alt="([^"]+)"  />')  # as knitr writes a figure
HEADER = re.compile(r"\A---\ntitle: \"(.*)\"\n(?:.*\n)*?---\n")  # of R Markdown


@dataclass
class Staged:
    """The folder that is filled: only what changed is written, and what is no longer made goes."""

    folder: Path
    repository: str | None
    written: set[Path] = field(default_factory=set)

    def write(self, name: str, text: str) -> None:
        """Write a text, unless it stands there already."""
        path = self.folder / name
        self.written.add(path)
        if not (path.is_file() and path.read_text(encoding="utf-8") == text):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def copy(self, name: str) -> None:
        """Copy a file of the repository."""
        path = self.folder / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, path)

    def remove_others(self) -> None:
        """Remove what an earlier run has written and this one has not."""
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()

    def link(self, said: str, name: str, anchor: str) -> str:
        """Return a link to a file of the repository, or what it says where the repository has no address."""
        if self.repository is None:
            return said
        provider, owner, project, branch = self.repository.split("/")
        return f"[{said}]({HOSTS[provider].format(f'{owner}/{project}', branch)}/{name}{anchor})"


def stage(folder: Path) -> None:
    """Fill a folder with everything Sphinx reads.

    Parameters
    ----------
    folder : Path
        Where it goes.
    """
    staged = Staged(folder, links.repository())
    texts, notebooks = names(TEXTS), names(NOTEBOOKS)
    pages = {*texts, *notebooks, *MOVED}
    for name in names(FILES):
        staged.copy(name)
    for name in texts:
        staged.write(MOVED.get(name, name), text_of(name, (ROOT / name).read_text(encoding="utf-8"), pages, staged))
    for name in notebooks:
        notebook = folded(nbformat.read(ROOT / name, as_version=4))
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = with_formulas(linked(name, cell.source, pages, staged))
        staged.write(name, nbformat.writes(notebook))
    for path in sorted(SITE.rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        staged.write(MOVED[name], linked(name, path.read_text(encoding="utf-8"), pages, staged))
    listing(staged)
    reference(staged)
    replications(staged)
    staged.write("replications/equations.md", EQUATIONS.format(table=markdown(equations.index())))
    staged.remove_others()


def names(patterns: Iterable[str]) -> list[str]:
    """Return the files of the repository with names of these patterns."""
    return [path.relative_to(ROOT).as_posix() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def text_of(name: str, text: str, pages: set[str], staged: Staged) -> str:
    """Return a text as the site has it."""
    text = linked(name, BADGE.sub(r"\1", HEADER.sub(r"# \1\n", text)), pages, staged)
    text = IMAGE.sub(r"![\2](\1)", text)
    if name == "README.md":
        front = (SITE / "front.txt").read_text(encoding="utf-8")
        begin, rest = text.split("\n## ", 1)
        text = f"{begin}\n{front.replace('%README%', f'## {rest}')}"
    if name == "course/README.md":
        text += (SITE / "course.txt").read_text(encoding="utf-8")
    return text


def linked(name: str, text: str, pages: set[str], staged: Staged) -> str:
    """Return the text of a file with links that hold on the site."""
    here, there = PurePosixPath(name).parent, PurePosixPath(MOVED.get(name, name)).parent

    def link(found: re.Match[str]) -> str:
        said, target = found.groups()
        if re.match(r"[a-z]+:|#|\.\./api/", target):
            return found[0]
        path, _, anchor = target.partition("#")
        file = os.path.normpath(here / path)
        anchor = f"#{anchor}" if anchor else ""
        if file in pages:
            return f"[{said}]({os.path.relpath(MOVED.get(file, file), there)}{anchor})"
        if (ROOT / file).suffix == ".csv" and file in names(FILES):
            return found[0]
        if not (ROOT / file).exists():
            raise FileNotFoundError(f"{name}: {target}")
        return staged.link(said, file, anchor)

    parts = CODE.split(text)
    return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))


def with_formulas(text: str) -> str:
    """Let MathJax read what stands in HTML."""
    return text.replace("<details>", '<details class="mathjax_process">')


def folded(notebook: Any) -> Any:
    """Fold the answers to predictions, the solutions and the code beside the point, as JupyterLab shows the lecture."""
    for cell in notebook.cells:
        hidden = cell.metadata.get("jupyter", {})
        tags = set(cell_tags.tags(cell)) - {"hide-input"}
        words = "Show the code"
        if "solution" in tags:
            tags.add("hide-cell" if cell.get("outputs") else "hide-input")
            words = "Show the solution"
        else:
            if hidden.get("outputs_hidden"):
                tags.add("hide-output")
                words = "Show the answer"
            if set(cell_tags.tags(cell)) & set(cell_tags.HIDDEN_CODE):
                tags.add("hide-input")
        cell.metadata = nbformat.from_dict(
            {"tags": sorted(tags), "mystnb": {"code_prompt_show": words, "code_prompt_hide": "Hide"}}
        )
    return notebook


def listing(staged: Staged) -> None:
    """Write the list of the solutions."""
    stems = [PurePosixPath(name).stem for name in names(["course/solutions/*.ipynb"])]
    toctree = "\n".join(stems)
    staged.write(
        "course/solutions/index.md",
        f"# Solutions\n\nOf the exercises of the lectures. Try first.\n\n```{{toctree}}\n{toctree}\n```\n",
    )


# ------------------------------------------------------------------------------------------------ names


def rooms() -> dict[str, ModuleType]:
    """Return the package and its public modules, by their names."""
    found = {"synthlab": synthlab}
    for _, name, _ in pkgutil.iter_modules(synthlab.__path__):
        if not name.startswith("_") and name not in NOT_DOCUMENTED:
            found[f"synthlab.{name}"] = importlib.import_module(f"synthlab.{name}")
    return {name: module for name, module in found.items() if public(module)}


def public(module: ModuleType) -> list[str]:
    """Return the public names of a module: those of `__all__`; without one, those of the exceptions."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    if module.__name__ != "synthlab.exceptions":
        return []
    return [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]


def reference_names() -> dict[str, dict[str, Any]]:
    """Return the public things by room, each once: under the package's own name, or else the first room that has it.

    A thing stands in the room where it is defined, or with the package if that is a single file.
    """
    everything = rooms()
    pages = [name for name, module in everything.items() if hasattr(module, "__path__") or name.endswith(".exceptions")]
    seen: set[int] = set()
    found: dict[str, dict[str, Any]] = {name: {} for name in pages}
    for room, module in everything.items():
        for name in public(module):
            thing = getattr(module, name)
            if isinstance(thing, ModuleType) or id(thing) in seen:
                continue
            seen.add(id(thing))
            home = ".".join(str(getattr(thing, "__module__", room)).split(".")[:2])
            found[home if home in found else room if room in found else "synthlab"][f"{room}.{name}"] = thing
    return {room: things for room, things in found.items() if things}


def reference(staged: Staged) -> None:
    """Write a page for each public name, one for each room, and the list of the rooms."""
    everything = reference_names()
    modules = rooms()
    others = examples({name: thing for things in everything.values() for name, thing in things.items()})
    for room, things in everything.items():
        for name, thing in things.items():
            staged.write(f"api/{name}.rst", page_of(name, thing, others[name]))
        staged.write(f"api/{room}.rst", room_page(room, things))
    said = "".join(f":doc:`{room}`\n    {first_line(modules[room])}\n\n" for room in everything)
    menu = "".join(f"   {room}\n" for room in everything)
    text = (SITE / "api.txt").read_text(encoding="utf-8")
    staged.write("api/index.rst", text.replace("%ROOMS%", said).replace("%MENU%", menu))


def first_line(thing: Any) -> str:
    """Return the summary of a docstring as one line."""
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")


def underlined(title: str) -> str:
    """Return a title in reStructuredText."""
    return f"{title}\n{'=' * len(title)}\n\n"


def room_page(room: str, things: Mapping[str, Any]) -> str:
    """Return the page of a room: its docstring, its names with their summaries, and their pages in the menu."""
    ordered = sorted(things, key=str.lower)
    said = "".join(f":py:obj:`{short(name)} <{name}>`\n    {first_line(things[name])}\n\n" for name in ordered)
    menu = "".join(f"   {name.rpartition('.')[2]} <{name}>\n" for name in ordered)
    title = underlined(room)
    return f"{title}.. automodule:: {room}\n   :no-members:\n\n{said}.. toctree::\n   :hidden:\n\n{menu}"


def short(name: str) -> str:
    """Return a name as it is written after ``import synthlab as sl``."""
    return f"sl.{name.removeprefix('synthlab.')}"


def examples(everything: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return, by name, the names whose examples show a thing that has no example of its own: a result, an error, a warning."""
    written = {name: documentation(thing) for name, thing in everything.items()}
    shown = {name: text for name, text in written.items() if ">>>" in text and ".plots." not in name}
    found: dict[str, list[str]] = {name: [] for name in everything}
    for name, thing in everything.items():
        if ">>>" in written[name]:
            continue
        own = name.rpartition(".")[2]
        # As a type, in backquotes, or, where it is no word of English, anywhere.
        said = re.compile(
            rf"^\S+ : .*\b{own}\b|`{own}`" + rf"|\b{own}\b" * bool(re.search("[a-z][A-Z]", own)), re.MULTILINE
        )
        named = [n for n, text in shown.items() if said.search(f"{text}\n- : {returned(everything[n])}")]
        base = [f"synthlab.exceptions.{kind.__name__}" for kind in getattr(thing, "__mro__", ())]
        base += [n for n in everything if re.search(rf"`{n.rpartition('.')[2]}`", written[name])]
        found[name] = named[:5] or [n for n in base if ">>>" in written.get(n, "")]
    return found


def documentation(thing: Any) -> str:
    """Return the docstring of a thing, with those of the methods a class has of its own."""
    members = vars(thing).items() if inspect.isclass(thing) else ()
    own = [one for key, one in members if not key.startswith("_") and (callable(one) or hasattr(one, "__func__"))]
    return "\n".join(inspect.getdoc(one) or "" for one in [thing, *own])


def returned(thing: Any) -> str:
    """Return what the annotations of a function say it returns."""
    return str(getattr(thing, "__annotations__", {}).get("return", "")) if inspect.isfunction(thing) else ""


def page_of(name: str, thing: Any, shown: list[str]) -> str:
    """Return the page of a name; where it has no example of its own, with links to those that show it."""
    module, _, own = name.rpartition(".")
    kind, options = "data", ""
    if inspect.isclass(thing):
        kind = "exception" if issubclass(thing, BaseException) else "class"
        options = "   :members:\n   :inherited-members: object, tuple, dict, str, BaseException\n"
    elif callable(thing):
        kind = "function"
    more = f"\n**Examples:** {', '.join(f':py:obj:`{short(n)} <{n}>`' for n in shown)}\n" if shown else ""
    return f"{underlined(name)}.. currentmodule:: {module}\n\n.. auto{kind}:: {own}\n{options}{more}"


# ------------------------------------------------------------------------------------------------ replications


def replications(staged: Staged) -> None:
    """Write the page with the counts of all papers and the list of the notebooks."""
    parts = summary.by_kind(registry.summary()[0])
    shown = {kind: part.loc[part[kind] > 0, (part != 0).any()].reset_index() for kind, part in parts.items()}
    tables = {kind: markdown(part) for kind, part in shown.items()}
    notebooks = [PurePosixPath(registry.find(name).notebook) for name in registry.REPLICATIONS]
    text = (SITE / "replications.txt").read_text(encoding="utf-8")
    filled = {
        "%WORDS%": summary.WORDS,
        "%NUMBERS%": tables["published numbers"],
        "%CLAIMS%": tables["claims"],
        "%NOTEBOOKS%": "\n".join(f"/{path.with_suffix('')}" for path in notebooks),
    }
    for mark, what in filled.items():
        text = text.replace(mark, what)
    staged.write("replications/index.md", text)


def markdown(table: pd.DataFrame) -> str:
    """Return a table as Markdown; columns of numbers are aligned to the right."""
    sides = ["---:" if pd.api.types.is_numeric_dtype(table[name]) else "---" for name in table]
    rows = [[*table.columns], sides, *table.astype(str).to_numpy().tolist()]
    return "\n".join(
        "| " + " | ".join(cell if cell.startswith("---") else escaped(cell) for cell in row) + " |" for row in rows
    )


def escaped(cell: str) -> str:
    """Return a text that is nothing but text in a cell of a table."""
    return re.sub(r"([\\`*_\[\]<>|$#{}~])", r"\\\1", str(cell)).replace("\n", " ")
