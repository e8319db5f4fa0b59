"""Are the notebooks fit to be tests? Markers, execution, outputs, and a broken notebook that must fail."""

from __future__ import annotations

import ast
import copy
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from synthlab.teaching.course_outputs import find_notebooks, normalise
from tests.loops import every

COURSE = Path(__file__).resolve().parents[2] / "course"
LECTURES = (
    "01_disclosure_and_the_intruder",
    "02_bayes_and_the_posterior_predictive",
    "03_regression_and_mcmc",
    "04_synthesizing_continuous_data",
    "05_synthesizing_categorical_data",
    "05b_latent_classes",
    "06_global_utility",
    "06b_more_judges",
    "07_analysis_specific_utility",
    "08_identification_risk_matching",
    "09_attribute_disclosure",
    "09b_record_linkage",
    "10_the_intruders_posterior",
    "10b_published_models",
    "11_risk_weighted_synthesis",
    "11b_whack_a_mole",
    "12_differential_privacy",
    "12b_private_choices_and_tables",
    "13_the_pseudo_posterior_mechanism",
    "13b_the_same_epsilon",
    "14_count_synthesis_with_the_gamma_family",
    "14b_policies_for_a_table",
    "15_two_languages_one_answer",
    "16_the_survey_behind_the_file",
)
CHECKED = "# NBVAL_CHECK_OUTPUT"
MARKERS = {CHECKED, "# NBVAL_IGNORE_OUTPUT"}
LONGEST_FUNCTION = 10
PARTS = {
    "learning goals": r"^## What you will be able to do",
    "a time plan": r"^## Time plan",
    "discussion questions": r"^## .*Discussion",
    "five lines": r"^## .*Five lines",
    "what to read": r"^## What to read",
    "a bug hunt": r"(?i)^##+ .*bug hunt",
    "an attack": r"(?i)^##+ .*attack this release",
}
MACHINE_PATH = re.compile(
    r"(?<![\w.])/(home|root|Users|tmp|work|opt|var|usr|mnt)/|[A-Z]:\\|site-packages/.*site-packages|ipykernel_\d+"
)
IMAGE = re.compile(r"base64,[A-Za-z0-9+/=]+")


def notebooks() -> list[Path]:
    """All that hold outputs: student versions of the homework are written by `otter assign`, without them."""
    return find_notebooks([COURSE])


def lectures() -> list[Path]:
    return [p for p in notebooks() if p.parent == COURSE]


def name(path: Path) -> str:
    return path.relative_to(COURSE).as_posix()


def code_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def is_checked(cell) -> bool:
    return CHECKED in cell.source.splitlines()


def texts(output) -> list[str]:
    data = output.get("data", {})
    found = [output.get("text", ""), *(v for k, v in data.items() if k.startswith("text/"))]
    return [IMAGE.sub("base64,", t) for t in found]


def problems(notebook) -> list[str]:
    """Everything that is wrong with a notebook as a test."""
    wrong = []
    cells = code_cells(notebook)
    for number, cell in enumerate(cells, start=1):
        where = f"code cell {number}"
        wrong += [f"{where}: malformed marker {line!r}" for line in cell.source.splitlines() if _is_odd_marker(line)]
        if not cell.source.strip():
            wrong.append(f"{where}: empty")
        if cell.execution_count != number:
            wrong.append(f"{where}: execution count {cell.execution_count}, expected {number}")
        wrong += [f"{where}: holds an error output" for o in cell.outputs if o.output_type == "error"]
        wrong += [f"{where}: a path of one machine: {t!r}" for t in _with_paths(cell)]
        wrong += [f"{where}: an image without a description" for o in cell.outputs if "image/png" in o.get("data", {})]
        if is_checked(cell):
            wrong += [f"{where}: {problem}" for problem in _unfit_for_comparison(cell)]
        if "solution" not in cell.metadata.get("tags", ()):
            wrong += [f"{where}: {problem}" for problem in _long_functions(cell.source)]
    if sum(cell.source.count("default_rng(") for cell in cells) > 1:
        wrong.append("more than one generator of random numbers")
    if notebook != normalise(copy.deepcopy(notebook)):
        wrong.append("not as `make course-outputs` writes it")
    return wrong


def _is_odd_marker(line: str) -> bool:
    return bool(re.search(r"nb_?val|pytest_validate", line, re.IGNORECASE)) and line not in MARKERS


def _with_paths(cell) -> list[str]:
    found = [MACHINE_PATH.search(text) for output in cell.outputs for text in texts(output)]
    return [hit.group() for hit in found if hit]


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


def _long_functions(source: str) -> list[str]:
    if source.startswith("%%"):  # a cell of another language
        return []
    tree = ast.parse("\n".join(line for line in source.splitlines() if not line.startswith(("%", "!"))))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    return [f"function {f.name} has {length} lines" for f in functions if (length := _lines(f)) > LONGEST_FUNCTION]


