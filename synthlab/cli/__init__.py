"""The command line: reads arguments, calls the library, prints.

Whatever a user can get wrong ends in one line on stderr and exit code 2, Ctrl-C in one line and exit code 130; a fault
of synthlab keeps its traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

from synthlab import __version__
from synthlab._system import signals, versions
from synthlab.cli.option_messages import in_options
from synthlab.exceptions import SynthlabError

try:
    import typer

    from synthlab.cli.config import epilog, name_keys
    from synthlab.cli.course_commands import course_student, course_teacher, homework_new
    from synthlab.cli.data import data_fetch, data_list, data_show
    from synthlab.cli.diagnostic_commands import crosscheck, doctor, replicate
    from synthlab.cli.printing import OPTIONS
    from synthlab.cli.risk_commands import attack_score, evaluate
    from synthlab.cli.synthesis_commands import demo, synthesize
except KeyboardInterrupt:  # most of the time before `main` listens goes by here
    raise SystemExit(signals.say([])) from None

OVERVIEW = """\
synthlab: synthetic survey data and their disclosure risk
  synthlab demo                                  synthesize a real survey, measure it, write a report
  synthlab synthesize survey.csv --out release   synthesize a file of your own
  synthlab evaluate survey.csv release ...       measure risk and utility of a release; attack-score: score guesses
  synthlab data list                             the datasets; data show NAME, data fetch NAME
  synthlab course student my-course              the lectures, as notebooks to open in JupyterLab
  synthlab homework new hw20 masters             a template for a new homework, for otter-grader
  synthlab replicate                             the replications of papers; crosscheck: the comparison with R
  synthlab doctor                                installed versions, and how to install what is missing
  synthlab --help, synthlab COMMAND --help       every command and option; --version"""
ALSO = {"rng": "seed", "folder": "out", "keep_private": "private"}  # arguments of the library with another option
STOPPED = 130  # what typer makes of a KeyboardInterrupt
# What the parser of typer raises for a missing option, an unknown command and the like.
UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

app = typer.Typer(
    help="Synthetic survey data and their disclosure risk.",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
)
GROUPS = {
    "data": "Datasets that come with synthlab or can be fetched.",
    "homework": "Homework for otter-grader.",
    "course": "The course: editions for students and for teachers.",
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
    "course student": course_student,
    "course teacher": course_teacher,
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
    """Run the command line and exit: 0 if all went well, 1 if something required is missing, 2 on bad input.

    3 says that a release does not keep to its limits.

    Ctrl-C ends it with 130, SIGTERM with 143, both with a line on stderr that says what was written.
    """
    sys.exit(signals.run(lambda: _run(arguments)))


def _run(arguments: Sequence[str] | None) -> int:
    OPTIONS.clear()
    OPTIONS.update(_options_of(sys.argv[1:] if arguments is None else arguments))
    try:
        code = _all()(args=None if arguments is None else list(arguments), prog_name="synthlab", standalone_mode=False)
    except SynthlabError as error:
        code = _complain(name_keys(in_options(str(error), OPTIONS), next(iter(arguments or sys.argv[1:]), "")))
    except UsageError as error:
        code = _complain(error.format_message())
    if code == STOPPED:
        raise KeyboardInterrupt
    return code or 0


@cache
def _all() -> Any:
    """Return the command line with all its commands, which Typer takes long to make of the functions."""
    return typer.main.get_command(app)


def _options_of(arguments: Sequence[str]) -> dict[str, str]:
    """Return the options of the command that the arguments name, by the arguments of the library they stand for."""
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
            help="Print the versions of the package, its commit and its data.",
        ),
    ] = False,
) -> None:
    """Synthetic survey data and their disclosure risk."""
    if context.invoked_subcommand is None:
        print(OVERVIEW)
