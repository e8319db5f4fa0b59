"""Commands that evaluate a release or score guesses about people."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from synthlab._warnings import collected, quiet
from synthlab.cli import arguments, file_options
from synthlab.cli.config import Config, file_values
from synthlab.cli.file_options import path_argument, path_option
from synthlab.cli.printing import check_outputs, print_evaluation, say_warnings
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    from synthlab.intruder import Intruder
    from synthlab.release import Release
    from synthlab.report import EvaluationResult

Confidential = Annotated[
    Path, path_argument("File of the confidential data: CSV, Excel, Parquet, Stata, SPSS, SAS or R.")
]
Missing = Annotated[str, typer.Option(help="Treatment of missing values: raise, category or never.")]
RadiusKind = Annotated[
    str, typer.Option(help="Kind of radius: relative or absolute. The radius of a date is always absolute.")
]


def evaluate(
    context: typer.Context,
    confidential: Confidential,
    synthetic: Annotated[
        list[Path], path_argument("One file per synthetic dataset, or the folder of a saved release.")
    ],
    known: Annotated[
        list[str] | None, typer.Option(help="Variables the intruder knows; comma separated or repeated.")
    ] = None,
    synthesized: Annotated[
        list[str] | None, typer.Option(help="Synthesized variables; comma separated or repeated.")
    ] = None,
    radius: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=NUMBER for each continuous variable, or one number. For dates: in days, or 1d, 1m, 1y."
        ),
    ] = None,
    radius_kind: RadiusKind = "relative",
    missing: Missing = "raise",
    variables: Annotated[
        list[str] | None,
        typer.Option(help="Variables of the utility measures. Default: known and synthesized variables."),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(help="Columns that identify a unit, such as a household or a person in a panel."),
    ] = None,
    unit_order: Annotated[
        list[str] | None, typer.Option(help="Columns that order the members of a unit, such as the wave of a panel.")
    ] = None,
    rows: Annotated[str | None, typer.Option(help="aligned: row i of each file describes record i.")] = None,
    control: Annotated[Path | None, path_option("File of a holdout sample that was not used for synthesis.")] = None,
    private: Annotated[
        Path | None, path_option("File written by synthesize --private, to restore the order of shuffled rows.")
    ] = None,
    limits: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            help="NAME=NUMBER or NAME=1%: the largest allowed value of a number. In the TOML file: [limits].",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 5 if the verdict is CHECK.")] = False,
    weights: Annotated[
        str | None, typer.Option(help="Column of survey weights: the number of people a record represents.")
    ] = None,
    na: file_options.Na = None,
    text: file_options.Text = None,
    seed: Annotated[int | None, typer.Option(help="Seed of measures with random draws.")] = None,
    config: Config = None,
    report: Annotated[Path | None, path_option("Write the report to this HTML file.")] = None,
    json: Annotated[Path | None, path_option("Write all numbers to this JSON file.")] = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Write files for publication, without records and counts below 10.")
    ] = False,
) -> None:
    """Measure risk and utility of a release, and write a report.

    The first line is the verdict: STOP (exit code 4), CHECK (exit code 5 with --strict) or NOTHING FOUND. A broken
    limit gives exit code 3.

    synthlab evaluate survey.csv synthetic1.csv synthetic2.csv --known age,region --synthesized income --radius
    income=0.2 --report report.html
    """
    from synthlab import _checks
    from synthlab.design import SurveyDesign
    from synthlab.report import evaluate as measure
    from synthlab.report.verdict import exit_code

    values = file_values(context)
    _check_files(values, report=report, json=json, private=private, publish=publish)
    files = file_options.FileReader.of_release(na, text, values, confidential, synthetic)
    frame = files.confidential(confidential)
    if values.data_kind is not None:
        frame.attrs["synthlab"] = {"kind": _checks.check_choice(values.data_kind, "data_kind", ("real", "simulated"))}
    columns = list(frame.columns)
    intruder = _intruders(values, known, synthesized, radius) or _intruder(
        values, columns, len(frame), known, synthesized, radius, radius_kind=radius_kind, missing=missing
    )
    release = _release(files, synthetic, getattr(intruder, "synthesized", None), frame, private)
    unseen = None if control is None else files.like(control, "control", frame, or_own_type=True)
    with quiet():  # the result keeps the warnings, and they are printed below
        result = measure(
            frame,
            release,
            intruder,
            rows=rows,  # type: ignore[arg-type]
            singletons=values.singletons,
            variables=None if variables is None else arguments.names(variables, columns),
            categorical=arguments.names(values.categorical, columns),
            unit=None if unit is None else arguments.names(unit, columns),
            unit_order=None if unit_order is None else arguments.names(unit_order, columns),
            max_members=values.max_members,
            model=values.model,
            control=unseen,
            predict=values.predict,
            design=None if weights is None else SurveyDesign(weights=weights),
            limits=arguments.limits_of(limits),
            rng=seed,
            progress=sys.stderr.isatty(),
        )
    saved = _save(result, values, report=report, json=json, publish=publish)  # before printing, which may fail
    print_evaluation(result, publish=publish)
    files.print_description()
    for line in saved:
        print(line)
    if code := exit_code(result, strict=strict):
        raise typer.Exit(code)


def _check_files(
    values: SimpleNamespace, *, report: Path | None, json: Path | None, private: Path | None, publish: bool
) -> None:
    """Raise an error before the computation if a file cannot be written or read."""
    from synthlab.report.dossier import check_dossier
    from synthlab.report.export import TABLES, check_heading, check_libraries

    if values.title is not None:
        check_heading(values.title, values.date)
    check_outputs(("--report", report, (".html",)), ("--json", json, (".json",)), ("overview", values.overview, TABLES))
    if report is not None:
        check_libraries()
    if values.dossier is not None:
        check_dossier(values.dossier)
        if report is None:
            raise InputError("dossier: is part of the report; add --report FILE")
    if publish and values.show_values:
        raise InputError(
            "show_values: a report for publication must not show confidential values; omit show_values or --publish"
        )
    if private is not None and not private.is_file():
        raise InputError(f"--private: no file {str(private)!r}")


def _intruders(values: SimpleNamespace, *options: list[str] | None) -> dict[str, Intruder] | None:
    """Return the intruders of the configuration file."""
    from synthlab.intruder import Intruder

    if values.intruders is None:
        return None
    if any(options) or values.targets is not None:
        raise InputError("intruders: the TOML file defines the intruders; omit known, synthesized, radius and targets")
    return {name: Intruder.from_table(table, f"config: [intruders.{name}]") for name, table in values.intruders.items()}


def _intruder(
    values: SimpleNamespace,
    columns: list[str],
    n: int,
    known: list[str] | None,
    synthesized: list[str] | None,
    radius: list[str] | None,
    **options: Any,
) -> Intruder:
    """Return the intruder that the options describe."""
    from synthlab.intruder import Intruder

    for option, given in (("known", known), ("synthesized", synthesized)):
        if given is None:
            raise typer.BadParameter(f"Missing option '--{option}', or --config FILE with tables [intruders.NAME].")
    return Intruder(
        known=arguments.names(known, columns),
        synthesized=arguments.names(synthesized, columns),
        radius=arguments.radius_of(radius, columns),
        boundary=values.boundary,
        convention=values.convention,
        norm=values.norm,
        targets=arguments.rows(values.targets, n),
        **options,
    )


def _release(
    files: file_options.FileReader, paths: list[Path], synthesized: Any, frame: Any, private: Path | None
) -> Release:
    """Return the release; with the private file, its rows have their original order."""
    from synthlab.release import Release

    if private is None:
        return files.release(paths, synthesized, frame)
    if len(paths) != 1 or not paths[0].is_dir():
        raise InputError("private: applies to the folder of one saved release")
    return Release.load(paths[0], private=private)


def _save(
    result: EvaluationResult, values: SimpleNamespace, *, report: Path | None, json: Path | None, publish: bool
) -> list[str]:
    """Write the files and return one line about each."""
    page = {"title": values.title, "dossier": values.dossier, "date": values.date, "show_values": values.show_values}
    page = {name: value for name, value in page.items() if value is not None}
    wanted: tuple[tuple[str, Path | None, dict[str, Any]], ...] = (
        ("report", report, page),
        ("numbers", json, {}),
        ("overview", values.overview, {}),
    )
    return [f"{what}: {result.save(path, publish=publish, **options)}" for what, path, options in wanted if path]


def attack_score(
    context: typer.Context,
    guesses: Annotated[
        Path, path_argument("File with a column record (row number, from 0) and a column of the target.")
    ],
    confidential: Annotated[Path, path_option("File of the confidential data.")],
    target: Annotated[str, typer.Option(help="Variable that was guessed.")],
    radius: Annotated[
        str | None,
        typer.Option(
            help="Largest distance of a correct guess from the true number. For dates: in days, or 1d, 1m, 1y."
        ),
    ] = None,
    radius_kind: RadiusKind = "relative",
    missing: Missing = "raise",
    na: file_options.Na = None,
    text: file_options.Text = None,
    config: Config = None,
) -> None:
    """Score guesses about people. Prints shares, but no confidential value.

    synthlab attack-score guesses.csv --confidential survey.csv --target illness --missing never
    """
    from synthlab.risk import attack_score as score

    values = file_values(context)
    files = file_options.FileReader(na, text, values)
    frame = files.confidential(confidential)
    answers = files.like(guesses, "guesses", frame)
    with collected() as caught:
        result = score(
            frame,
            answers,
            target=target,
            record=values.record,
            radius=None if radius is None else {target: arguments.half_width(radius)},
            radius_kind=radius_kind,  # type: ignore[arg-type]
            boundary=values.boundary,
            missing=missing,  # type: ignore[arg-type]
        )
    say_warnings(caught)
    print(result)
    files.print_description()
