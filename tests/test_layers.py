"""The rule of the house: imports point down, and importing the package loads nothing heavy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from itertools import accumulate
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "synthlab"
REPLICATIONS = PACKAGE.parent / "course" / "replications"
SIBLINGS = {"risk", "weights", "synthesizers", "counts", "utility", "dp"}
LEVELS = {
    "exceptions": 0,
    "_typing": 0,
    "_rng": 0,
    "_seed_codes": 0,
    "_checks": 0,
    "_calls": 0,
    "_lazy": 0,
    "_deprecation": 0,
    "_description": 0,
    "_epsilon_from_events": 0,
    "_format": 0,
    "_formulas": 0,
    "_pareto_smoothing": 0,
    "_result": 0,
    "_system": 0,
    "_warnings": 0,
    "io": 0,
    "_design_covariance": 1,
    "design": 1,
    "release": 1,
    "matching": 1,
    "intruder": 1,
    "units": 1,
    "datasets": 1,
    **dict.fromkeys(SIBLINGS, 2),
    "r": 3,
    "plots": 3,
    "synthesis": 3,
    "scale": 3,
    "report": 4,
    "doctor": 4,
    "teaching": 5,
    "crosscheck": 5,
    "cli": 6,
    "__main__": 6,
    "__init__": 6,
}
WITHOUT_SIBLINGS = {LEVELS["risk"], LEVELS["teaching"]}  # levels whose folders do not import each other
MOST_USERS = 4  # largest number of other folders that import from a private module
APART = {"teaching", "crosscheck"}  # the package never needs these
HOME = {
    "matplotlib": ("plots", "teaching/figures"),
    "pymc": "synthesizers/_pymc.py",
    "nutpie": "synthesizers/_pymc.py",
    "rpy2": "r",
    "splink": "risk/",
    "dask": "scale/",
    "distributed": "scale/",
    "duckdb": ("risk/linkage/_splink.py", "scale/"),
    "opendp": "dp/_opendp.py",
}


def files() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts)


def import_root(path: Path) -> Path:
    """Return the folder that contains the package of a module."""
    return REPLICATIONS.parent if REPLICATIONS in path.parents else PACKAGE.parent


def room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(tree: ast.AST, *, typing_only: bool) -> list[tuple[str, bool]]:
    """Return (module, at module level) for every import outside `if TYPE_CHECKING` blocks."""
    found = []

    def walk(node: ast.AST, top: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test) and not typing_only:
                continue
            if isinstance(child, ast.Import):
                found.extend((alias.name, top) for alias in child.names)
            elif isinstance(child, ast.ImportFrom) and child.module and child.level == 0:
                found.append((child.module, top))
                found.extend((f"{child.module}.{alias.name}", top) for alias in child.names)
            deeper = top and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            walk(child, deeper)

    walk(tree, True)
    return found


def violations(path: Path, source: str) -> list[str]:
    here = room(path)
    if here not in LEVELS:
        return [f"{path.name}: room {here!r} has no level; add it to LEVELS"]
    wrong = []
    for module, top in imports(ast.parse(source), typing_only=False):
        parts = module.split(".")
        if parts[0] == "synthlab" and len(parts) > 1 and parts[1] in LEVELS:
            there = parts[1]
            if there == here:
                continue
            if LEVELS[there] > LEVELS[here]:
                wrong.append(f"{path.name} imports {module}, which is above it")
            if there in APART and top:
                wrong.append(
                    f"{path.name} imports {module} before it is asked for; the laboratory is no part of the package"
                )
            if LEVELS[there] == LEVELS[here] and LEVELS[here] in WITHOUT_SIBLINGS:
                wrong.append(f"{path.name} imports its sibling {module}")
        if parts[0] == "replications" and (here != "cli" or top):
            wrong.append(f"{path.name} imports {module}, which is part of the course")
        home = HOME.get(parts[0])
        if home and not path.relative_to(PACKAGE).as_posix().startswith(home):
            wrong.append(f"{path.name} imports {module}; only {home} may")
    return wrong


def test_imports_point_down():
    assert [one for path in files() for one in violations(path, path.read_text(encoding="utf-8"))] == []


def test_the_rule_sees_a_violation():
    assert violations(PACKAGE / "risk" / "x.py", "from synthlab.utility import pmse")
    assert violations(PACKAGE / "crosscheck" / "x.py", "def f():\n    from synthlab.teaching import files")
    assert violations(PACKAGE / "release.py", "import synthlab.risk")
    assert violations(PACKAGE / "risk" / "x.py", "def f():\n    import matplotlib.pyplot as plt")
    assert violations(PACKAGE / "risk" / "x.py", "from synthlab.plots import risk")
    assert violations(PACKAGE / "risk" / "x.py", "def f():\n    from synthlab.plots import risk")
    assert violations(PACKAGE / "report" / "x.py", "def f():\n    from replications import registry")
    assert violations(PACKAGE / "cli" / "checking.py", "from replications import registry")
    assert not violations(PACKAGE / "cli" / "checking.py", "def f():\n    from replications import registry")


def arrows(name: str, sources: Mapping[str, str]) -> set[str]:
    """Return the modules that one imports, for types and in functions too."""
    tree, found = ast.parse(sources[name]), set()
    for node in ast.walk(tree):
        named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            start = ".".join(filter(None, [name if node.level else None, node.module]))
            full = [f"{start}.{alias.name}" for alias in node.names]
            named = [module if module in sources else start for module in full]
        found |= {*named}
    return found & set(sources)


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return names of which each imports the next, the last one being the first."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def module_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the modules that each module imports."""
    return {name: arrows(name, sources) for name in sources}


