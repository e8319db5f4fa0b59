"""The command line: reads arguments, calls the library, prints.

Whatever a user can get wrong ends in one line on stderr and exit code 2, Ctrl-C in one line and exit code 130; a fault
of synthlab keeps its traceback.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from synthlab import __version__, _about, _stopping
from synthlab._options import in_options
from synthlab._quiet import quiet
from synthlab.exceptions import InputError, SynthlabError, SynthlabWarning

try:
    import typer

    from synthlab import _file_options
except KeyboardInterrupt:  # most of the time before `main` listens goes by here
    raise SystemExit(_stopping.say([])) from None

if TYPE_CHECKING:
    from synthlab.report import EvaluationResult

app = typer.Typer(
    help="Synthetic survey data and their disclosure risk.",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
)
data_app = typer.Typer(help="Datasets that come with synthlab or can be fetched.", rich_markup_mode=None)
app.add_typer(data_app, name="data")
homework_app = typer.Typer(help="Homework: versions for students, sealed answers, grades.", rich_markup_mode=None)
app.add_typer(homework_app, name="homework")
course_app = typer.Typer(help="The course: editions for students and for teachers.", rich_markup_mode=None)
app.add_typer(course_app, name="course")
_options: dict[str, str] = {}  # of the command that runs, by the arguments of the library they stand for
INTRUDERS, DOSSIER = (
    "synthlab.intruders",
    "synthlab.dossier",
)  # tables of a configuration, in the context of the command
LIMIT_BROKEN = 3
OVERVIEW = """\
synthlab: synthetic survey data and their disclosure risk
  synthlab demo                                  synthesize a real survey, measure it, write a report
  synthlab synthesize survey.csv --out release   synthesize a file of your own
  synthlab evaluate survey.csv release ...       measure risk and utility of a release; attack-score: score guesses
  synthlab data list                             the datasets; data show NAME, data fetch NAME
  synthlab course student my-course              the lectures, as notebooks to open in JupyterLab
  synthlab homework new|make|grade ...           homework: versions for students, sealed answers, grades
  synthlab replicate                             the replications of papers; crosscheck: the comparison with R
  synthlab doctor                                what is installed, what is missing, and what mends it
  synthlab --help, synthlab COMMAND --help       every command and option; --version"""
STOPPED = 130  # what typer makes of a KeyboardInterrupt
# What the parser of typer raises for a missing option, an unknown command and the like.
UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 if all went well, 1 if something required is missing, 2 on bad input.

    3 says that a release does not keep to its limits.

    Ctrl-C ends it with 130, SIGTERM with 143, both with a line on stderr that says what was written.
    """
    sys.exit(_stopping.run(lambda: _run(arguments)))


def _run(arguments: Sequence[str] | None) -> int:
    _options.clear()
    _options.update(_options_of(sys.argv[1:] if arguments is None else arguments))
    try:
        code = app(args=None if arguments is None else list(arguments), prog_name="synthlab", standalone_mode=False)
    except SynthlabError as error:
        code = _complain(in_options(str(error), _options))
    except UsageError as error:
        code = _complain(error.format_message())
    if code == STOPPED:
        raise KeyboardInterrupt
    return code or 0


def _options_of(arguments: Sequence[str]) -> dict[str, str]:
    """Return the options of the command that the arguments name, by the arguments of the library they stand for."""
    command: Any = typer.main.get_command(app)
    for word in arguments:
        command = getattr(command, "commands", {}).get(word, command)
    options = {p.name: p.opts[0] for p in command.params if p.opts[0].startswith("--")}
    return options | ({"rng": options["seed"]} if "seed" in options else {})


def _complain(message: str) -> int:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    return 2


def _show_version(wanted: bool) -> None:
    if wanted:
        print("\n".join(_about.describe(__version__)))
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


