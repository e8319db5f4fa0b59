"""Commands for lectures and homework."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from synthlab.cli import file_options
from synthlab.cli.printing import check_outputs

if TYPE_CHECKING:
    from synthlab.teaching.editions import Edition


def course_student(
    folder: Annotated[Path, typer.Argument(parser=file_options.path, help="Folder for the notebooks.")],
    source: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="The folder of the course in a checkout.")
    ] = None,
) -> None:
    """Write notebooks without outputs and solutions. Files you changed are kept.

    synthlab course student my-course
    """
    _write_edition("student", folder, source)


def course_teacher(
    folder: Annotated[Path, typer.Argument(parser=file_options.path, help="Folder for the notebooks.")],
    source: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="The folder of the course in a checkout.")
    ] = None,
) -> None:
    """Write notebooks with outputs and solutions. Files you changed are kept.

    synthlab course teacher my-course
    """
    _write_edition("teacher", folder, source)


def course_solutions(
    lectures: Annotated[list[str], typer.Argument(help="Numbers of lectures, for example 8 9b.")],
    folder: Annotated[Path, typer.Argument(parser=file_options.path, help="Folder for the notebooks.")],
    source: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="The folder of the course in a checkout.")
    ] = None,
) -> None:
    """Write the solutions of lectures, for example into a student edition. Files you changed are kept.

    synthlab course solutions 8 my-course
    """
    from synthlab.teaching.editions import write_solutions

    check_outputs(folder=folder)
    _print_edition("solutions", folder, write_solutions(lectures, folder, source=source))


def course_open(
    folder: Annotated[Path, typer.Argument(parser=file_options.path, help="Folder for the notebooks.")] = Path(
        "synthlab-course"
    ),
    edition: Annotated[Literal["student", "teacher"], typer.Option(help="student or teacher.")] = "student",
    port: Annotated[int, typer.Option(help="Port of JupyterLab.")] = 8888,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Write the notebooks of an edition and open them in JupyterLab. Files you changed are kept.

    synthlab course open my-course
    """
    from synthlab._system.optional_dependencies import load
    from synthlab.teaching.editions import open_edition

    load("course", "jupyterlab", "the course")  # before anything is written
    _write_edition(edition, folder, None)
    open_edition(folder, port=port, browser=browser)


def _write_edition(kind: Literal["student", "teacher"], folder: Path, source: Path | None) -> None:
    from synthlab.teaching.editions import write_edition

    check_outputs(folder=folder)
    _print_edition(f"{kind} edition", folder, write_edition(kind, folder, source=source))


def _print_edition(what: str, folder: Path, edition: Edition) -> None:
    print(f"{len(edition.written)} files of the {what} written to {folder}")
    for path in edition.kept:
        print(f"kept because it was changed: {path.relative_to(edition.folder)}")


def homework_new(
    name: Annotated[str, typer.Argument(help="Short name, for example hw20.")],
    folder: Annotated[
        Path, typer.Argument(parser=file_options.path, help="Folder for the master; do not share it with students.")
    ],
) -> None:
    """Write a master notebook for otter-grader, with example questions and checks.

    synthlab homework new hw20 masters
    """
    from synthlab.teaching.homework import start_homework

    check_outputs(folder=folder)
    for path in start_homework(name, folder):
        print(path)


def homework_gradebook(
    folder: Annotated[
        Path, typer.Argument(parser=file_options.path, help="Folder with a folder of submissions for each homework.")
    ],
) -> None:
    """Add automatic and written points of a class, and write them to gradebook.csv for a gradebook.

    synthlab homework gradebook class
    """
    from synthlab.teaching.homework.gradebook import WRITTEN, write_gradebook

    check_outputs(folder=folder)
    book = write_gradebook(folder)
    for path in book.files:
        print(f"written: {path}")
    if book.files[1:]:
        print(f"enter the points of the written answers in the column points of {WRITTEN}, and repeat this command")
    for homework, rows in book.table.groupby("homework"):
        print(f"{homework}: {len(rows)} submissions, {rows['total'].notna().sum()} with a total")
        for _, row in rows[rows["remark"] != ""].iterrows():
            print(f"{homework}: {row['student']}: {row['remark']}")
        if lacking := rows.loc[rows["written"].isna(), "student"].tolist():
            print(f"{homework}: no written points, so no total: {', '.join(lacking)}")
