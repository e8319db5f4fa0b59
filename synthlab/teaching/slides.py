"""Export of the lectures as Reveal.js slides by nbconvert.

    python -m synthlab.teaching.slides course build/slides

A section is a slide, a subsection goes below it, a prediction comes before its answer, a solution is on a slide of its own,
and the time plan is in the speaker's notes. Reveal.js and MathJax are copied into the folder, so that a page loads nothing
from the web.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.teaching import cell_tags
from synthlab.teaching.files import read_notebook

# Package, folder in it, and folder next to the slides.
BUNDLED = (("sphinx_revealjs", "_static/revealjs", "reveal"), ("sphinx-mathjax-offline", "static/mathjax", "mathjax"))
HEIGHT = 620  # of a slide, in pixels
TEMPLATE = """
{%- extends 'index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}
<style>
.jp-Notebook .reveal h1, .jp-Notebook .reveal h2, .jp-Notebook .reveal h3 { text-transform: none; }
.jp-Notebook .reveal h1 { font-size: 1.6em; }
.jp-Notebook .reveal h2 { font-size: 1.25em; }
.jp-Notebook .reveal h3 { font-size: 1.05em; }
.jp-Notebook .reveal pre { font-size: 16px; line-height: 1.25; width: auto; box-shadow: none; }
</style>
<script>window.MathJax = {tex: {inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]]}};</script>
<script src="mathjax/tex-chtml.js" defer></script>
{%- endblock -%}
{%- block footer_js -%}
<script src="reveal/dist/reveal.js"></script>
<script src="reveal/plugin/notes/notes.js"></script>
<script>
Reveal.initialize({
  controls: true, progress: true, history: true, center: false, width: 1100, height: 700, plugins: [RevealNotes]
});
Reveal.on("slidechanged", function (event) {
  const slide = event.currentSlide;
  if (slide.scrollHeight > 700) { slide.style.height = "680px"; slide.style.overflowY = "auto"; }
});
</script>
{%- endblock -%}
"""


def write_slides(course: PathOrStr, folder: PathOrStr) -> list[Path]:
    """Write the slides of every lecture in a folder.

    Parameters
    ----------
    course : path
        Folder of the lectures.
    folder : path
        Folder for the pages, one HTML file per lecture.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        If `course` contains no lecture, or if Reveal.js or MathJax is not installed.
    """
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    lectures = [path for path in sorted(Path(course).glob("*.ipynb")) if cell_tags.is_lecture(read_notebook(path))]
    if not lectures:
        raise InputError(f"course={str(course)!r}: contains no lecture")
    for package, inside, name in BUNDLED:
        found = find_spec(package)
        if found is None or found.origin is None:
            raise InputError(f"slides: {name} is not installed; pip install {package.replace('_', '-')}")
        source = Path(found.origin).parent / inside
        for file in (path for path in source.rglob("*") if path.is_file()):
            atomic_write.write_bytes(Path(folder) / name / file.relative_to(source), file.read_bytes())
    config = Config()
    config.TagRemovePreprocessor.enabled = True
    config.TagRemovePreprocessor.remove_input_tags = {"hide-input"}
    settings = {
        "reveal_url_prefix": "reveal",
        "reveal_theme": "white",
        "exclude_input_prompt": True,
        "exclude_output_prompt": True,
    }
    exporter = SlidesExporter(config=config, raw_template=TEMPLATE, **settings)  # type: ignore[no-untyped-call]
    written = []
    for path in lectures:
        notebook = divided(cell_tags.mark(read_notebook(path)))
        page, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": path.stem}})
        written.append(atomic_write.write_text(Path(folder) / f"{path.stem}.slides.html", page))
    return written


def divided(notebook: Any) -> Any:
    """Start a slide below the present one, in place, where the present one would be higher than the screen."""
    filled = 0.0
    for cell in notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        if kind in ("skip", "notes"):
            continue
        height = _height(cell)
        if kind in ("slide", "subslide"):
            filled = 0
        elif filled and filled + height > HEIGHT:
            cell.metadata["slideshow"]["slide_type"], filled = "subslide", 0
        filled += height
    return notebook


def _height(cell: Any) -> float:
    """Estimate the height of a cell in pixels: lines of code, wrapped lines of text, rows of tables, and figures."""
    if cell.cell_type == "markdown":
        lines = cell.source.splitlines()
        return sum(32 * math.ceil(len(line) / 95) + (36 if line.startswith("#") else 0) for line in lines) + 20
    code = 0 if "hide-input" in cell_tags.tags(cell) else 22 * len(cell.source.splitlines()) + 20
    shown = 0.0
    for output in cell.outputs:
        text = "".join(output.get("text", "") or output.get("data", {}).get("text/html", ""))
        plain = output.get("data", {}).get("text/plain", "")
        if "<figure" in text:
            shown += 480
        else:
            shown += 33 * text.count("<tr") + 24 * len((text if "text" in output else plain).splitlines()) * (
                "<tr" not in text
            )
    return code + shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the slides and print their paths."""
    parser = argparse.ArgumentParser(prog="python -m synthlab.teaching.slides", description=__doc__)
    parser.add_argument("course", help="folder of the lectures")
    parser.add_argument("folder", help="folder for the pages")
    given = parser.parse_args(arguments)
    for path in write_slides(given.course, given.folder):
        sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
