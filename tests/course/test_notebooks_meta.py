"""Notebooks are fit to be tests, lectures hide their answers, links have targets, and a broken notebook fails."""

from __future__ import annotations

import ast
import copy
import os
import re
import subprocess
import symtable
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from synthlab.teaching import cell_tags
from synthlab.teaching.course_outputs import find_notebooks, normalise
from tests.loops import every

COURSE = Path(__file__).resolve().parents[2] / "course"
CHECKED = "nbval-check-output"
MARKERS = {CHECKED, "nbval-ignore-output"}
FIGURES = ("synthlab.teaching", "synthlab.plots", "matplotlib")
YOUR_TURN = "# your turn"
DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
MACHINE_PATH = re.compile(
    r"(?<![\w.])/(home|root|Users|tmp|work|opt|var|usr|mnt)/|[A-Z]:\\|site-packages/.*site-packages|ipykernel_\d+"
)
IMAGE = re.compile(r"base64,[A-Za-z0-9+/=]+")


def notebooks() -> list[Path]:
    """All that hold outputs: student versions of the homework are written by `otter assign`, without them."""
    return find_notebooks([COURSE])


def lectures() -> list[Path]:
    return [p for p in notebooks() if p.parent == COURSE]


def code_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def is_checked(cell) -> bool:
    return CHECKED in cell_tags.tags(cell)


def is_turn(cell) -> bool:
    return cell.cell_type == "code" and cell.source.startswith(YOUR_TURN)


def texts(output) -> list[str]:
    data = output.get("data", {})
    found = [output.get("text", ""), *(v for k, v in data.items() if k.startswith("text/"))]
    return [IMAGE.sub("base64,", t) for t in found]


def problems(notebook) -> list[str]:
    """Return what makes a notebook unfit to be a test."""
    wrong = []
    for number, cell in enumerate(code_cells(notebook), start=1):
        where = f"code cell {number}"
        lines = [*cell.source.splitlines(), *cell_tags.tags(cell)]
        wrong += [f"{where}: malformed marker {line!r}" for line in lines if _is_odd_marker(line)]
        if cell.execution_count != number:
            wrong.append(f"{where}: execution count {cell.execution_count}, expected {number}")
        wrong += [f"{where}: holds an error output" for o in cell.outputs if o.output_type == "error"]
        paths = [hit.group() for o in cell.outputs for text in texts(o) if (hit := MACHINE_PATH.search(text))]
        wrong += [f"{where}: a path of one machine: {path!r}" for path in paths]
        wrong += [f"{where}: an image without a description" for o in cell.outputs if "image/png" in o.get("data", {})]
        if is_checked(cell):
            wrong += [f"{where}: {problem}" for problem in _unfit_for_comparison(cell)]
    if notebook != normalise(copy.deepcopy(notebook)):
        wrong.append("not as `make course-outputs` writes it")
    return wrong


def _is_odd_marker(line: str) -> bool:
    return bool(re.search(r"nb_?val|pytest_validate", line, re.IGNORECASE)) and line not in MARKERS


def _unfit_for_comparison(cell) -> list[str]:
    if not cell.outputs:
        return ["compared, but has no output"]
    if not all(map(_is_comparable, cell.outputs)):
        return ["compared, but shows something else than printed text or a table"]
    text = "".join(o.get("text") or o.data["text/plain"] for o in cell.outputs)
    wrong = [] if re.search(r"\d", text) or "Error:" in text else ["compared, but prints no number"]
    long = re.search(r"\d\.\d{9,}", text)
    return wrong + ([f"compared, but prints an unrounded number: {long.group()}"] if long else [])


def _is_comparable(output) -> bool:
    """Say whether an output is printed text, or a table or number that a cell ends with."""
    if output.output_type == "stream":
        return output.name == "stdout"
    return output.output_type == "execute_result" and set(output.data) <= {"text/plain", "text/html"}


def lecture_problems(notebook, lecture: str) -> list[str]:
    """Return what a reader of a lecture lacks; `lecture` is its number, for example ``"05b"``."""
    code = code_cells(notebook)
    asked = cell_tags.asked(notebook)
    solutions = [c for c in code if "solution" in cell_tags.tags(c)]
    turns = [c for c in code if is_turn(c)]
    shown = [str(o.get("data", {}).get("text/html", "")) for c in code for o in c.outputs]
    figures = [tag for html in shown for tag in re.findall(r"<figure [^>]*>", html)]
    rules = {
        f"no heading {cell_tags.LECTURE!r}, which makes the notebook a lecture": cell_tags.is_lecture(notebook),
        "no prompt": bool(asked),
        "a prompt with an open answer": not any(map(has_open_answer, asked)),
        "no cell `# your turn`": bool(turns),
        "a turn without a solution": len(solutions) >= len(turns),
        f'no check("{lecture}. ...")': any(f'check("{lecture}.' in c.source for c in code),
        "a figure without a title": all(re.search(r'data-title="[^"]', tag) for tag in figures),
        "no compared cell": any(map(is_checked, code)),
    }
    return [rule for rule, holds in rules.items() if not holds] + hidden_dependencies(code)


