"""Command line interface of synthlab.

A user error prints one line on stderr and gives exit code 2; Ctrl-C prints one line and gives exit code 130. An internal
error keeps its traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

from synthlab import __version__
from synthlab._system import signals, versions
from synthlab.exceptions import SynthlabError

try:
    import typer

    from synthlab.cli.config import KEYS, epilog
    from synthlab.cli.course_commands import (
        course_open,
        course_solutions,
        course_student,
        course_teacher,
        homework_gradebook,
        homework_new,
    )
    from synthlab.cli.data import data_fetch, data_list, data_show
    from synthlab.cli.diagnostic_commands import crosscheck, doctor, replicate
    from synthlab.cli.printing import OPTIONS, TOML_KEYS, as_typed
    from synthlab.cli.r_commands import r_package
    from synthlab.cli.risk_commands import attack_score, evaluate
    from synthlab.cli.synthesis_commands import demo, synthesize
except KeyboardInterrupt:  # these imports take most of the time before `main` handles signals
    raise SystemExit(signals.say([])) from None

OVERVIEW = """\
synthlab: synthetic survey data and their disclosure risk
  synthlab demo                                  synthesize a real survey, measure it, write a report
  synthlab synthesize survey.csv --out release   synthesize your own file
  synthlab evaluate survey.csv release ...       measure risk and utility of a release; attack-score: score guesses
  synthlab data list                             list the datasets; data show NAME, data fetch NAME
  synthlab course student my-course              write the lectures as notebooks for JupyterLab
  synthlab homework new hw20 masters             write a new homework for otter-grader; gradebook: add its points
  synthlab replicate                             replicate papers; crosscheck: compare with R
  synthlab r-package synthlabr                   write the package for users of R
  synthlab doctor                                show installed versions and how to install missing packages
  synthlab --help, synthlab COMMAND --help       show all commands and options; --version"""
ALSO = {"rng": "seed", "folder": "out", "keep_private": "private"}  # library arguments whose option has another name
STOPPED = 130  # exit code of typer for a KeyboardInterrupt
# The error that typer raises for missing options, unknown commands and similar mistakes.
UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

app = typer.Typer(
    help="Create synthetic survey data and measure their disclosure risk.",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
)
GROUPS = {
    "data": "List, describe and download datasets.",
    "homework": "Create homework for otter-grader, and add up its points.",
    "course": "Write the course for students or for teachers.",
}
COMMANDS: dict[str, Callable[..., None]] = {
    "evaluate": evaluate,
    "synthesize": synthesize,
    "demo": demo,
    "doctor": doctor,
    "replicate": replicate,
    "crosscheck": crosscheck,
    "attack-score": attack_score,
    "data list": data_list,
    "data show": data_show,
    "data fetch": data_fetch,
    "homework new": homework_new,
    "homework gradebook": homework_gradebook,
    "course open": course_open,
    "course solutions": course_solutions,
    "course student": course_student,
    "course teacher": course_teacher,
    "r-package": r_package,
}


def _assemble() -> None:
    groups = {name: typer.Typer(help=what, rich_markup_mode=None) for name, what in GROUPS.items()}
    for words, function in COMMANDS.items():
        group, _, name = words.rpartition(" ")
        groups.get(group, app).command(name, epilog=epilog(words))(function)
    for name, one in groups.items():
        app.add_typer(one, name=name)


_assemble()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Exit codes: 0 success, 1 a required package is missing or a comparison failed, 2 invalid input, 3 a release breaks a
    limit, 4 the verdict is STOP, 5 the verdict is CHECK with --strict. Ctrl-C gives 130 and SIGTERM 143, both with a
    line on stderr that names the written files.
    """
    sys.exit(signals.run(lambda: _run(arguments)))


def _run(arguments: Sequence[str] | None) -> int:
    words = with_lists_joined(sys.argv[1:] if arguments is None else arguments)
    OPTIONS.clear()
    OPTIONS.update(_options_of(words))
    TOML_KEYS[:] = [key.name for key in KEYS.get(next(iter(words), ""), ())]
    try:
        code = _all()(args=words, prog_name="synthlab", standalone_mode=False)
    except SynthlabError as error:
        code = _complain(as_typed(str(error)))
    except UsageError as error:
        code = _complain(error.format_message())
    if code == STOPPED:
        raise KeyboardInterrupt
    return code or 0


def with_lists_joined(words: Sequence[str]) -> list[str]:
    """Join the parts of a list that was typed with blanks around its commas, such as ``--known=sex, region``."""
    joined: list[str] = []
    for word in words:
        if joined and ((joined[-1].endswith(",") and not word.startswith("-")) or word.startswith(",")):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


@cache
def _all() -> Any:
    """Return the command line with all its commands; cached because Typer is slow."""
    return typer.main.get_command(app)


def _options_of(arguments: Sequence[str]) -> dict[str, str]:
    """Return the options of the command, by the library arguments that they set."""
    command = _all()
    for word in arguments:
        command = getattr(command, "commands", {}).get(word, command)
    options = {p.name: p.opts[0] for p in command.params if p.opts[0].startswith("--")}
    return {name: options[option] for name, option in ALSO.items() if option in options} | options


def _complain(message: str) -> int:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    return 2


def _show_version(wanted: bool) -> None:
    if wanted:
        print("\n".join(versions.describe(__version__)))
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Print the versions of the package, its commit and its data, and exit.",
        ),
    ] = False,
) -> None:
    """Create synthetic survey data and measure their disclosure risk."""
    if context.invoked_subcommand is None:
        print(OVERVIEW)
