"""Versions of the package, its commit and its data, for bug reports and papers."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

# The package index has another project named synthlab, so the distribution has a different name.
DISTRIBUTION = "synthlab-sdc"
PACKAGE = Path(__file__).resolve().parents[1]
BAKED = "_commit"  # written into the sdist and the wheel by hatch_build.py
DATA_SUFFIXES = (".csv", ".gz", ".json")
UNKNOWN = "unknown"
TIMEOUT = 10.0


class Commit(NamedTuple):
    """Commit of the repository, and the source of this information.

    Attributes
    ----------
    name : str
        Forty hexadecimal digits, or "unknown".
    source : str
        Source of the information; empty if the commit is unknown.
    changed : bool
        Whether files of the repository differ from the commit.
    """

    name: str
    source: str = ""
    changed: bool = False

    def __str__(self) -> str:
        """Return twelve digits and the source."""
        if self.name == UNKNOWN:
            return "unknown (no git checkout, and none recorded at the build)"
        return f"{self.name[:12]} ({self.source}{', with uncommitted changes' * self.changed})"


def commit() -> Commit:
    """Return the commit of this package, from git, the build record, or pip."""
    return git_commit(PACKAGE.parent) or _baked(PACKAGE / BAKED) or _direct_url() or Commit(UNKNOWN)


def git_commit(root: Path) -> Commit | None:
    """Return the commit of a checkout of this project, or None."""
    if not ((root / ".git").exists() and (root / "pyproject.toml").is_file()):
        return None
    name = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    if name is None or changes is None or not _is_commit(name):
        return None
    return Commit(name, "git checkout", bool(changes))


def _git(root: Path, *words: str) -> str | None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout.strip()


def _is_commit(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{40}", text) is not None


def _baked(path: Path) -> Commit | None:
    try:
        name, *more = path.read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return None
    return Commit(name, "recorded at the build", more == ["changed"]) if _is_commit(name) else None


def _direct_url() -> Commit | None:
    """Return the commit that pip recorded at the installation, or None."""
    try:
        said = json.loads(metadata.distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
        name = str(said["vcs_info"]["commit_id"])
    except (metadata.PackageNotFoundError, ValueError, KeyError, TypeError):
        return None
    return Commit(name, "direct_url.json of pip") if _is_commit(name) else None


def data_folder() -> Path:
    """Return the folder of the bundled data."""
    installed = PACKAGE / "_data"
    return installed if installed.is_dir() else PACKAGE.parent / "data"


def data_version(folder: Path | None = None) -> tuple[str, int]:
    """Return a digest of the bundled data and the number of their files.

    The digest is the SHA-256 of the lines ``DIGEST  NAME`` of all .csv, .gz and .json files, sorted by name, in the
    format of ``sha256sum``.
    """
    root = data_folder() if folder is None else folder
    names = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.suffix in DATA_SUFFIXES and p.is_file())
    lines = [f"{hashlib.sha256((root / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    return (hashlib.sha256("".join(lines).encode()).hexdigest() if lines else UNKNOWN), len(lines)


def describe(version: str) -> list[str]:
    """Return the lines of ``synthlab --version``."""
    digest, files = data_version()
    return [
        f"synthlab {version} (distribution {DISTRIBUTION})",
        f"commit {commit()}",
        f"data {digest[:12]} ({f'SHA-256 of {files} bundled files' if files else 'no bundled files'})",
    ]
