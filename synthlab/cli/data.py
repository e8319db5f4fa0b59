"""Commands about datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from synthlab.cli.file_options import path_option
from synthlab.cli.printing import check_outputs, print_table


def data_list() -> None:
    """List the datasets, with their kind and whether they are available locally.

    synthlab data list
    """
    from synthlab import datasets

    table = datasets.describe()
    rows = [
        (
            str(row["name"]),
            f"{row['version']}{' *' if row['default'] else ''}",
            str(row["kind"]),
            f"{row['rows']:,} x {row['variables']}",
            "yes" if row["at_hand"] else "no",
            str(row["title"]),
        )
        for row in table.to_dict("records")
    ]
    print_table("datasets (*: loaded by default)", ["name", "version", "kind", "size", "at hand", "title"], rows)


def data_show(
    name: Annotated[str, typer.Argument(help="Name of the dataset.")],
    version: Annotated[str | None, typer.Option(help="Version. Default: the version that load() uses.")] = None,
) -> None:
    """Describe a dataset: variables, roles, source, license.

    synthlab data show affairs
    """
    from synthlab import datasets

    print(datasets.load(name, version))


def data_fetch(
    name: Annotated[str, typer.Argument(help="Name of the dataset.")],
    folder: Annotated[Path | None, path_option("Folder for the files. Default: the user's cache.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Download files again that already exist.")] = False,
) -> None:
    """Download a real dataset from its publisher and verify its SHA-256 digest.

    synthlab data fetch acs
    """
    from synthlab import datasets

    if folder is not None:
        check_outputs(folder=folder)
    for path in datasets.fetch(name, folder=folder, force=force, progress=True):
        print(path)