def _read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Take what the file says as the defaults of the command."""
    if path is not None:
        from synthlab.report.config import read_config

        names = [p.name for p in context.command.params if p.name not in ("config", "help")]
        defaults = read_config(path, [str(name) for name in names])
        for name, place in (("intruders", INTRUDERS), ("dossier", DOSSIER)):
            if isinstance(defaults.get(name), dict):
                context.meta[place] = defaults.pop(name)
        context.default_map = defaults
    return path


def _typed(context: typer.Context, *names: str) -> bool:
    """Return whether one of these options is set, on the command line or in a file."""
    return any(context.params.get(name) for name in names)


@app.command()
def evaluate(
    context: typer.Context,
    confidential: Annotated[
        Path, typer.Argument(help="File of the confidential data: CSV, Excel, Parquet, Stata, SPSS, SAS or R.")
    ],
    synthetic: Annotated[
        list[Path], typer.Argument(help="One file per synthetic dataset, or the folder of a saved release.")
    ],
    known: Annotated[
        list[str] | None, typer.Option(help="Variables the intruder knows; comma separated or repeated.")
    ] = None,
    synthesized: Annotated[
        list[str] | None, typer.Option(help="Synthesized variables; comma separated or repeated.")
    ] = None,
    intruders: Annotated[
        Path | None, typer.Option(help="TOML file with several intruders, a table [NAME] each.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            is_eager=True, callback=_read_config, help="TOML file with any of these; what is typed here comes first."
        ),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(help="File of people the synthesizer never saw, for distances to the closest record."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(help="Column of survey weights: how many people of the population a record stands for."),
    ] = None,
    predict: Annotated[
        str | None, typer.Option(help="A variable to predict: train on synthetic, test on real.")
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=NUMBER, the largest value of a number of the report, or NAME=1%; exit code 3 if broken."
        ),
    ] = None,
    radius: Annotated[
        list[str] | None,
        typer.Option(help="NAME=NUMBER for each continuous variable, or one number; comma separated or repeated."),
    ] = None,
    radius_kind: Annotated[str, typer.Option(help="relative or absolute.")] = "relative",
    boundary: Annotated[str, typer.Option(help="closed or open.")] = "closed",
    convention: Annotated[str | None, typer.Option(help="irc: as the R package IdentificationRiskCalculation.")] = None,
    norm: Annotated[str, typer.Option(help="box or euclidean, for several continuous variables.")] = "box",
    missing: Annotated[str, typer.Option(help="Meaning of a missing value: raise, category or never.")] = "raise",
    targets: Annotated[
        str | None, typer.Option(help="Row positions the intruder looks for, from 0: 3,17,200-299.")
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(help="aligned: row i of each file is about record i, whatever the known variables say."),
    ] = None,
    singletons: Annotated[
        str, typer.Option(help="IR of a record alone in its pattern: formula or certain.")
    ] = "formula",
    variables: Annotated[
        list[str] | None, typer.Option(help="Variables of the utility measures; default known and synthesized.")
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Variables stored as numbers that are categories.")
    ] = None,
    model: Annotated[str, typer.Option(help="Classifier of pMSE: logistic or cart.")] = "logistic",
    seed: Annotated[int | None, typer.Option(help="Seed, for the tree of --model cart.")] = None,
    data_kind: Annotated[str | None, typer.Option(help="Kind of the confidential data: real or simulated.")] = None,
    na: _file_options.Na = None,
    text: _file_options.Text = None,
    delimiter: _file_options.Delimiter = None,
    encoding: _file_options.Encoding = None,
    decimal: _file_options.Decimal = None,
    table: _file_options.Table = None,
    report: Annotated[Path | None, typer.Option(help="Write the report to this HTML file.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write all numbers to this JSON file.")] = None,
    overview: Annotated[Path | None, typer.Option(help="Write the table to this file: .csv, .md or .xlsx.")] = None,
    dossier: Annotated[
        Path | None,
        typer.Option(
            help="TOML file with purpose, assumptions, decision, ...: the report becomes the dossier of the release."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    date: Annotated[str | None, typer.Option(help="Date printed on the report.")] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Print confidential values on the report.")
    ] = False,
    publish: Annotated[
        bool,
        typer.Option("--publish", help="Make report and JSON for publication: no record, no count below 10."),
    ] = False,
) -> None:
    """Measure risk and utility of a release, and write a report.

    synthlab evaluate survey.csv synthetic1.csv synthetic2.csv --known age,region --synthesized income --radius income=0.2
    --report report.html
    """
    from synthlab import _checks
    from synthlab._files import check_writable
    from synthlab.design import Design
    from synthlab.intruder import Intruder
    from synthlab.report import arguments, evaluate as measure
    from synthlab.report.config import read_intruders, read_toml
    from synthlab.report.dossier import check_dossier
    from synthlab.report.page import check_heading
    from synthlab.report.plain import TABLES, check_ending

    # What would go wrong after the work is looked for before it.
    if title is not None:
        check_heading(title, date)
    _check_outputs((report, ".html"), (json, ".json"))
    if overview is not None:
        check_ending(overview, *TABLES)
        check_writable(overview)
    told = context.meta.get(DOSSIER) if dossier is None else read_toml(dossier, "dossier")
    if told is not None:
        check_dossier(told)
        if report is None:
            raise InputError("--dossier: is part of the report; say where to write it with --report FILE")
    if publish and show_values:
        raise InputError("--show-values: a report for publication (--publish) shows no confidential value")
    files = _file_options.FileReader(na, text, delimiter, encoding, decimal, table, _options)
    frame = files.first(confidential, "confidential")
    if data_kind is not None:
        frame.attrs["synthlab"] = {"kind": _checks.check_choice(data_kind, "data-kind", ("real", "simulated"))}
    columns = list(frame.columns)
    asked: Any = context.meta.get(INTRUDERS) if intruders is None else read_intruders(intruders)
    if asked is None:
        for option, given in (("known", known), ("synthesized", synthesized)):
            if given is None:
                raise typer.BadParameter(f"Missing option '--{option}', or --intruders FILE with several intruders.")
        asked = Intruder(
            known=arguments.names(known or [], columns),
            synthesized=arguments.names(synthesized or [], columns),
            radius=arguments.radius_of(radius, columns),
            radius_kind=radius_kind,  # type: ignore[arg-type]
            boundary=boundary,  # type: ignore[arg-type]
            convention=convention,
            norm=norm,  # type: ignore[arg-type]
            missing=missing,  # type: ignore[arg-type]
            targets=None if targets is None else arguments.rows(targets, len(frame)),
        )
    elif _typed(context, "known", "synthesized", "radius", "targets"):
        raise InputError(
            "--intruders: says what each intruder knows; leave out --known, --synthesized, --radius and --targets"
        )
    release = files.release(synthetic, asked.synthesized if isinstance(asked, Intruder) else None, frame)
    unseen = None if control is None else files.like(control, "control", frame)
    with quiet():  # the result keeps them, and they are printed below
        result = measure(
            frame,
            release,
            asked,
            rows=rows,  # type: ignore[arg-type]
            singletons=singletons,  # type: ignore[arg-type]
            variables=None if variables is None else arguments.names(variables, columns),
            categorical=arguments.names(categorical or [], columns),
            model=model,  # type: ignore[arg-type]
            control=unseen,
            predict=predict,
            design=None if weights is None else Design(weights=weights),
            limits=arguments.limits_of(limit),
            rng=seed,
            progress=sys.stderr.isatty(),
        )
    saved = []
    if report is not None:
        options: dict[str, Any] = {} if title is None else {"title": title}
        options |= {} if told is None else {"dossier": told}
        path = result.save(report, show_values=show_values, publish=publish, date=date, **options)
        saved.append(f"report: {path}")
    if json is not None:
        saved.append(f"numbers: {result.save(json, publish=publish)}")
    if overview is not None:
        saved.append(f"overview: {result.save(overview, **({'publish': True} if publish else {}))}")
    _print_evaluation(result)
    files.say()
    print("\n".join(saved), end="\n" * bool(saved))
    if not result.keeps_limits:
        raise typer.Exit(LIMIT_BROKEN)


@app.command()
def synthesize(
    confidential: Annotated[
        Path, typer.Argument(help="File of the confidential data: CSV, Excel, Parquet, Stata, SPSS, SAS or R.")
    ],
    folder: Annotated[
        Path, typer.Option("--out", help="Folder for the release; one that holds a release is never overwritten.")
    ],
    m: Annotated[int, typer.Option(help="Number of synthetic datasets.")] = 5,
    seed: Annotated[int | None, typer.Option(help="Seed.")] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="NAME=MODEL: tree (the default of all), sample, normal, log-normal, logistic, multinomial, poisson or "
            "negative binomial; repeated.",
        ),
    ] = None,
    order: Annotated[
        list[str] | None, typer.Option(help="Order of synthesis, of all variables; comma separated or repeated.")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Variables released unchanged; comma separated or repeated.")
    ] = None,
    identifiers: Annotated[str, typer.Option(help="refuse, drop, or new: number the records anew.")] = "refuse",
    rules: Annotated[
        Path | None,
        typer.Option(help="TOML file with [[bounds]], [[zero_unless]], [[allowed_combinations]] and [[sum_of]]."),
    ] = None,
    missing: Annotated[str, typer.Option(help="Missing values: keep them as a part of the data, or raise.")] = "keep",
    missing_codes: Annotated[
        list[str] | None,
        typer.Option("--missing-code", help="NAME=NUMBER, a number that means missing, or NAME=-8|-9; repeated."),
    ] = None,
    smooth: Annotated[bool, typer.Option(help="Move the numbers that fewer than 10 records hold.")] = True,
    weights: Annotated[
        str | None,
        typer.Option(help="Column of survey weights: how many people of the population a record stands for."),
    ] = None,
    strata: Annotated[str | None, typer.Option(help="Column of the strata of the sample.")] = None,
    clusters: Annotated[
        str | None, typer.Option(help="Column of the primary sampling units, nested in strata.")
    ] = None,
    fpc: Annotated[
        str | None,
        typer.Option(help="Column of the numbers of primary sampling units in the population, or of the share drawn."),
    ] = None,
    keep_private: Annotated[
        Path | None,
        typer.Option("--private", help="File outside the folder for the seed, which must not be published."),
    ] = None,
    na: _file_options.Na = None,
    text: _file_options.Text = None,
    delimiter: _file_options.Delimiter = None,
    encoding: _file_options.Encoding = None,
    decimal: _file_options.Decimal = None,
    table: _file_options.Table = None,
) -> None:
    """Synthesize a whole survey file, print the plan, and save the release with it.

    synthlab synthesize survey.csv --m 5 --out release
    """
    from synthlab._folder import check_free
    from synthlab.design import Design
    from synthlab.report import arguments
    from synthlab.report.config import read_toml
    from synthlab.synthesis import Plan, synthesize as make
    from synthlab.synthesis.rules import codes_of, models_of, rules_of

    check_free(folder)
    parts: dict[str, Any] = {"weights": weights, "strata": strata, "clusters": clusters, "fpc": fpc}
    constraints = [] if rules is None else rules_of(read_toml(rules, "rules"), f"rules={str(rules)!r}")
    files = _file_options.FileReader(na, text, delimiter, encoding, decimal, table, _options)
    frame = files.first(confidential, "confidential")
    columns = list(frame.columns)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SynthlabWarning)
        release = make(
            frame,
            m=m,
            rng=seed,
            models=models_of(models, columns),
            order=None if order is None else arguments.names(order, columns),
            keep=arguments.names(keep or [], columns),
            identifiers=identifiers,  # type: ignore[arg-type]
            constraints=constraints,
            missing=missing,  # type: ignore[arg-type]
            missing_codes=codes_of(missing_codes, columns),
            design=None if not any(parts.values()) else Design(**parts),
            smooth=smooth,
            progress=sys.stderr.isatty(),
        )
    release.save(folder, keep_private=keep_private)
    print(Plan.of(release))
    _say_warnings(caught)
    files.say()
    print(f"release: {folder}")
    if keep_private is not None:
        print(f"private: {keep_private}")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for report.html and report.json.")] = Path("build/demo"),
    m: Annotated[int, typer.Option(help="Number of synthetic datasets.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed.")] = 1,
) -> None:
    """Synthesize a real survey, measure risk and utility before and after, and write a report.

    synthlab demo --out build/demo --m 5
    """
    from synthlab._files import check_writable
    from synthlab.report import demo as show

    for name in ("report.html", "report.json"):
        check_writable(out / name)
    with quiet():
        result = show.demonstrate(m, seed, tell=lambda line: print(line, file=sys.stderr, flush=True))
    # Files come before what is printed: where that goes to may be full, or know few characters.
    page = result.save(out / "report.html", title=show.TITLE)
    result.save(out / "report.json")
    _print_evaluation(result)
    print(f"report: {page}")


@app.command()
def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Say what is installed, what is missing, what that costs, and the command that mends it.

    Exit code 1 if something without which nothing works is missing or broken. It takes a few seconds, at most three minutes.

    synthlab doctor
    """
    import json as to_json

    from synthlab.doctor import examine, is_working, to_dict

    checks = examine()
    if json:
        print(to_json.dumps(to_dict(checks, __version__), indent=1, ensure_ascii=False))
    else:
        print("\n".join(_about.describe(__version__)))
        rows = [(c.name, c.state, c.found) for c in checks]
        _print_table("synthlab on this machine", ["what", "state", "found"], rows)
        for check in checks:
            if check.state != "ok":
                print(f"{check.name}: {check.state}, so {check.cost}\n    {check.mend}")
    if not is_working(checks):
        lacking = [c.name for c in checks if c.required and c.state != "ok"]
        print(f"error: required and not in order: {', '.join(lacking)}", file=sys.stderr)
        raise typer.Exit(1)


