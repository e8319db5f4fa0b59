"""Write the student version of every homework master with `otter assign`.

python course/instructor/student_versions.py FOLDER [--no-run-tests]
"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from otter.assign import main as assign

MASTERS = sorted(Path(__file__).resolve().parent.glob("hw*.ipynb"))


def write_student_version(master: Path, folder: Path, *, run_tests: bool) -> None:
    """Assign a master and copy the student's files; number the cells that otter adds, so that a second run is equal."""
    with TemporaryDirectory() as copied, TemporaryDirectory() as assigned:
        # In this folder, the files with checks are links to ../homework, and otter accepts no links.
        shutil.copytree(master.parent, copied, dirs_exist_ok=True)
        assign(str(Path(copied) / master.name), assigned, no_run_tests=not run_tests)
        student = Path(assigned) / "student"
        notebook = nbformat.read(student / master.name, as_version=4)
        for number, cell in enumerate(notebook.cells):
            cell.id = f"cell-{number:03}"
        (student / master.name).write_text(nbformat.writes(notebook).rstrip("\n") + "\n", encoding="utf-8")
        for path in student.iterdir():
            shutil.copy(path, folder)


def main() -> None:
    """Write the student version of each homework into the folder."""
    folder, *options = sys.argv[1:]
    for master in MASTERS:
        write_student_version(master, Path(folder).resolve(), run_tests="--no-run-tests" not in options)


if __name__ == "__main__":
    main()
