"""The cells of a homework in the source formats of nbgrader and otter-grader."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from synthlab import __version__
from synthlab._about import DISTRIBUTION
from synthlab.lab.homework.versions import CODE, TEXT, WRITTEN, YOURS, blank, reveal

STUB = "# your code"
_CHECK = re.compile(r"""^check\(\s*(["'])(\w+)\.(\w+)\1,\s*\3\s*\)""", re.MULTILINE)
_NO_TEXT = "\n<!-- SOLUTION BEGIN -->\n<!-- SOLUTION END -->"


def asked(cell: Any, homework: str) -> list[str]:
    """Return the questions a cell checks, or answers in words."""
    if cell.cell_type == "code":
        return [name for _, of, name in _CHECK.findall(cell.source) if of == homework]
    return WRITTEN.findall(cell.source) if cell.cell_type == "markdown" else []


def _rubric(kept: Mapping[str, Any]) -> Any:
    from nbformat.v4 import new_markdown_cell

    lines = [f"* {criterion} ({points})" for criterion, points in kept["criteria"].items()]
    heading = f"Read by a person; at least {kept['fewest']} words. {kept['points']} points:"
    return new_markdown_cell("\n".join([heading, "", *lines]))


def nbgrader_cells(cells: list[Any], homework: str, questions: Mapping[str, Any], files: list[str]) -> Iterator[Any]:
    """Give the cells their metadata, and put a locked test after each check."""
    from nbformat.v4 import new_code_cell

    for cell in cells:
        name = next(iter(asked(cell, homework)), "")
        points = questions[name]["points"] if name else 0
        if cell.cell_type == "markdown" and name:
            yield _marked(_rubric(questions[name]), f"rubric-{name}")
            # Without a region nbgrader would blank the mark of the question as well.
            none = "" if TEXT.search(cell.source) else _NO_TEXT
            source = cell.source.replace(YOURS, "").rstrip() + none
            cell.source = TEXT.sub(lambda match: f"### BEGIN SOLUTION\n{reveal(match)}\n### END SOLUTION", source)
            yield _marked(cell, name, grade=True, solution=True, points=points)
            continue
        if cell.cell_type == "code" and CODE.search(cell.source):
            cell.source = CODE.sub(_nbgrader_region, cell.source)
            yield _marked(cell, f"answer-{cell.id}", solution=True)
        else:
            yield _marked(cell, f"given-{cell.id}")
        if name:
            test = f'from synthlab.lab.homework.exporting import earned\n\nearned("{homework}.{name}", {name})'
            yield _marked(new_code_cell(test), name, grade=True, points=points)


def _marked(cell: Any, grade_id: str, *, grade: bool = False, solution: bool = False, points: int | None = None) -> Any:
    kind = {"grade": grade, "solution": solution, "locked": not solution, "task": False}
    worth = {} if points is None else {"points": points}
    cell.metadata["nbgrader"] = {"schema_version": 3, "grade_id": grade_id, "cell_type": cell.cell_type} | kind | worth
    return cell


def _nbgrader_region(match: re.Match[str]) -> str:
    """Mark a solution, its stub on the side of it where the source runs as if the stub were not there."""
    indent, stub = match.group(1), blank(match)
    region = f"{indent}### BEGIN SOLUTION\n{reveal(match)}\n{indent}### END SOLUTION"
    if stub.strip() == STUB:
        return region
    ends = re.search(rf"^{indent}(return|raise)\b", stub, re.MULTILINE)
    return f"{region}\n{stub}" if ends else f"{stub}\n{region}"


def otter_cells(cells: list[Any], homework: str, questions: Mapping[str, Any], files: list[str]) -> Iterator[Any]:
    """Put each answer into a question, between the raw cells that ``otter assign`` reads."""
    from nbformat.v4 import new_code_cell, new_markdown_cell

    yield _raw(
        "ASSIGNMENT CONFIG",
        name=homework,
        files=files,
        requirements=[f"{DISTRIBUTION}[course]=={__version__}"],
        python_version=".".join(map(str, sys.version_info[:2])),
        tests={"ok_format": False},
    )
    for cell in cells:
        name = next(iter(asked(cell, homework)), "")
        pattern = CODE if cell.cell_type == "code" else TEXT
        solution = pattern.search(cell.source)
        if not name and not solution:
            yield cell
            continue
        manual = cell.cell_type == "markdown"
        points = questions[name]["points"] if name else 0
        yield _raw("BEGIN QUESTION", name=name or f"answer-{cell.id}", manual=manual, points=points)
        if manual:
            yield _rubric(questions[name])
            cell.source = TEXT.sub(blank, cell.source)
            yield from _block("PROMPT", cell)
            yield from _block("SOLUTION", new_markdown_cell(reveal(solution))) if solution else ()
        else:
            cell.source = CODE.sub(_otter_region, cell.source)
            yield from _block("SOLUTION", cell) if solution else (cell,)
            tests = _otter_tests(homework, name, questions[name]) if name else ()
            yield from _block("TESTS", *map(new_code_cell, tests))
        yield _raw("END QUESTION")


def _raw(first: str, **config: Any) -> Any:
    from nbformat.v4 import new_raw_cell

    return new_raw_cell("\n".join([f"# {first}", *(f"{key}: {json.dumps(value)}" for key, value in config.items())]))


def _block(kind: str, *cells: Any) -> Iterator[Any]:
    if cells:
        yield from (_raw(f"BEGIN {kind}"), *cells, _raw(f"END {kind}"))


def _otter_region(match: re.Match[str]) -> str:
    indent, stub = match.group(1), blank(match)
    quotes = "'''" if '"""' in stub else '"""'
    return "\n".join(
        [
            f"{indent}# BEGIN SOLUTION NO PROMPT",
            reveal(match),
            f"{indent}# END SOLUTION",
            f"{indent}{quotes} # BEGIN PROMPT",
            stub,
            f"{indent}{quotes}; # END PROMPT",
        ]
    )


def _otter_tests(homework: str, name: str, kept: Mapping[str, Any]) -> list[str]:
    """Return the tests of a question: one, or one a point where a part of the points can be earned."""
    levels = range(1, kept["points"] + 1) if kept["kind"] == "property" else [kept["points"]]
    return [
        f"def test_{name}_{level}({name}):\n"
        "    from synthlab.lab.homework.exporting import earned\n"
        f'    earned("{homework}.{name}", {name}, {level})'
        for level in levels
    ]


WRITERS = {"nbgrader": nbgrader_cells, "otter": otter_cells}
