"""Judge the answers of a submission in a clean process, which never ran a line of the student.

    python -m synthlab.lab.homework.judging HOMEWORK FOLDER ANSWERS LIMITS QUESTION ...

ANSWERS holds one folder an answer, as `portable` writes them; FOLDER the sealed answers; LIMITS is a mapping in JSON. One
line of JSON is printed for each question.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from synthlab.exceptions import InputError
from synthlab.lab.homework.checking import CheckResult, Homework, sealed_homework
from synthlab.lab.homework.limits import Limits
from synthlab.lab.homework.portable import read_answer
from synthlab.lab.homework.sandbox import Sandbox

NOTHING = "no answer was found."
SECONDS = 300  # that the check of one submission may take


def judge(homework: Homework, answers: Path, limits: Limits) -> dict[str, CheckResult]:
    """Return the outcome for every checked question.

    Parameters
    ----------
    homework : Homework
    answers : Path
        One folder an answer.
    limits : Limits
        What the process that judges may use, as a submission.
    """
    command = [sys.executable, "-m", "synthlab.lab.homework.judging", homework.name, str(homework.folder), str(answers)]
    results: dict[str, CheckResult] = {}
    for question in homework.checked:
        if not (answers / question / "answer.json").is_file():
            results[question] = homework.result(question, NOTHING)
    while waiting := [name for name in homework.checked if name not in results]:
        said = _run([*command, json.dumps(limits.to_dict()), *waiting])
        for line in said.splitlines():
            name, share, message = json.loads(line)
            results[name] = homework.result(name, None if share == 1 else (share, message))
        if left := [name for name in waiting if name not in results]:
            results[left[0]] = homework.result(left[0], "its check did not come to an end.")
    return {name: results[name] for name in homework.checked}


def _run(command: list[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        # Of the lecturer's environment nothing: a token is not its business, and a library path can lead astray.
        known = {**(os.environ if os.name == "nt" else {}), **Sandbox("none").environment(), "HOME": folder}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=folder, env=known
            )
        except subprocess.TimeoutExpired as error:
            said = error.stdout or b""
            return said.decode() if isinstance(said, bytes) else said
    return done.stdout


def main() -> None:
    """Judge, and print one line a question."""
    name, folder, answers, limits, *questions = sys.argv[1:]
    Limits(**json.loads(limits)).apply()
    homework = sealed_homework(name, folder)
    out = sys.stdout
    sys.stdout = sys.stderr  # what a check prints is no result
    for question in questions:
        try:
            result = homework.judge(question, read_answer(Path(answers) / question))
        except InputError as error:
            result = homework.result(question, f"{str(error).rstrip('.')}.")
        out.write(json.dumps([question, result.points / max(result.possible, 1), result.message]) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
