"""Commands that measure a release, or score guesses about people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from synthlab._warnings import collected, quiet
from synthlab.cli import file_options
from synthlab.cli.printing import OPTIONS, check_outputs, print_evaluation, say_warnings
from synthlab.exceptions import InputError

INTRUDERS, DOSSIER = (
    "synthlab.intruders",
    "synthlab.dossier",
)  # tables of a configuration, in the context of the command


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


def evaluate(
    context: typer.Context,
    confidential: Annotated[
        Path,
        typer.Argument(
            parser=file_options.path, help="File of the confidential data: CSV, Excel, Parquet, Stata, SPSS, SAS or R."
        ),
    ],
    synthetic: Annotated[
        list[Path],
        typer.Argument(
            parser=file_options.path, help="One file per synthetic dataset, or the folder of a saved release."
        ),
    ],
    known: Annotated[
        list[str] | None, typer.Option(help="Variables the intruder knows; comma separated or repeated.")
    ] = None,
    synthesized: Annotated[
        list[str] | None, typer.Option(help="Synthesized variables; comma separated or repeated.")
    ] = None,
    intruders: Annotated[
        Path | None,
        typer.Option(parser=file_options.path, help="TOML file with several intruders, a table [NAME] each."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            parser=file_options.path,
            is_eager=True,
            callback=_read_config,
            help="TOML file with any of these; what is typed here comes first.",
        ),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(
            parser=file_options.path,
            help="File of people the synthesizer never saw, for distances to the closest record.",
        ),
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
        typer.Option(
            help="NAME=NUMBER for each continuous variable, or one number; of a date in days, or 1d, 1m, 1y. Comma separated or repeated."
        ),
    ] = None,
    radius_kind: Annotated[
        str, typer.Option(help="relative or absolute, for numbers; the radius of a date is always absolute.")
    ] = "relative",
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
    private: Annotated[
        Path | None,
        typer.Option(
            parser=file_options.path,
            help="File that synthesize --private wrote: brings the rows of a shuffled release back into order.",
        ),
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
    na: file_options.Na = None,
    text: file_options.Text = None,
    delimiter: file_options.Delimiter = None,
    encoding: file_options.Encoding = None,
    decimal: file_options.Decimal = None,
    table: file_options.Table = None,
    report: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="Write the report to this HTML file.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="Write all numbers to this JSON file.")
    ] = None,
    overview: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="Write the table to this file: .csv, .md or .xlsx.")
    ] = None,
    dossier: Annotated[
        Path | None,
        typer.Option(
            parser=file_options.path,
            help="TOML file with purpose, assumptions, decision, ...: the report becomes the dossier of the release.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    date: Annotated[str | None, typer.Option(help="Date printed on the report.")] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="Print confidential values on the report.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 5 if the verdict is CHECK.")] = False,
    publish: Annotated[
        bool,
        typer.Option("--publish", help="Make report and JSON for publication: no record, no count below 10."),
    ] = False,
) -> None:
    """Measure risk and utility of a release, and write a report.

    The first line is the verdict: STOP (exit code 4), CHECK (5 with --strict) or NOTHING FOUND. A broken limit gives exit code 3.

    synthlab evaluate survey.csv synthetic1.csv synthetic2.csv --known age,region --synthesized income --radius income=0.2
    --report report.html
    """
    from synthlab import _checks
    from synthlab.design import Design
    from synthlab.intruder import Intruder
    from synthlab.release import Release
    from synthlab.report import arguments, evaluate as measure
    from synthlab.report.config import read_intruders, read_toml
    from synthlab.report.dossier import check_dossier
    from synthlab.report.page import check_heading, check_libraries
    from synthlab.report.plain import TABLES
    from synthlab.report.verdict import exit_code

    # What would go wrong after the work is looked for before it.
    if title is not None:
        check_heading(title, date)
    check_outputs(("--report", report, (".html",)), ("--json", json, (".json",)), ("--overview", overview, TABLES))
    if report is not None:
        check_libraries()
    told = context.meta.get(DOSSIER) if dossier is None else read_toml(dossier, "dossier")
    if told is not None:
        check_dossier(told)
        if report is None:
            raise InputError("--dossier: is part of the report; say where to write it with --report FILE")
    if publish and show_values:
        raise InputError("--show-values: a report for publication (--publish) shows no confidential value")
    if private is not None and not private.is_file():
        raise InputError(f"--private: no file {str(private)!r}")
    files = file_options.FileReader(na, text, delimiter, encoding, decimal, table, OPTIONS)
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
    if private is not None:
        if len(synthetic) != 1 or not synthetic[0].is_dir():
            raise InputError("private: applies to the folder of one saved release")
        release = Release.load(synthetic[0], private=private)
        release = release.unshuffled() if release.rows == "shuffled" else release
    unseen = None if control is None else files.like(control, "control", frame, or_own_type=True)
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
    print_evaluation(result)
    files.say()
    print("\n".join(saved), end="\n" * bool(saved))
    if code := exit_code(result, keeps_limits=result.keeps_limits, strict=strict):
        raise typer.Exit(code)


def attack_score(
    guesses: Annotated[
        Path,
        typer.Argument(parser=file_options.path, help="File with the columns record (row, from 0) and the target."),
    ],
    confidential: Annotated[
        Path,
        typer.Option(parser=file_options.path, help="File of the confidential data, which the attackers do not have."),
    ],
    target: Annotated[str, typer.Option(help="The variable guessed.")],
    record: Annotated[str, typer.Option(help="Name of the column with the row numbers.")] = "record",
    radius: Annotated[
        str | None,
        typer.Option(help="Half-width of right guesses around a numeric truth; of a date in days, or 1d, 1m, 1y."),
    ] = None,
    radius_kind: Annotated[str, typer.Option(help="relative or absolute.")] = "relative",
    boundary: Annotated[str, typer.Option(help="closed or open.")] = "closed",
    missing: Annotated[
        str, typer.Option(help="People without a value of the target: raise, category or never.")
    ] = "raise",
    na: file_options.Na = None,
    text: file_options.Text = None,
    delimiter: file_options.Delimiter = None,
    encoding: file_options.Encoding = None,
    decimal: file_options.Decimal = None,
    table: file_options.Table = None,
) -> None:
    """Score guesses about people against the confidential data; prints shares, never an answer.

    synthlab attack-score guesses.csv --confidential survey.csv --target illness --missing never
    """
    from synthlab.report import arguments
    from synthlab.risk import attack_score as score

    files = file_options.FileReader(na, text, delimiter, encoding, decimal, table, OPTIONS)
    frame = files.first(confidential, "confidential")
    answers = files.like(guesses, "guesses", frame)
    with collected() as caught:
        result = score(
            frame,
            answers,
            target=target,
            record=record,
            radius=None if radius is None else {target: arguments.half_width(radius)},
            radius_kind=radius_kind,  # type: ignore[arg-type]
            boundary=boundary,  # type: ignore[arg-type]
            missing=missing,  # type: ignore[arg-type]
        )
    say_warnings(caught)
    print(result)
    files.say()