class _WithoutDescriptions(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func).endswith("figure_with_description"):
            node.args, node.keywords = node.args[:1], []
        return self.generic_visit(node)


def names(cell) -> tuple[set[str], set[str]]:
    """Return the global names that a cell assigns and those that it reads; texts and figures do not count."""
    source = "" if cell.source.startswith("%%") else re.sub("(?m)^[%!].*", "", cell.source)
    tree = _WithoutDescriptions().visit(ast.parse(source))
    top = symtable.symtable(ast.unparse(tree), "cell", "exec")
    tables = [top]
    for table in tables:
        tables += table.get_children()
    aside = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(FIGURES):
            aside |= {a.asname or a.name for a in node.names}
        if isinstance(node, ast.Assign | ast.AugAssign) and _is_text(node.value):
            aside |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assigned = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()} - aside
    return assigned, {
        s.get_name() for t in tables for s in t.get_symbols() if s.is_referenced() and (t is top or s.is_global())
    }


def _is_text(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).endswith(".join")
    return isinstance(value, ast.JoinedStr | ast.BinOp) and bool(re.search("['\"]", ast.unparse(value)))


def hidden_dependencies(cells) -> list[str]:
    """Return the names that visible code reads and only hidden code assigns; solutions are not hidden code."""
    hidden: set[str] = set()
    wrong = []
    for cell in cells:
        tags, (assigned, read) = cell_tags.tags(cell), names(cell)
        if "hide-input" in tags:
            hidden |= assigned
        elif "solution" not in tags:
            wrong += [f"visible code needs {name!r} of a hidden cell" for name in sorted(read & hidden - assigned)]
            hidden -= assigned
    return wrong


def has_open_answer(cells) -> bool:
    """Return whether the answer to a prompt is visible in the cells from the prompt to the next heading."""
    for cell in cells[1:]:
        if cell.cell_type == "code" and cell.outputs and not cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            return True
        if cell.cell_type == "markdown" and DETAILS.sub("", cell.source).strip():
            return True
    return False


@pytest.fixture
def good():
    """A small notebook without a fault, in the form `make course-outputs` writes."""
    cell = new_code_cell("print(round(1 / 3, 3))", execution_count=1, id="one", metadata={"tags": [CHECKED]})
    cell.outputs = [new_output("stream", name="stdout", text="0.333\n")]
    return normalise(new_notebook(cells=[new_markdown_cell("# A notebook", id="title"), cell]))


@pytest.fixture
def lecture():
    """A small lecture without a fault."""
    outputs = [new_output("stream", name="stdout", text="1\n")]
    cells = [
        new_markdown_cell("## Your turn\n\n**Predict.** How many?"),
        new_code_cell("# your turn\ndef one():\n    ..."),
        new_code_cell('check("00.one", one)', outputs=outputs, metadata={"tags": [CHECKED]}),
        new_code_cell("def one():\n    return 1", metadata={"tags": ["solution"]}),
        new_markdown_cell("## Next\n\nIt is 1."),
        new_markdown_cell(f"{cell_tags.LECTURE}\n\nCount."),
    ]
    return cell_tags.mark(new_notebook(cells=cells))


@every("path", notebooks)
def test_notebook_is_fit_to_be_a_test(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert problems(notebook) == []


@every("path", lectures)
def test_lecture_is_complete_and_hides_its_answers(path):
    assert lecture_problems(nbformat.read(path, as_version=4), path.name.partition("_")[0]) == []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda c: c.update(source="# NBVAL_CHECK_OUTPUTS\nprint(1)"), "malformed marker"),
        (lambda c: c.metadata.update(tags=["nbval-check-outputs"]), "malformed marker"),
        (lambda c: c.update(execution_count=2), "execution count 2, expected 1"),
        (lambda c: c.update(outputs=[new_output("error", ename="E", evalue="", traceback=[])]), "error output"),
        (lambda c: c.update(outputs=[]), "has no output"),
        (lambda c: c.outputs[0].update(text="ok\n"), "prints no number"),
        (lambda c: c.outputs[0].update(text="0.3333333333333333\n"), "unrounded"),
        (lambda c: c.outputs[0].update(name="stderr"), "something else than printed text"),
        (lambda c: c.outputs[0].update(text="1 /home/me/x.csv\n"), "path of one machine"),
        (
            lambda c: c.outputs.append(new_output("display_data", {"text/plain": "<Figure>", "image/png": "aaaa"})),
            "image without a description",
        ),
        (lambda c: c.metadata.update(execution={"iopub.status.busy": "2026"}), "make course-outputs"),
    ],
)
def test_every_fault_is_seen(good, fault, message):
    assert problems(good) == []
    fault(code_cells(good)[0])
    assert any(message in problem for problem in problems(good))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda nb: nb.cells[2].metadata.pop("jupyter"), "a prompt with an open answer"),
        (lambda nb: nb.cells.insert(2, new_markdown_cell("It is 1.")), "a prompt with an open answer"),
        (lambda nb: nb.cells.pop(), f"no heading {cell_tags.LECTURE!r}, which makes the notebook a lecture"),
        (lambda nb: nb.cells[0].update(source="## Your turn"), "no prompt"),
        (lambda nb: nb.cells.pop(1), "no cell `# your turn`"),
        (lambda nb: nb.cells.pop(3), "a turn without a solution"),
        (lambda nb: nb.cells[2].update(source="1"), 'no check("00. ...")'),
        (lambda nb: nb.cells[2].metadata.pop("tags"), "no compared cell"),
        (
            lambda nb: nb.cells.insert(2, new_code_cell("one = 1", metadata={"tags": ["hide-input"]})),
            "visible code needs 'one' of a hidden cell",
        ),
        (
            lambda nb: nb.cells[3].update(
                outputs=[new_output("display_data", {"text/html": '<figure data-title="">'})]
            ),
            "a figure without a title",
        ),
    ],
)
def test_every_fault_of_a_lecture_is_seen(lecture, change, rule):
    lecture.cells.insert(2, new_markdown_cell("<details><summary>Compare</summary>\n\nIt is 1.\n\n</details>"))
    assert lecture_problems(lecture, "00") == []
    del lecture.cells[2]
    change(lecture)
    assert rule in lecture_problems(lecture, "00")


