"""Write the commit into the source distribution and the wheel, where a checkout says which one it is."""

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
        about = runpy.run_path(str(Path(self.root, "synthlab", "_system", "versions.py")))
        found = about["git_commit"](Path(self.root))
        if found is None or version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name, about["BAKED"])
        file.write_text(f"{found.name}{' changed' * found.changed}\n", encoding="ascii")
        build_data["force_include"][str(file)] = f"synthlab/{about['BAKED']}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the file."""
        if hasattr(self, "folder"):
            self.folder.cleanup()