def _lines(function: ast.FunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def lacks(notebook) -> list[str]:
    """What a lecture has to have and this one has not."""
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    missing = [part for part, pattern in PARTS.items() if not re.search(pattern, text, re.MULTILINE)]
    exercises = set(re.findall(r"^#+ .*Exercise (\d+)", text, re.MULTILINE))
    if not 3 <= len(exercises) <= 6:
        missing.append(f"3 to 6 exercises (has {len(exercises)})")
    compared = sum(is_checked(c) for c in code_cells(notebook))
    if compared < 4:
        missing.append(f"at least four compared cells (has {compared})")
    return missing


@pytest.fixture
def good():
    """A small notebook without a fault, in the form `make course-outputs` writes."""
    cell = new_code_cell(f"{CHECKED}\nprint(round(1 / 3, 3))", execution_count=1, id="one")
    cell.outputs = [new_output("stream", name="stdout", text="0.333\n")]
    return normalise(new_notebook(cells=[new_markdown_cell("# A notebook", id="title"), cell]))


def test_there_are_notebooks():
    assert any(name(p).startswith("08_") for p in lectures())


@every("path", notebooks)
def test_notebook_is_fit_to_be_a_test(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    # A homework master has several solutions, each with its own generator, and some of them are long.
    allowed = ("more than one generator", " lines") if path.parent.name == "instructor" else ()
    assert [one for one in problems(notebook) if not any(part in one for part in allowed)] == []


@every("path", lectures)
def test_lecture_has_its_parts(path):
    assert lacks(nbformat.read(path, as_version=4)) == []


@every("path", notebooks)
def test_notebook_ends_with_one_line_feed(path):
    text = path.read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")


def test_a_notebook_without_a_fault_has_no_problem(good):
    assert problems(good) == []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda c: c.update(source="# NBVAL_CHECK_OUTPUTS\nprint(1)"), "malformed marker"),
        (lambda c: c.update(source="print(0.333)  # NBVAL_CHECK_OUTPUT"), "malformed marker"),
        (lambda c: c.update(source="#NBVAL_CHECK_OUTPUT\nprint(1)"), "malformed marker"),
        (lambda c: c.update(source="# nbval_check_output\nprint(1)"), "malformed marker"),
        (lambda c: c.update(source="# NBVAL_SKIP\nprint(1)"), "malformed marker"),
        (lambda c: c.update(source="  \n"), "empty"),
        (lambda c: c.update(execution_count=None), "execution count None"),
        (lambda c: c.update(execution_count=2), "execution count 2, expected 1"),
        (lambda c: c.update(outputs=[new_output("error", ename="E", evalue="", traceback=[])]), "error output"),
        (lambda c: c.update(outputs=[]), "has no output"),
        (lambda c: c.outputs[0].update(text="ok\n"), "prints no number"),
        (lambda c: c.outputs[0].update(text="0.3333333333333333\n"), "unrounded"),
        (lambda c: c.outputs[0].update(name="stderr"), "something else than printed text"),
        (lambda c: c.outputs[0].update(text="1 /home/me/x.csv\n"), "path of one machine"),
        (lambda c: c.outputs[0].update(text="1 C:\\Users\\me\n"), "path of one machine"),
        (
            lambda c: c.outputs.append(new_output("display_data", {"text/plain": "<Figure>", "image/png": "aaaa"})),
            "image without a description",
        ),
        (lambda c: c.update(source="def f():\n" + "    x = 1\n" * 11), "function f has 12 lines"),
        (lambda c: c.update(source="a = default_rng(1)\nb = default_rng(2)"), "more than one generator"),
        (lambda c: c.metadata.update(execution={"iopub.status.busy": "2026"}), "make course-outputs"),
    ],
)
def test_every_fault_is_seen(good, fault, message):
    fault(code_cells(good)[0])
    assert any(message in problem for problem in problems(good))


def test_a_cell_of_r_is_not_read_as_python(good):
    good.cells[1].source = "%%R\ncount <- risk$c_vector[, 1]"
    assert problems(good) == []


def test_a_lecture_without_its_parts_is_seen(good):
    missing = lacks(good)
    assert set(PARTS) < set(missing)
    assert any("exercises" in m for m in missing)
    assert any("four compared cells" in m for m in missing)