def test_marks_follow_from_text_and_tags_alone(lecture):
    again = copy.deepcopy(lecture)
    for cell in again.cells:
        cell.metadata.pop("jupyter", None)
        cell.metadata.pop("slideshow", None)
    assert cell_tags.mark(again) == lecture
    hidden = [c.metadata.get("jupyter") for c in lecture.cells]
    assert hidden == [None, None, {"outputs_hidden": True}, {"source_hidden": True}, None, None]
    kinds = [c.metadata["slideshow"]["slide_type"] for c in lecture.cells]
    assert kinds == ["slide", "fragment", "fragment", "subslide", "slide", "slide"]


def test_the_table_of_lectures_agrees_with_the_files():
    text = (COURSE / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\db?) \| \[(\w+)\]\((\w+)\.ipynb\) \|", text, re.MULTILINE)
    stems = [path.stem for path in lectures()]
    assert rows == [(stem.partition("_")[0], stem, stem) for stem in stems]
    assert {p.stem for p in (COURSE / "solutions").glob("*.ipynb")} == {f"{stem}_solutions" for stem in stems}


def test_links_in_the_readme_lead_somewhere():
    text = (COURSE / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (COURSE / target).exists(), target


@every("path", notebooks)
def test_links_in_the_notebooks_lead_somewhere(path):
    notebook = nbformat.read(path, as_version=4)
    for cell in (c for c in notebook.cells if c.cell_type == "markdown"):
        for target in re.findall(r"\]\(([^)#:\s]+)\)", cell.source):
            assert (path.parent / target).exists(), target


def run_nbval(folder: Path, timeout: float = 300, **settings: tuple[str, str]) -> str:
    """Run the notebooks of a folder, of which one must fail, with other settings of the conftest of the course."""
    text = (COURSE / "conftest.py").read_text(encoding="utf-8")
    for name, (before, after) in settings.items():
        assert f"{name} = {before}" in text
        text = text.replace(f"{name} = {before}", f"{name} = {after}")
    (folder / "conftest.py").write_text(text, encoding="utf-8")
    (folder / "none.ini").write_text("[pytest]\n", encoding="ascii")
    command = [sys.executable, "-m", "pytest", "-p", "nbval.plugin", "--nbval-lax", "--nbval-current-env"]
    command += ["-p", "no:cacheprovider", "-c", "none.ini", "--rootdir", ".", "--color=no", "-rA", "."]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins take their time to be imported
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=timeout, env=alone)
    assert done.returncode == 1, done.stdout
    return done.stdout


@pytest.mark.full
def test_a_broken_notebook_fails(good, tmp_path):
    nbformat.write(good, tmp_path / "good.ipynb")
    broken = {
        "a_wrong_number": "print(round(2 / 3, 3))",
        "an_exception": "1 / 0",
        "an_exit": "raise SystemExit(0)",
    }
    for name, source in broken.items():
        code_cells(good)[0].source = source
        nbformat.write(good, tmp_path / f"{name}.ipynb")
    printed = run_nbval(tmp_path)
    assert "3 failed, 1 passed" in printed
    assert re.search(r"^PASSED good\.ipynb::", printed, re.MULTILINE), printed


@pytest.mark.full
def test_a_notebook_that_needs_too_much_memory_fails(good, tmp_path):
    nbformat.write(good, tmp_path / "good.ipynb")
    assert "OVER THE LIMIT" in run_nbval(tmp_path, LIMIT_MB=("2_000", "1"))


@pytest.mark.full
def test_a_kernel_that_dies_fails_within_the_time_of_a_cell(good, tmp_path):
    cells = [new_code_cell(source, id=name) for name, source in (("dies", "import os; os._exit(1)"), ("late", "1"))]
    nbformat.write(new_notebook(cells=[*good.cells, *cells], metadata=good.metadata), tmp_path / "dies.ipynb")
    printed = run_nbval(tmp_path, timeout=100, CELL_SECONDS=("300", "2"))
    assert "Timeout of 2 seconds exceeded" in printed
    assert "1 passed" in printed