def folder_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Return for each file or folder what it imports from the other files and folders of the folder that contains it."""
    graph: dict[str, set[str]] = {}
    for name, imported in module_graph(sources).items():
        for module in imported:
            here, there = (list(accumulate(one.split("."), "{}.{}".format)) for one in (name, module))
            for ours, theirs in zip(here, there, strict=False):
                if ours != theirs and "." in ours:
                    graph.setdefault(ours, set()).add(theirs)
                    break
    return graph


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """Return the text of each module, together with its stub."""
    texts: dict[str, str] = {}
    for path in [*files(), *PACKAGE.rglob("*.pyi"), *REPLICATIONS.rglob("*.py")]:
        parts = path.relative_to(import_root(path)).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        texts[name] = texts.get(name, "") + "\n" + path.read_text(encoding="utf-8")
    return texts


def test_no_imports_go_in_a_circle(sources):
    assert len(sources) > 300
    assert circle(module_graph(sources)) == []


def test_no_two_folders_import_each_other(sources):
    assert circle(folder_graph(sources)) == []


def test_a_private_module_serves_few_folders(sources):
    """A name that five folders import is public within the package: its module has no underscore."""
    users: dict[str, set[str]] = {}
    for name, imported in module_graph(sources).items():
        for module in imported:
            here, there = (re.match(r"replications|\w+\.\w+|", one)[0] for one in (name, module))
            if here != there and "._" in module.removeprefix(there):
                users.setdefault(module, set()).add(here)
    assert users, "nothing was seen"
    assert {module: folders for module, folders in users.items() if len(folders) > MOST_USERS} == {}


def test_a_circle_is_seen_wherever_its_imports_stand():
    typed = "if TYPE_CHECKING:\n    from synthlab.b import B"
    late = "def f():\n    from synthlab.a import A"
    both = {"synthlab.a": typed, "synthlab.b": late}
    assert set(circle(module_graph(both))) == set(circle(folder_graph(both))) == {*both}
    assert circle(module_graph({"synthlab.a": "from .b import B", "synthlab.a.b": "import synthlab.a"}))
    assert not circle(module_graph({"synthlab.a": typed, "synthlab.b": "from synthlab import c", "synthlab.c": ""}))
    drawn = {"synthlab.plots.b": "from synthlab.a import A"}
    assert circle(module_graph({"synthlab.a": "def plot():\n    from synthlab.plots.b import draw", **drawn}))
    assert circle(module_graph({"synthlab.a": "from synthlab.plots.b import draw", **drawn}))


def test_folders_that_import_each_other_are_seen_without_a_circle_of_modules():
    first = {"synthlab.a.x": "from synthlab.b.x import X", "synthlab.b.x": "", "synthlab.a.y": ""}
    back = {**first, "synthlab.b.y": "def f():\n    from synthlab.a.y import Y"}
    assert not circle(folder_graph({**first, "synthlab.b.y": "import synthlab.b.x"}))
    assert not circle(module_graph(back))
    assert set(circle(folder_graph(back))) == {"synthlab.a", "synthlab.b"}


def test_no_module_has_a_name_that_its_folder_exports():
    """Or `from synthlab.risk import cap` would depend on who imported what before."""
    for folder in {path.parent for path in [*files(), *REPLICATIONS.rglob("*.py")]}:
        public = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        named = {
            alias.asname or alias.name
            for node in ast.walk(public)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        here = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.iterdir() if path.is_dir()}
        assert not named & here - {"datasets", "counts", "dp", "exceptions"}, folder


def test_no_study_imports_another():
    studies = {p.name for p in REPLICATIONS.iterdir() if (p / "study.py").exists()}
    assert {"coverage", "dp", "gamma_family", "intruder", "lecture_8", "risk_weighted"} <= studies
    for path in REPLICATIONS.rglob("*.py"):
        here = path.relative_to(REPLICATIONS).parts[0]
        for module, _ in imports(ast.parse(path.read_text(encoding="utf-8")), typing_only=True):
            there = module.removeprefix("replications.").split(".")[0]
            if module.startswith("replications.") and there in studies:
                assert there == here, f"{path.name} imports {module}"


OTHERS = """
import contextlib, io, sys
before = {*sys.modules}
def others():
    found = {name.partition(".")[0] for name in {*sys.modules} - before}
    return sorted(name for name in found - sys.stdlib_module_names if not name.startswith("_"))