@app.command()
def replicate(
    name: Annotated[str | None, typer.Argument(help="Name of the study; without one, all are listed.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smaller run, to see that it works.")] = False,
    seed: Annotated[int | None, typer.Option(help="Seed; by default that of the recorded result.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the result, or the summary, to this CSV file.")] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Count the claims and the published numbers of all, as recorded.")
    ] = False,
    csv: Annotated[Path | None, typer.Option(help="With --summary: write every claim and number to this file.")] = None,
    page: Annotated[Path | None, typer.Option(help="With --summary: the same as a page, to this HTML file.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Number of processes; by default as many as cores.")] = None,
    version: Annotated[
        str | None,
        typer.Option(
            "--data", help="Version of the data: of intruder, real or simulated; of gamma-family, simulated or archive."
        ),
    ] = None,
) -> None:
    """Reproduce published results.

    synthlab replicate risk-weighted --quick
    """
    from synthlab._files import write_text
    from synthlab.lab.replication import registry

    for option, path in (("--csv", csv), ("--page", page)):
        if path is not None and not summary:
            raise InputError(f"{option}: goes with --summary; --out writes the result of a run")
    if summary:
        _summarise_replications(name, out, csv, page)
        return
    if name is None:
        _print_table("replications", ["name", "what"], list(registry.REPLICATIONS.items()))
        return
    _check_outputs((out, ".csv"))
    with _at_once(jobs):
        result = registry.replicate(name, quick=quick, rng=seed, version=version, progress=True)
    if out is not None:
        write_text(out, registry.to_csv(name, result))
    print(result)
    if out is not None:
        print(f"table: {out}")


