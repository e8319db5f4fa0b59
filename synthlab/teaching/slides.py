"""Export of the lectures as Reveal.js slides by nbconvert.

    python -m synthlab.teaching.slides course build/slides

A section is a slide, a subsection goes below it, a prediction comes before its answer, the time plan is in the speaker's
notes. A page loads Reveal.js, RequireJS and MathJax from the web when it is opened.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from synthlab._system import atomic_write
from synthlab._typing import PathOrStr
from synthlab.exceptions import InputError
from synthlab.teaching import cell_tags
from synthlab.teaching.files import read_notebook


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
        If `course` contains no lecture.
    """
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    lectures = [path for path in sorted(Path(course).glob("*.ipynb")) if cell_tags.is_lecture(read_notebook(path))]
    if not lectures:
        raise InputError(f"course={str(course)!r}: contains no lecture")
    config = Config()
    config.TagRemovePreprocessor.enabled = True
    config.TagRemovePreprocessor.remove_input_tags = {"hide-input"}
    settings = {"reveal_scroll": True, "exclude_input_prompt": True, "exclude_output_prompt": True}
    exporter = SlidesExporter(config=config, **settings)  # type: ignore[no-untyped-call]
    written = []
    for path in lectures:
        page, _ = exporter.from_notebook_node(cell_tags.mark(read_notebook(path)), {"metadata": {"name": path.stem}})
        written.append(atomic_write.write_text(Path(folder) / f"{path.stem}.slides.html", page))
    return written


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
