"""Which test executes which line of which file, and how long it takes."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mutation import child
from tests.mutation.mutants import Mutant

# A test may use what another one made: then all tests of its file are asked.
SIGNATURES = "test_returned.py::test_signatures"
SHARED = re.compile(r"scope=|\bcache\b|lru_cache")


class Touched:
    """The lines each test executes, kept in a folder and traced again only for what changed."""

    def __init__(self, root: Path, folder: Path, test_files: Iterable[str]) -> None:
        self.root, self.folder = root, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.seconds: dict[str, float] = {}
        self.by_line: dict[str, dict[int, set[str]]] = {}
        self.mates: dict[str, set[str]] = {}
        self.failing: set[str] = set()
        package = _digest(root, sorted(str(p.relative_to(root)) for p in (root / "synthlab").rglob("*.py")))
        for file in test_files:
            self._add(file, self._traced(file, package))
        self.names = _Names(root)

    def _traced(self, file: str, package: str) -> dict[str, Any]:
        around = [str(p.relative_to(self.root)) for p in (self.root / file).parent.glob("conftest.py")]
        kept = self.folder / f"{file.replace('/', '.')}.json"
        stamp = f"{package} {_digest(self.root, [file, *around])}"
        if kept.exists() and (found := json.loads(kept.read_text()))["stamp"] == stamp:
            return found
        print(f"tracing {file}", flush=True)
        answer, _, _ = child.forked(lambda: _trace(self.root, file), cpu=900, log=self.folder / "trace.log")
        if answer is None:
            raise SystemExit(f"{file}: cannot be traced; see {self.folder / 'trace.log'}")
        found = {"stamp": stamp, **answer}
        kept.write_text(json.dumps(found))
        return found

    def _add(self, file: str, found: dict[str, Any]) -> None:
        self.failing |= set(found["failed"])
        tests = [name for name in found["seconds"] if name not in self.failing]
        self.seconds |= {name: found["seconds"][name] for name in tests}
        if SHARED.search((self.root / file).read_text(encoding="utf-8")):
            self.mates |= {name: set(tests) for name in tests}
        for path, lines in found["lines"].items():
            for line, names in lines.items():
                self.by_line.setdefault(path, {}).setdefault(int(line), set()).update(set(names) & set(tests))

    def order(self, mutant: Mutant, limit: float) -> list[str]:
        """Return the tests that meet the mutant, the quick ones first, as many as take `limit` seconds together."""
        inner = mutant.where.split(".")[-1].lstrip("_")
        once = not inner or inner[0].isupper()  # runs on import, whichever test that was in
        lines = self.by_line.get(mutant.file, {}) if once else range(mutant.first, mutant.last + 1)
        sure = self._at(mutant.file, lines)
        for file, line in self.names.users(mutant):
            sure |= self._at(file, [line])
        more = set().union(*(self.mates.get(name, ()) for name in sure)) - sure
        chosen, spent = [name for name in self.seconds if name.endswith(SIGNATURES)], 0.0  # no line of a default runs
        for name in [*self._quick_first(sure), *self._quick_first(more)]:
            spent += self.seconds[name]
            if spent > limit and len(chosen) > 1:
                break
            chosen.append(name)
        return chosen

    def _at(self, file: str, lines: Iterable[int]) -> set[str]:
        by_line = self.by_line.get(file, {})
        return set().union(*(by_line.get(line, ()) for line in lines))

    def _quick_first(self, names: set[str]) -> list[str]:
        """Sort by time in three steps; within a step the tests of a file stay together, for they share fixtures."""

        def key(name: str) -> tuple[int, str, float]:
            seconds = self.seconds[name]
            return (int(seconds > 0.2) + int(seconds > 2.0), name.split("::")[0], seconds)

        return sorted(names, key=key)


class _Names:
    """Where a name is used: numba's lines leave no trace, and a constant's line runs on import only."""

    def __init__(self, root: Path) -> None:
        self.used: dict[str, list[tuple[str, int, str]]] = {}
        self.compiled: set[str] = set()
        for path in sorted((root / "synthlab").rglob("*.py")):
            file = str(path.relative_to(root))
            for name, line, function in _uses(ast.parse(path.read_text(encoding="utf-8")), self.compiled):
                self.used.setdefault(name, []).append((file, line, function))
        self.top = {str(p.relative_to(root)): _top(p) for p in (root / "synthlab").rglob("*.py")}

    def users(self, mutant: Mutant) -> Iterator[tuple[str, int]]:
        """Yield the traced lines that use what holds the mutant, through compiled functions and constants."""
        place = mutant.where.split(".")
        if place[-1] in self.compiled:
            waiting = [place[-1]]
        elif len(place) < 2 and (not mutant.where or mutant.where[0].isupper()):
            waiting = [mutant.where] if mutant.where else self.top[mutant.file].get(mutant.first, [])
        else:
            return
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            seen.add(name)
            for file, line, function in self.used.get(name, []):
                if function in self.compiled:
                    waiting += [function] if function not in seen else []
                elif function:
                    yield file, line
                else:
                    waiting += [n for n in self.top[file].get(line, []) if n not in seen]


def _uses(node: ast.AST, compiled: set[str], function: str = "") -> Iterator[tuple[str, int, str]]:
    for child_node in ast.iter_child_nodes(node):
        inner = function
        if isinstance(child_node, ast.FunctionDef):
            inner = child_node.name
            if any("njit" in ast.unparse(d) for d in child_node.decorator_list):
                compiled.add(inner)
        elif isinstance(child_node, ast.Name):
            yield child_node.id, child_node.lineno, function
        elif isinstance(child_node, ast.Attribute):
            yield child_node.attr, child_node.lineno, function
        yield from _uses(child_node, compiled, inner)


def _top(path: Path) -> dict[int, list[str]]:
    """Return the names that the assignments of a module give, by their first line."""
    return {
        s.lineno: [n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        for s in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(s, ast.Assign | ast.AnnAssign)
    }


def _digest(root: Path, files: Iterable[str]) -> str:
    return hashlib.sha256(b"".join((root / file).read_bytes() for file in files)).hexdigest()


def _trace(root: Path, file: str) -> dict[str, Any]:
    from coverage import Coverage

    coverage = Coverage(data_file=None, config_file=False, include=[f"{root}/synthlab/*"], messages=False)
    watch = _Watch(coverage)
    coverage.start()
    child.imported(root, [child.module_name(file)])
    child.call_pytest(root, [file, "--maxfail=1000"], watch)
    coverage.stop()
    data = coverage.get_data()
    lines = {
        str(Path(path).relative_to(root)): {
            line: [name for name in names if name] for line, names in data.contexts_by_lineno(path).items()
        }
        for path in data.measured_files()
    }
    return {"seconds": watch.seconds, "failed": sorted(watch.failed), "lines": lines}


class _Watch:
    """A pytest plugin that tells coverage which test is running."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        began = time.process_time()  # of this process: what else the machine does is no matter
        yield
        self.seconds[item.nodeid] = time.process_time() - began
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