def _at_once(jobs: int | None) -> AbstractContextManager[object]:
    """Return a context in which so many pieces of work run at once."""
    if jobs is None:
        return nullcontext()
    from joblib import parallel_config

    from synthlab._checks import check_count

    setting: AbstractContextManager[object] = parallel_config(n_jobs=check_count(jobs, "jobs"))
    return setting


def _check_outputs(*wanted: tuple[Path | None, str]) -> None:
    """Raise before the work where a file could not be written after it."""
    from synthlab._files import check_writable
    from synthlab.report.plain import check_ending

    for path, ending in wanted:
        if path is not None:
            check_ending(path, ending)
            check_writable(path)


def _summarise_replications(name: str | None, out: Path | None, csv: Path | None, page: Path | None) -> None:
    from synthlab._files import write_text
    from synthlab.lab.replication import registry, summary

    if name is not None:
        raise InputError(f"--summary: counts all replications, leave out {name!r}")
    _check_outputs((out, ".csv"), (csv, ".csv"), (page, ".html"))
    counts, rows = registry.summary()
    if out is not None:
        write_text(out, summary.table(counts).to_csv(index=False, lineterminator="\n"))
    if csv is not None:
        write_text(csv, rows.to_csv(index=False, lineterminator="\n"))
    if page is not None:
        summary.write_page(page)
    for kind, part in summary.by_kind(counts).items():
        one = part[part[kind] > 0].rename(columns={kind: "all"})
        lines = [(str(row[0]), *map(str, row[1:])) for row in one.itertuples()]
        _print_table(kind, ["paper", *one.columns], lines, numbers=True)
    print(
        f"{len(rows)} claims and published numbers; --csv PATH and --page PATH write them all, with their reasons. They are "
        "recorded in data/replication, in claims.csv and published.csv."
    )
    for what, path in (("table", out), ("list", csv), ("page", page)):
        if path is not None:
            print(f"the {what}: {path}")