def test_the_table_of_lectures_agrees_with_the_files():
    rows = re.findall(r"^\| (\d\db?) \| (.+?) \|", (COURSE / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(lecture.partition("_")[0], f"[{lecture}]({lecture}.ipynb)") for lecture in LECTURES]


def test_every_lecture_has_its_file_and_its_solutions():
    assert {p.stem for p in lectures()} == set(LECTURES)
    assert {p.stem for p in (COURSE / "solutions").glob("*.ipynb")} == {f"{one}_solutions" for one in LECTURES}


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


def run_nbval(*arguments: str | Path, folder: Path, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "nbval.plugin", "--nbval-lax", "--nbval-current-env"]
    command += [
        "-p",
        "no:cacheprovider",
        "-c",
        str(folder / "none.ini"),
        "--rootdir",
        str(folder),
        "--color=no",
        *map(str, arguments),
    ]
    (folder / "none.ini").write_text("[pytest]\n", encoding="ascii")
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins take their time to be imported
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=timeout, env=alone)


def test_nbval_collects_every_code_cell(tmp_path):
    printed = run_nbval("--collect-only", "-q", COURSE, folder=tmp_path).stdout
    collected = len(re.findall(r"\.ipynb::Cell \d+$", printed, re.MULTILINE))
    cells = sum(len(code_cells(nbformat.read(p, as_version=4))) for p in notebooks())
    assert collected == cells
    assert cells > 0


def test_a_good_notebook_passes_and_its_time_and_memory_are_printed(good, tmp_path):
    nbformat.write(good, tmp_path / "good.ipynb")
    (tmp_path / "conftest.py").write_bytes((COURSE / "conftest.py").read_bytes())
    done = run_nbval(".", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d\.\d s +\d+ MB +1 cells  good\.ipynb", done.stdout), done.stdout


@pytest.mark.full
def test_a_notebook_that_needs_too_much_memory_fails(good, tmp_path):
    nbformat.write(good, tmp_path / "good.ipynb")
    text = (COURSE / "conftest.py").read_text(encoding="utf-8")
    assert "LIMIT_MB = 2_000" in text
    (tmp_path / "conftest.py").write_text(text.replace("LIMIT_MB = 2_000", "LIMIT_MB = 1"), encoding="utf-8")
    done = run_nbval(".", folder=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "OVER THE LIMIT" in done.stdout


@pytest.mark.full
def test_a_kernel_that_dies_fails_within_the_time_of_a_cell(good, tmp_path):
    """The time is that of course/conftest.py, here 2 s, with no option on the command line."""
    cells = [new_code_cell(source, id=name) for name, source in (("dies", "import os; os._exit(1)"), ("late", "1"))]
    nbformat.write(new_notebook(cells=[*good.cells, *cells], metadata=good.metadata), tmp_path / "dies.ipynb")
    text = (COURSE / "conftest.py").read_text(encoding="utf-8")
    assert "CELL_SECONDS = 300" in text
    (tmp_path / "conftest.py").write_text(text.replace("CELL_SECONDS = 300", "CELL_SECONDS = 2"), encoding="utf-8")
    done = run_nbval(".", folder=tmp_path, timeout=100)
    assert done.returncode == 1, done.stdout
    assert "Timeout of 2 seconds exceeded" in done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.parametrize(("given", "used"), [(2000.0, 300), (300.0, 300), (5.0, 5.0)])
def test_a_cell_has_five_minutes_or_less(given, used):
    options = SimpleNamespace(nbval_cell_timeout=given)
    course_conftest().pytest_configure(SimpleNamespace(option=options))
    assert options.nbval_cell_timeout == used


def test_without_nbval_there_is_no_time_of_a_cell():
    options = SimpleNamespace()
    course_conftest().pytest_configure(SimpleNamespace(option=options))
    assert vars(options) == {}


def course_conftest():
    spec = importlib.util.spec_from_file_location("course_conftest", COURSE / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BROKEN = {
    "a_wrong_number": (f"{CHECKED}\nprint(round(2 / 3, 3))", "Cell outputs differ"),
    "an_exception": ("1 / 0", "Cell execution caused an exception"),
    "an_exit": ("raise SystemExit(0)", None),
}


@pytest.mark.full
def test_a_broken_notebook_fails(good, tmp_path):
    nbformat.write(good, tmp_path / "good.ipynb")
    for name, (source, _) in BROKEN.items():
        code_cells(good)[0].source = source
        nbformat.write(good, tmp_path / f"{name}.ipynb")
    done = run_nbval("-rA", ".", folder=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "3 failed, 1 passed" in done.stdout
    assert re.search(r"^PASSED good\.ipynb::", done.stdout, re.MULTILINE), done.stdout
    parts = re.split(r"^_{3,} (\w+)\.ipynb::Cell 0 _{3,}$", done.stdout, flags=re.MULTILINE)
    said = dict(zip(parts[1::2], parts[2::2], strict=True))
    for name, (_, message) in BROKEN.items():
        assert re.search(rf"^FAILED {name}\.ipynb::", done.stdout, re.MULTILINE), done.stdout
        assert message is None or message in said[name], done.stdout
