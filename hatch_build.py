"""Add two things to a build: the commit of the checkout, and in a wheel the student edition of the course."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface):
    """A file ``synthlab/_commit``; a build from a source distribution keeps the one that is in it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file outside the checkout and name its place in what is built."""
        self.folder = tempfile.TemporaryDirectory()
        if self.target_name == "wheel" and version != "editable":
            self._add_course(build_data)
        about = runpy.run_path(str(Path(self.root, "synthlab", "_system", "versions.py")))
        found = about["git_commit"](Path(self.root))
        if found is None or version == "editable":
            return
        file = Path(self.folder.name, about["BAKED"])
        file.write_text(f"{found.name}{' changed' * found.changed}\n", encoding="ascii")
        build_data["force_include"][str(file)] = f"synthlab/{about['BAKED']}"

    def _add_course(self, build_data: dict[str, Any]) -> None:
        """Write the student edition and name its place in the wheel."""
        edition = runpy.run_path(str(Path(self.root, "synthlab", "teaching", "edition_files.py")))
        for name, content in edition["course_files"](Path(self.root, "course"), "student").items():
            file = Path(self.folder.name, "course", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            build_data["force_include"][str(file)] = f"synthlab/_course/{name.as_posix()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file."""
        if hasattr(self, "folder"):
            self.folder.cleanup()
