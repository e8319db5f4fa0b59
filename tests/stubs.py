"""``python -m tests.stubs``: add declared public names to the stubs of the package.

A stub names the public objects of a package, which are loaded on first use. The stub of `synthlab.synthesizers` gets the
registered synthesizers. The stub of `synthlab` gets the registered synthesizers and the public functions of `synthlab.risk` and
`synthlab.utility`.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from inspect import isfunction
from pathlib import Path

import synthlab
from synthlab.synthesizers.registry import DECLARATIONS

ROOT = Path(synthlab.__file__).resolve().parent
PACKAGES = ("risk", "utility")


def declared() -> dict[str, dict[str, set[str]]]:
    """Return the names that each stub must have, by package and by module of the import."""
    registered = {declaration.module: {declaration.name} for declaration in DECLARATIONS}
    public: dict[str, set[str]] = {"synthesizers": {declaration.name for declaration in DECLARATIONS}}
    for name in PACKAGES:
        package = import_module(f"synthlab.{name}")
        public[name] = {function for function in package.__all__ if isfunction(getattr(package, function))}
    return {"synthesizers": registered, "": public}


def absent(package: str) -> dict[str, set[str]]:
    """Return the declared names that the stub of a package does not have, by module."""
    tree = ast.parse(_path(package).read_text(encoding="utf-8"))
    imported = {
        (node.module or "", alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    names = {m: {name for name in names if (m, name) not in imported} for m, names in declared()[package].items()}
    return {module: missing for module, missing in names.items() if missing}


def _path(package: str) -> Path:
    return ROOT / package / "__init__.pyi"


def main() -> None:
    """Add the absent names to the stubs, and sort and format the stubs."""
    for package in declared():
        imports = [
            f"from .{module} import {name} as {name}\n"
            for module, names in absent(package).items()
            for name in sorted(names)
        ]
        stub = _path(package)
        if imports:
            stub.write_text("".join(imports) + stub.read_text(encoding="utf-8"), encoding="utf-8")
            for command in (("check", "--select", "I", "--fix", "--quiet"), ("format", "--quiet")):
                subprocess.run([sys.executable, "-m", "ruff", *command, str(stub)], check=True)
        print(f"{stub}: {len(imports)} names added")


if __name__ == "__main__":
    main()
