"""The measures of a lecture, and what of the rules of the second edition it breaks.

python -m tests.course.second_edition course/*.ipynb     # a table of measures, then what is broken
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat

from synthlab.teaching import cell_tags

MOST_WORDS = 2_000
MOST_CELLS = 55
LONGEST_LINE = 88
LINES_A_CELL = 4.5  # on average
LONGEST_CELL = 12
LONGEST_TURN = 16
PRINTING = 0.15
YOUR_TURN = "# your turn"
# What is said to a reader and computes nothing: printing, and the words of a figure.
SAYING = {"print", "figure_with_description", "display", "Markdown"}
# Where R's functions answer in the lecture itself, or R's own.
WITH_R = {"07", "08", "14", "15", "16"}
DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
TABLE = re.compile(r"^\|.*\|\s*$", re.MULTILINE)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
HEADING = re.compile(r"^#+ ", re.MULTILINE)
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\([^)]*\)|<[^>]+>")
MAGIC = ("%", "!")


@dataclass(frozen=True)
class Measures:
    """What a lecture asks of its reader."""

    words: int
    cells: int
    longest_line: int
    lines_a_cell: float
    longest_cell: int
    printing: float
    prompts: int
    answered: int
    turns: int


def text_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "markdown"]


def code_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def is_visible(cell) -> bool:
    return not set(cell_tags.tags(cell)) & set(cell_tags.HIDDEN_CODE)


def is_turn(cell) -> bool:
    return cell.cell_type == "code" and cell.source.startswith(YOUR_TURN)


def is_r(cell) -> bool:
    return cell.source.lstrip().startswith("%%R")


def lines_of_code(cell) -> list[str]:
    lines = [line for line in cell.source.splitlines() if line.strip()]
    return lines if is_r(cell) else [line for line in lines if not line.lstrip().startswith("#")]


def late_headings(notebook) -> int:
    """Return how many headings are not at the start of their cell."""
    sources = [CODE_BLOCK.sub("", c.source).lstrip() for c in text_cells(notebook)]
    return sum(len(HEADING.findall(source)) - bool(HEADING.match(source)) for source in sources)


def words(notebook) -> int:
    text = "\n".join(c.source for c in text_cells(notebook))
    for pattern in (DETAILS, FORMULA, TABLE, LINK):
        text = pattern.sub(" ", text)
    return len(re.findall(r"[^\W\d_][\w'’-]*", text))


def printing_share(cells) -> float:
    """Return the share of the characters of visible code that print or describe."""
    total = said = 0
    for cell in cells:
        source = "\n".join(line for line in cell.source.splitlines() if not line.startswith(MAGIC))
        tree = ast.parse(source)
        total += sum(len(line.strip()) for line in lines_of_code(cell))
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _name(n.func) in SAYING]
        inner = {id(n) for call in calls for n in ast.walk(call) if n is not call}
        said += sum(_size(source, call) for call in calls if id(call) not in inner)
    return said / total if total else 0.0


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _size(source: str, call: ast.Call) -> int:
    return sum(len(line.strip()) for line in (ast.get_source_segment(source, call) or "").splitlines())


def has_answer(cells) -> bool:
    """Say whether the answer to a prompt stands open in the cells from it to the next heading."""
    for cell in cells[1:]:
        if cell.cell_type == "code" and cell.outputs and not cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            return True
        if cell.cell_type == "markdown" and DETAILS.sub("", cell.source).strip():
            return True
    return False


def untitled(notebook) -> int:
    """Return how many figures of the outputs have no title."""
    shown = [str(o.get("data", {}).get("text/html", "")) for c in code_cells(notebook) for o in c.outputs]
    figures = [tag for html in shown for tag in re.findall(r"<figure [^>]*>", html)]
    return sum(not re.search(r'data-title="[^"]', tag) for tag in figures)


def measure(notebook) -> Measures:
    """Return the measures of a lecture."""
    code = [c for c in code_cells(notebook) if is_visible(c)]
    plain = [c for c in code if not is_turn(c)]
    sizes = [len(lines_of_code(c)) for c in plain]
    asked = cell_tags.asked(notebook)
    return Measures(
        words=words(notebook),
        cells=len(text_cells(notebook)) + len(code),
        longest_line=max((len(line) for c in code_cells(notebook) for line in c.source.splitlines()), default=0),
        lines_a_cell=sum(sizes) / len(sizes) if sizes else 0.0,
        longest_cell=max(sizes, default=0),
        printing=printing_share([c for c in plain if not is_r(c)]),
        prompts=len(asked),
        answered=sum(map(has_answer, asked)),
        turns=sum(map(is_turn, notebook.cells)),
    )


def broken(notebook, lecture: str) -> list[str]:
    """Return the rules a lecture breaks; `lecture` is its number, for example ``"05b"``."""
    m = measure(notebook)
    text = "\n".join(c.source for c in text_cells(notebook))
    code = "\n".join(c.source for c in code_cells(notebook))
    solutions = [c for c in code_cells(notebook) if "solution" in cell_tags.tags(c)]
    long_turns = [len(lines_of_code(c)) for c in code_cells(notebook) if is_turn(c) or c in solutions]
    rules = {
        f"{m.words} words, at most {MOST_WORDS}": m.words <= MOST_WORDS,
        f"{m.cells} visible cells, at most {MOST_CELLS}": m.cells <= MOST_CELLS,
        f"a line of {m.longest_line} characters, at most {LONGEST_LINE}": m.longest_line <= LONGEST_LINE,
        f"{m.lines_a_cell:.1f} lines a cell, at most {LINES_A_CELL}": m.lines_a_cell <= LINES_A_CELL,
        f"a cell of {m.longest_cell} lines, at most {LONGEST_CELL}": m.longest_cell <= LONGEST_CELL,
        f"a turn of {max(long_turns, default=0)} lines, at most {LONGEST_TURN}": max(long_turns, default=0)
        <= LONGEST_TURN,
        f"{m.printing:.0%} of the code prints or describes, less than {PRINTING:.0%}": m.printing < PRINTING,
        f"{m.answered} of {m.prompts} prompts with an open answer": m.answered == 0,
        "no prompt": m.prompts > 0,
        f"{untitled(notebook)} figures without a title": untitled(notebook) == 0,
        f"{late_headings(notebook)} headings inside a cell": late_headings(notebook) == 0,
        "no cell `# your turn`": m.turns > 0,
        "no solution of a turn": len(solutions) >= m.turns,
        f'no check("{lecture}. ...")': f'check("{lecture}.' in code,
        "no schematic": "release_diagram.show(" in code,
        "no link to the glossary": "GLOSSARY.md" in text,
        "no time for 75 minutes": "If you have 75" in text,
        "no cell with R": lecture not in WITH_R or any(map(is_r, code_cells(notebook))),
        "no reading question": "eading question" in text,
    }
    return [rule for rule, holds in rules.items() if not holds]


def main() -> None:
    """Print the table."""
    print(
        f"{'':6}{'words':>7}{'cells':>7}{'line':>6}{'lines/cell':>12}{'longest':>9}{'printing':>10}{'prompts':>9}"
        f"{'answered':>10}{'turns':>7}"
    )
    wrong = {}
    for path in map(Path, sys.argv[1:]):
        notebook = nbformat.read(path, as_version=4)
        lecture = path.name.partition("_")[0]
        m = measure(notebook)
        print(
            f"{lecture:6}{m.words:7}{m.cells:7}{m.longest_line:6}{m.lines_a_cell:12.1f}{m.longest_cell:9}"
            f"{m.printing:10.0%}{m.prompts:9}{m.answered:10}{m.turns:7}"
        )
        wrong[lecture] = broken(notebook, lecture)
    for lecture, rules in wrong.items():
        print(*(f"{lecture}: {rule}" for rule in rules), sep="\n", end="\n" if rules else "")


if __name__ == "__main__":
    main()