"""


def printed_by(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_package_imports_no_other_one_but_the_loader():
    code = "import synthlab; print(others(), sorted(name for name in sys.modules if name.startswith('synthlab.')))"
    assert printed_by(OTHERS + code) == "['lazy_loader', 'synthlab'] ['synthlab._calls', 'synthlab._lazy']"


def test_help_of_every_command_imports_nothing_that_computes_or_draws():
    code = """
from synthlab import cli
import typer
def helps(command, words):
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        cli.main([*words, "--help"])
    assert words[-1:] == [] or words[-1] in said.getvalue(), words
    return 1 + sum(helps(one, [*words, name]) for name, one in getattr(command, "commands", {}).items())
number = helps(typer.main.get_command(cli.app), [])
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    cli.main(["--version"])
print(number > 15, *others())
"""
    many, *found = printed_by(OTHERS + code).split()
    assert many == "True"
    heavy = "numpy pandas scipy numba matplotlib sklearn statsmodels formulaic pymc rpy2 rich jinja2 pooch requests tqdm IPython"
    assert {*found} & {*heavy.split()} == set()
    assert "typer" in found


def test_using_risk_loads_no_plot_no_sampler_no_r():
    code = (
        "import sys, pandas as pd, synthlab as sl; f = pd.DataFrame({'a': [1, 2], 'b': [1, 1]});"
        "sl.identification_risk(f, f, sl.Intruder(known=['b'], synthesized=['a']));"
        "print([m for m in ('matplotlib', 'pymc', 'rpy2') if m in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_every_module_can_be_imported():
    for path in [*files(), *REPLICATIONS.rglob("*.py")]:
        name = ".".join(path.relative_to(import_root(path)).with_suffix("").parts).removesuffix(".__init__")
        if path.stem != "__main__":
            assert import_module(name).__file__ == str(path)


def test_left_out_of_the_count_of_lines_is_what_numba_compiles():
    """Numba cannot compile a function in which lines are counted; any other file is counted."""
    settings = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["slipcover"]
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    compiled = {path for path, text in texts.items() if re.search(r"^@compiled\b", text, re.MULTILINE)}
    assert set(settings["omit"]) == {path.relative_to(PACKAGE.parent).as_posix() for path in compiled}
