"""Commands that create a release."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from synthlab._warnings import collected, quiet
from synthlab.cli import arguments, file_options
from synthlab.cli.config import Config, file_values
from synthlab.cli.file_options import path_option
from synthlab.cli.printing import print_evaluation, say_warnings
from synthlab.cli.risk_commands import Confidential
from synthlab.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd

    from synthlab.synthesis import Plan


def synthesize(
    context: typer.Context,
    confidential: Confidential,
    out: Annotated[
        Path | None,
        path_option("Folder for the release; an existing release is not overwritten. Required without --check."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Print the plan, missing values, identifiers, and a command that works; synthesize nothing."
        ),
    ] = False,
    m: Annotated[int, typer.Option(help="Number of synthetic datasets.")] = 5,
    n: Annotated[
        int | None,
        typer.Option(
            "--n", help="Number of records of each dataset, or of units with --unit. Default: that of the file."
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            help="Format of the datasets: csv, sav (SPSS), dta (Stata) or parquet. All but csv contain labels."
        ),
    ] = "csv",
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed. 128 random bits are always added, so the seed alone does not reproduce a release; see --private."
        ),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Variables released unchanged; comma separated or repeated.")
    ] = None,
    identifiers: Annotated[
        str, typer.Option(help="Treatment of identifiers: refuse, drop, or new (renumber the records).")
    ] = "refuse",
    min_leaf: Annotated[
        int | None,
        typer.Option(help="Smallest number of records in a leaf of a tree; larger leaves copy fewer people."),
    ] = None,
    public_levels: Annotated[
        list[str] | None,
        typer.Option(help="Categorical variables whose levels are all public; comma separated or repeated."),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Column of survey weights: the number of people a record represents.")
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns that identify units of several records, such as households; comma separated or repeated."
        ),
    ] = None,
    unit_order: Annotated[
        list[str] | None,
        typer.Option(help="Columns that order the members of a unit, or the wave of a panel; detected by default."),
    ] = None,
    unit_variables: Annotated[
        list[str] | None, typer.Option(help="Variables that are constant within a unit; detected by default.")
    ] = None,
    na: file_options.Na = None,
    text: file_options.Text = None,
    private: Annotated[
        Path | None,
        path_option(
            "New file outside the release folder for the seed and the order of the rows. Do not publish this file."
        ),
    ] = None,
    repeat: Annotated[
        Path | None,
        path_option("File written by --private, to reproduce a release from the same data with the same options."),
    ] = None,
    config: Config = None,
) -> None:
    """Synthesize a survey file, print the plan, and save the release with the plan.

    synthlab synthesize survey.csv --m 5 --out release
    synthlab synthesize survey.csv --check
    """
    from synthlab import _rng
    from synthlab.io.write_files import FORMATS, check_format
    from synthlab.release import _release_io
    from synthlab.synthesis import Plan, plan_synthesis, synthesize as make
    from synthlab.synthesis.rules import rules_of, unit_rules_of

    values = file_values(context)
    if out is None and not check:
        raise InputError("out: name the folder of the release with --out, or print the plan with --check")
    has_folder, out = out is not None, out or Path("release")
    if not check:
        _release_io.check_places(out, private)
    check_format(format, ())
    if out.suffix.lower().removeprefix(".") in FORMATS:
        raise InputError(
            f"out={str(out)!r}: is the name of a file, but a release is a folder; use --out {shlex.quote(str(out.with_suffix('')))} "
            f"--format {out.suffix.lower().removeprefix('.')}"
        )
    digest, kept = _private_values(seed, repeat, values.keep_order)
    rng = _rng.seed_from(kept.get("seed"))
    constraints = rules_of(values.constraints, "constraints")
    files = file_options.FileReader(na, text, values)
    frame = files.confidential(confidential)
    columns = list(frame.columns)
    check_format(format, columns)
    options: dict[str, Any] = {
        "models": values.models,
        "order": None if values.order is None else arguments.names(values.order, columns),
        "keep": arguments.names(keep, columns),
        "identifiers": identifiers,
        "constraints": constraints,
        "missing": values.missing,
        "missing_codes": values.missing_codes,
        "design": _design(weights, values),
        "min_leaf": min_leaf,
        "smooth": values.smooth,
        "public_levels": arguments.names(public_levels, columns),
        "relations": values.relations,
        "unit": arguments.names(unit, columns) or None,
        "unit_order": arguments.names(unit_order, columns) or None,
        "unit_variables": None if unit_variables is None else arguments.names(unit_variables, columns),
        "unit_rules": unit_rules_of(values.unit_rules),
        "max_members": values.max_members,
    }
    if check:
        with collected() as caught:
            plan = plan_synthesis(
                frame, **(options | {"identifiers": "new" if identifiers == "refuse" else identifiers})
            )
        print(plan)
        say_warnings(caught)
        files.print_description()
        refused = {"--identifiers": "new"} if identifiers == "refuse" else {}
        named = {} if has_folder else {"--out": "release"}
        _say_what_is_needed(context, frame, plan, options["unit"] or (), refused | named)
        return
    with collected() as caught:
        release = make(frame, m=m, n=n, rng=rng, progress=sys.stderr.isatty(), **options)
        for key in kept.get("shuffle_keys", []):
            release = release.shuffled(key)
        _release_io.write(
            out,
            release.frames,
            release.synthesized,
            {**release.provenance, **files.stated(confidential)},
            release.rows,
            release.private,
            private,
            format=format,  # type: ignore[arg-type]
            expected_digest=digest,
        )
    print(Plan.of(release))
    say_warnings(caught)
    files.print_description()
    print(f"release: {out}" + (", rows shuffled" if release.rows == "shuffled" else ""))
    if private is not None:
        print(f"private: {private}")
    elif repeat is None:
        print("note: the seed and the order of the rows are not saved; use --private to save them", file=sys.stderr)


def _say_what_is_needed(
    context: typer.Context, frame: pd.DataFrame, plan: Plan, units: Sequence[str], missing: Mapping[str, str]
) -> None:
    """Print the missing values and the identifiers of a file, and a command that synthesizes it.

    `missing` are options that the command needs and that the user did not give.
    """
    from synthlab.synthesis._variable_types import IDENTIFIER

    lost = frame.isna().sum()
    listed = ", ".join(f"{column} ({count:,})" for column, count in lost[lost > 0].items())
    print(f"missing values (kept as in the file): {listed or 'none'}")
    ids = [v.variable for v in plan.variables if v.role == IDENTIFIER and v.variable not in units]
    print(f"identifiers: {', '.join(ids) or 'none'}")
    given = _given(context)
    several = [c for c in ids if frame[c].duplicated().any()]
    if several and not units:
        print(
            f"units: several records have the same value of {', '.join(several)}. Add --unit {shlex.quote(several[-1])} to "
            "synthesize whole households or persons instead of single records."
        )
    given += [text for option, value in missing.items() if ids or option != "--identifiers" for text in (option, value)]
    print(f"command: {shlex.join(['synthlab', 'synthesize', *given])}")


def _given(context: typer.Context) -> list[str]:
    """Return the arguments and options of the command line, without --check."""
    found: list[str] = []
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        source = context.get_parameter_source(name)
        if name == "check" or source is None or source.name != "COMMANDLINE":
            continue
        values = value if isinstance(value, list | tuple) else [value]
        if parameter.param_type_name == "argument":
            found = [*map(str, values), *found]
        else:
            found += [text for one in values for text in (parameter.opts[0], str(one))]
    return found


def _private_values(seed: int | None, repeat: Path | None, keep_order: bool) -> tuple[str | None, dict[str, Any]]:
    """Return the digest of the release to reproduce, and the seed and shuffle keys."""
    from synthlab import _rng
    from synthlab.release import _release_io

    if repeat is None:
        return None, {"seed": _rng.fresh_key(seed), "shuffle_keys": [] if keep_order else [None]}
    if seed is not None or keep_order:
        raise InputError("repeat: the file contains the seed and the order of the rows; omit --seed and keep_order")
    return _release_io.read_private(repeat, "repeat")


def _design(weights: str | None, values: SimpleNamespace) -> Any:
    """Return the survey design, or None if none of its columns is named."""
    from synthlab.design import SurveyDesign

    columns = {"weights": weights, "strata": values.strata, "clusters": values.clusters, "fpc": values.fpc}
    return SurveyDesign(**columns) if any(columns.values()) else None


def demo(
    out: Annotated[Path, path_option("Folder for report.html and report.json.")] = Path("build/demo"),
    m: Annotated[int, typer.Option(help="Number of synthetic datasets.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed.")] = 1,
) -> None:
    """Synthesize a real survey, measure its risk and utility, and write a report.

    synthlab demo --out build/demo --m 5
    """
    from synthlab._system.atomic_write import check_writable
    from synthlab.report import demo as show
    from synthlab.report.export import check_libraries

    check_libraries()
    for name in ("report.html", "report.json"):
        check_writable(out / name, "--out")
    with quiet():
        result = show.demonstrate(m, seed, tell=lambda line: print(line, file=sys.stderr, flush=True))
    # Save before printing, because printing can fail on a full disk or on a limited character set.
    page = result.save(out / "report.html", title=show.TITLE)
    result.save(out / "report.json")
    print_evaluation(result)
    print(f"report: {page}")