@app.command()
def crosscheck(
    groups: Annotated[list[str] | None, typer.Argument(help="Names of the checks; without any, all of them.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Insist on R, its packages and rpy2.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare synthlab with R, row by row; exit code 1 if any difference exceeds its tolerance.

    synthlab crosscheck match-risk weights
    """
    import json as to_json

    from synthlab.lab import crosscheck as checks

    result = checks.crosscheck(groups or None, live=True if live else None)
    print(to_json.dumps(result.to_dict(), indent=1, ensure_ascii=False) if json else result)
    if not result.passes:
        raise typer.Exit(1)


@app.command("attack-score")
def attack_score(
    guesses: Annotated[Path, typer.Argument(help="File with the columns record (row, from 0) and the target.")],
    confidential: Annotated[Path, typer.Option(help="File of the confidential data, which the attackers do not have.")],
    target: Annotated[str, typer.Option(help="The variable guessed.")],
    record: Annotated[str, typer.Option(help="Name of the column with the row numbers.")] = "record",
    radius: Annotated[float | None, typer.Option(help="Half-width of right guesses around a numeric truth.")] = None,
    radius_kind: Annotated[str, typer.Option(help="relative or absolute.")] = "relative",
    boundary: Annotated[str, typer.Option(help="closed or open.")] = "closed",
    missing: Annotated[
        str, typer.Option(help="People without a value of the target: raise, category or never.")
    ] = "raise",
    na: _file_options.Na = None,
    text: _file_options.Text = None,
    delimiter: _file_options.Delimiter = None,
    encoding: _file_options.Encoding = None,
    decimal: _file_options.Decimal = None,
    table: _file_options.Table = None,
) -> None:
    """Score guesses about people against the confidential data; prints shares, never an answer.

    synthlab attack-score guesses.csv --confidential survey.csv --target illness --missing never
    """
    from synthlab.risk import attack_score as score

    files = _file_options.FileReader(na, text, delimiter, encoding, decimal, table, _options)
    frame = files.first(confidential, "confidential")
    answers = files.like(guesses, "guesses", frame)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SynthlabWarning)
        result = score(
            frame,
            answers,
            target=target,
            record=record,
            radius=None if radius is None else {target: radius},
            radius_kind=radius_kind,  # type: ignore[arg-type]
            boundary=boundary,  # type: ignore[arg-type]
            missing=missing,  # type: ignore[arg-type]
        )
    _say_warnings(caught)
    print(result)
    files.say()


@data_app.command("list")
def data_list() -> None:
    """List the datasets, and which of them are real and at hand.

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
    _print_table("datasets (*: loaded here by default)", ["name", "version", "kind", "size", "at hand", "title"], rows)


@data_app.command("show")
def data_show(
    name: Annotated[str, typer.Argument(help="Name of the dataset.")],
    version: Annotated[str | None, typer.Option(help="Version; by default the one load() takes.")] = None,
) -> None:
    """Describe a dataset: variables, roles, source, licence.

    synthlab data show affairs
    """
    from synthlab import datasets

    print(datasets.load(name, version))


@data_app.command("fetch")
def data_fetch(
    name: Annotated[str, typer.Argument(help="Name of the dataset.")],
    folder: Annotated[Path | None, typer.Option(help="Folder for the files; by default the user's cache.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Download also what is there already.")] = False,
) -> None:
    """Download a real dataset from where it is published, checked by SHA-256.

    synthlab data fetch acs
    """
    from synthlab import datasets

    for path in datasets.fetch(name, folder=folder, force=force, progress=True):
        print(path)


@course_app.command("student")
def course_student(
    folder: Annotated[Path, typer.Argument(help="Folder for the notebooks.")],
    source: Annotated[Path, typer.Option(help="The folder of the course in a checkout.")] = Path("course"),
) -> None:
    """Write the notebooks without outputs and solutions; what you changed in the folder is kept.

    synthlab course student my-course
    """
    _write_edition("student", folder, source)


@course_app.command("teacher")
def course_teacher(
    folder: Annotated[Path, typer.Argument(help="Folder for the notebooks.")],
    source: Annotated[Path, typer.Option(help="The folder of the course in a checkout.")] = Path("course"),
) -> None:
    """Write the notebooks with outputs and solutions; what you changed in the folder is kept.

    synthlab course teacher my-course
    """
    _write_edition("teacher", folder, source)


def _write_edition(kind: Literal["student", "teacher"], folder: Path, source: Path) -> None:
    from synthlab.lab.course.editions import write_edition

    edition = write_edition(kind, folder, source=source)
    print(f"{len(edition.written)} files of the {kind} edition written to {folder}")
    for path in edition.kept:
        print(f"kept, since it was changed: {path.relative_to(edition.folder)}")


@homework_app.command("new")
def homework_new(
    name: Annotated[str, typer.Argument(help="Short name, for example hw20.")],
    folder: Annotated[Path, typer.Argument(help="Folder for your masters; students must not get it.")],
) -> None:
    """Write a small master that runs, with a question of each kind, and a check beside it.

    synthlab homework new hw20 masters
    """
    from synthlab.lab.homework import start_homework

    for path in start_homework(name, folder):
        print(path)


@homework_app.command("make")
def homework_make(
    master: Annotated[Path, typer.Argument(help="The master notebook; it is run.")],
    out: Annotated[Path, typer.Option(help="Folder for what students get (student) and the solution.")],
    seed: Annotated[
        str | None, typer.Option(help="Any text that names your class: it gets numbers of its own.")
    ] = None,
) -> None:
    """Write the student version and the solution, each beside the sealed answers.

    synthlab homework make masters/hw20_title.ipynb --out fall --seed "Statistics 310, fall 2026"
    """
    from synthlab.lab.homework import write_versions

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SynthlabWarning)
        written = write_versions(master, out, seed=seed)
    _say_warnings(caught)
    for path in written:
        print(path)


@homework_app.command("seal")
def homework_seal(
    master: Annotated[Path, typer.Argument(help="The master notebook; it is run.")],
    out: Annotated[Path, typer.Option(help="Folder for the sealed answers and the checks.")],
) -> None:
    """Run a master notebook and write its sealed answers, and beside them the checks and the data of its own.

    synthlab homework seal masters/hw20_title.ipynb --out answers
    """
    from synthlab._files import write_bytes
    from synthlab.lab.homework import beside, seal_master

    name, text = seal_master(master)
    for file, content in beside(master, name, text).items():
        print(write_bytes(out / file, content))


@homework_app.command("export")
def homework_export(
    master: Annotated[Path, typer.Argument(help="The master notebook; it is run.")],
    to: Annotated[str, typer.Option(help="nbgrader or otter.")],
    out: Annotated[Path, typer.Option(help="Folder for the assignment.")],
    seed: Annotated[
        str | None, typer.Option(help="A text that names the class: other numbers than the master's.")
    ] = None,
) -> None:
    """Write a homework as the source of an assignment of nbgrader or of otter-grader.

    synthlab homework export masters/hw20_title.ipynb --to nbgrader --out course
    """
    from synthlab.lab.homework.exporting import export_homework

    for path in export_homework(master, to, out, seed=seed):
        print(path)


@homework_app.command("grade")
def homework_grade(
    homework: Annotated[str, typer.Argument(help="Name of the homework, for example hw1.")],
    folder: Annotated[Path, typer.Argument(help="Folder with one notebook, or one folder with a notebook, a student.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for grades.csv, class.html, written.csv, and feedback, one page a student; by default "
            "build/grades/HOMEWORK."
        ),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="Folder with the sealed answers; by default those of the package.")
    ] = None,
    written: Annotated[
        Path | None,
        typer.Option(help="CSV file with points for written answers; by default written.csv of the output folder."),
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


def _print_evaluation(result: EvaluationResult) -> None:
    from synthlab.report.words import intruders, lacking, overview

    kind = {"real": "real data", "simulated": "simulated data", None: "real or simulated: not stated"}[result.data_kind]
    print(result.headline)
    for text in result.too_good:
        print(f"Too good to be true? {text}")
    print(result.intruder.describe())
    title = f"{result.n:,} records, m = {result.m} ({kind})"
    _print_table(
        title, ["measure", "release", "confidential", "known alone", "random guess"], overview(result), numbers=True
    )
    if others := intruders(result):
        _print_table(others.heading, others.columns, others.rows, numbers=True)
    if result.limits:
        verdicts = result.verdicts()
        rows = [tuple(map(str, row)) for row in verdicts.itertuples()]
        _print_table("limits, held against the worst intruder", ["number", *verdicts.columns], rows)
    for text in lacking(result):
        print(f"not measured: {in_options(text, _options)}")
    for name, text in result.warnings:
        print(f"warning: {name}: {in_options(text, _options)}", file=sys.stderr)


def _say_warnings(caught: Iterable[warnings.WarningMessage]) -> None:
    for warning in caught:
        print(f"{warning.category.__name__}: {in_options(str(warning.message), _options)}", file=sys.stderr)


def _print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1))
    for place, column in enumerate(columns):
        last = place == len(columns) - 1
        table.add_column(column, justify="right" if numbers and place else "left", no_wrap=not last and not numbers)
    for row in rows:
        table.add_row(*[Text(cell) for cell in row])
    Console().print(table)


if __name__ == "__main__":
    main()
