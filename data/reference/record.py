"""Ask R again: run every script of this folder that can be run here, write what it answers, and the manifest.

    python data/reference/record.py [SCRIPT ...]

Scripts whose package or real samples are missing are left as they are, and the reason is printed. The manifest holds
for each script R and its packages, the session, the date, and the SHA-256 of the script, its inputs and its outputs.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path

from synthlab._system import atomic_write
from synthlab.datasets.files import data_folder, sha256
from synthlab.exceptions import InputError
from synthlab.r.reference_results import SCRIPTS, Script, course_files, run, software, why_not_live

FOLDER = Path(__file__).resolve().parent
MANIFEST = FOLDER / "manifest.json"


def record(script: Script) -> dict[str, object]:
    """Run a script, write its files, and return its entry of the manifest."""
    answers = dict(run(script))
    session = answers.pop("session.txt").decode()
    for name, data in answers.items():
        atomic_write.write_bytes(FOLDER / name, data)
    return {
        "software": software(script),
        "date": datetime.date.today().isoformat(),
        "sha256": {
            "script": sha256((FOLDER / script.name).read_bytes()),
            "common.R": sha256((FOLDER / "common.R").read_bytes()),
        },
        "inputs_sha256": {name: sha256((FOLDER.parent / name).read_bytes()) for name in script.inputs}
        | {name: sha256(content) for name, content in course_files(script).items()},
        "samples_sha256": {name: sha256((data_folder() / name).read_bytes()) for name in script.samples},
        "outputs_sha256": {name: sha256(data) for name, data in answers.items()},
        "session": session.rstrip().splitlines(),
    }


def main(names: list[str]) -> None:
    """Record the named scripts, or all that can be run here.

    Raises
    ------
    InputError
        If a script is not in `SCRIPTS`.
    """
    unknown = sorted(set(names) - {script.name for script in SCRIPTS})
    if unknown:
        raise InputError(f"{unknown[0]}: unknown script; add it to SCRIPTS in synthlab/r/reference_results.py")
    entries = json.loads(MANIFEST.read_text(encoding="utf-8"))["scripts"] if MANIFEST.exists() else {}
    for script in SCRIPTS:
        if names and script.name not in names:
            continue
        problem = why_not_live(script)
        if problem:
            print(f"{script.name}: left as recorded; {problem}")
            continue
        print(f"{script.name}: {software(script)}")
        entries[script.name] = record(script)
    entries = {script.name: entries[script.name] for script in SCRIPTS if script.name in entries}
    document = {"generator": "data/reference/record.py", "scripts": entries}
    atomic_write.write_text(MANIFEST, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
