"""Commands for lectures and homework."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from synthlab._warnings import collected
from synthlab.cli import file_options
from synthlab.cli.printing import check_outputs, say_warnings


def course_student(
    folder: Annotated[Path, typer.Argument(parser=file_options.path, help="Folder for the notebooks.")],
    source: Annotated[
        Path, typer.Option(parser=file_options.path, help="The folder of the course in a checkout.")
    ] = Path("course"),
) -> None:
    """Write the notebooks without outputs and solutions; what you changed in the folder is kept.

    synthlab course student my-course
    """
    _write_edition("student", folder, source)


def course_teacher(
    folder: Annotated[Path, typer.Argument(parser=file_options.path, help="Folder for the notebooks.")],
    source: Annotated[
        Path, typer.Option(parser=file_options.path, help="The folder of the course in a checkout.")
    ] = Path("course"),
) -> None:
    """Write the notebooks with outputs and solutions; what you changed in the folder is kept.

    synthlab course teacher my-course
    """
    _write_edition("teacher", folder, source)


def _write_edition(kind: Literal["student", "teacher"], folder: Path, source: Path) -> None:
    from synthlab.lab.course.editions import write_edition

    check_outputs(folder=folder)
    edition = write_edition(kind, folder, source=source)
    print(f"{len(edition.written)} files of the {kind} edition written to {folder}")
    for path in edition.kept:
        print(f"kept, since it was changed: {path.relative_to(edition.folder)}")


def homework_new(
    name: Annotated[str, typer.Argument(help="Short name, for example hw20.")],
    folder: Annotated[
        Path, typer.Argument(parser=file_options.path, help="Folder for your masters; students must not get it.")
    ],
) -> None:
    """Write a small master that runs, with a question of each kind, and a check beside it.

    synthlab homework new hw20 masters
    """
    from synthlab.lab.homework import start_homework

    check_outputs(folder=folder)
    for path in start_homework(name, folder):
        print(path)


def homework_make(
    master: Annotated[Path, typer.Argument(parser=file_options.path, help="The master notebook; it is run.")],
    out: Annotated[
        Path, typer.Option(parser=file_options.path, help="Folder for what students get (student) and the solution.")
    ],
    seed: Annotated[
        str | None, typer.Option(help="Any text that names your class: it gets numbers of its own.")
    ] = None,
) -> None:
    """Write the student version and the solution, each beside the sealed answers.

    synthlab homework make masters/hw20_title.ipynb --out fall --seed "Statistics 310, fall 2026"
    """
    from synthlab.lab.homework import write_versions

    check_outputs(out=out)
    with collected() as caught:
        written = write_versions(master, out, seed=seed)
    say_warnings(caught)
    for path in written:
        print(path)


def homework_seal(
    master: Annotated[Path, typer.Argument(parser=file_options.path, help="The master notebook; it is run.")],
    out: Annotated[Path, typer.Option(parser=file_options.path, help="Folder for the sealed answers and the checks.")],
) -> None:
    """Run a master notebook and write its sealed answers, and beside them the checks and the data of its own.

    synthlab homework seal masters/hw20_title.ipynb --out answers
    """
    from synthlab._files import write_bytes
    from synthlab.lab.homework import beside, seal_master

    check_outputs(out=out)
    name, text = seal_master(master)
    for file, content in beside(master, name, text).items():
        print(write_bytes(out / file, content))


def homework_export(
    master: Annotated[Path, typer.Argument(parser=file_options.path, help="The master notebook; it is run.")],
    to: Annotated[str, typer.Option(help="nbgrader or otter.")],
    out: Annotated[Path, typer.Option(parser=file_options.path, help="Folder for the assignment.")],
    seed: Annotated[
        str | None, typer.Option(help="A text that names the class: other numbers than the master's.")
    ] = None,
) -> None:
    """Write a homework as the source of an assignment of nbgrader or of otter-grader.

    synthlab homework export masters/hw20_title.ipynb --to nbgrader --out course
    """
    from synthlab.lab.homework.exporting import export_homework

    check_outputs(out=out)
    for path in export_homework(master, to, out, seed=seed):
        print(path)


def homework_grade(
    homework: Annotated[str, typer.Argument(help="Name of the homework, for example hw1.")],
    folder: Annotated[
        Path,
        typer.Argument(
            parser=file_options.path, help="Folder with one notebook, or one folder with a notebook, a student."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=file_options.path,
            help="Folder for grades.csv, class.html, written.csv, and feedback, one page a student; by default "
            "build/grades/HOMEWORK.",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(parser=file_options.path, help="Folder with the sealed answers; by default those of the package."),
    ] = None,
    written: Annotated[
        Path | None,
        typer.Option(
            parser=file_options.path,
            help="CSV file with points for written answers; by default written.csv of the output folder.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of submissions graded at once.")] = 1,
    cell_seconds: Annotated[int, typer.Option(help="Seconds a cell may take.")] = 300,
    total_seconds: Annotated[int, typer.Option(help="Seconds all cells together may take.")] = 1200,
    memory_mb: Annotated[int, typer.Option(help="MB of memory a submission may use.")] = 4000,
    disk_mb: Annotated[int, typer.Option(help="MB of files a submission may write.")] = 500,
    output_mb: Annotated[int, typer.Option(help="MB a cell may print.")] = 10,
    processes: Annotated[int, typer.Option(help="Processes a submission may start.")] = 200,
    image: Annotated[
        str | None, typer.Option(help="Run submissions in Docker, in this image, which holds synthlab.")
    ] = None,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Run submissions without a sandbox, with your rights.")
    ] = False,
) -> None:
    """Run every submission of a folder in a sandbox, and check its answers; what is there already is not run again.

    synthlab homework grade hw1 submissions --out grades --jobs 2
    """
    from synthlab.lab.homework import Limits, grade_folder

    out = Path("build/grades") / homework if out is None else out
    check_outputs(out=out)
    limits = Limits(cell_seconds, total_seconds, memory_mb, disk_mb, output_mb, processes)
    grades = grade_folder(
        folder,
        homework,
        out=out,
        answers=answers,
        jobs=jobs,
        limits=limits,
        unsafe=unsafe,
        image=image,
        written=written,
        progress=True,
    )
    print(grades)
    print(
        f"points: {out / 'grades.csv'}\npage of the class: {out / 'class.html'}\npages of students: {out / 'feedback'}"
    )
    print(f"written answers: fill in {out / 'written.csv'}, and run this again")
