"""Write the student version of every homework master with `otter assign`.

python course/instructor/student_versions.py FOLDER
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

MASTERS = sorted(Path(__file__).parent.glob("hw*.ipynb"))


def write_student_version(master: Path, folder: Path, *, run_tests: bool = True) -> list[Path]:
    """Assign a master and copy the student's files; number the cells that otter adds, so that a second run is equal."""
    with TemporaryDirectory() as assigned:
        command = [sys.executable, "-m", "otter", "assign", str(master), assigned]
        subprocess.run(command + ([] if run_tests else ["--no-run-tests"]), check=True)
        student = Path(assigned) / "student"
        notebook = nbformat.read(student / master.name, as_version=4)
        for number, cell in enumerate(notebook.cells):
            cell.id = f"cell-{number:03}"
        (student / master.name).write_text(nbformat.writes(notebook).rstrip("\n") + "\n", encoding="utf-8")
        return [Path(shutil.copy(path, folder)) for path in sorted(student.iterdir())]


def main() -> None:
    """Write the student version of each homework into the folder."""
    for master in MASTERS:
        write_student_version(master, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
