"""Commands for users of R."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from synthlab.cli import file_options
from synthlab.cli.printing import check_outputs


def r_package(
    folder: Annotated[Path, typer.Argument(parser=file_options.path, help="New folder for the R package.")],
) -> None:
    """Write the R package synthlabr, and print the lines of R that install it.

    synthlab r-package synthlabr
    """
    from synthlab import __version__
    from synthlab.r.package_files import write_r_package

    check_outputs(folder=folder)
    written = write_r_package(folder).resolve()
    print(f"The R package synthlabr {__version__} was written to {folder}. Install it in R:")
    print('  install.packages("reticulate")')
    print(f'  install.packages({_r_text(written)}, repos = NULL, type = "source")')
    print("Start it with this Python:")
    print(f"  Sys.setenv(RETICULATE_PYTHON = {_r_text(Path(sys.executable))})")
    print("  library(synthlabr)")


def _r_text(path: Path) -> str:
    return json.dumps(path.as_posix(), ensure_ascii=False)
