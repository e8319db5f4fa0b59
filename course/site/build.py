"""Build the documentation site, offline, from what is in the repository.

    python course/site/build.py build/site

Notebooks are shown with the outputs they hold; nothing is executed. A warning of Sphinx is an error. Afterwards links and
spelling are checked: `check.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

sys.path.insert(0, str(Path(__file__).resolve().parent))

import check
import stage


def main(arguments: list[str] | None = None) -> int:
    """Build and check; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pages go")
    folder = parser.parse_args(arguments).folder.resolve()
    source, kept = (folder.with_name(f"{folder.name}-{part}") for part in ("source", "doctrees"))
    stage.stage(source)
    settings = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(kept), "-c", str(stage.SITE), "-j", "2"]
    if code := build_main([*settings, str(source), str(folder)]):
        return code
    return check.report(folder, check.misspelt(source, stage.ROOT / "synthlab"))


if __name__ == "__main__":
    raise SystemExit(main())
