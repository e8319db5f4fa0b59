"""Commands that make a release."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from synthlab._warnings import collected, quiet
from synthlab.cli import file_options
from synthlab.cli.printing import OPTIONS, print_evaluation, say_warnings
from synthlab.exceptions import InputError


def _path(text: str) -> Path:
    """Return a path; an empty one would be the working folder."""
    if not text:
        raise typer.BadParameter("must not be empty")
    return Path(text)


def synthesize(
    confidential: Annotated[
        Path,
        typer.Argument(
            parser=file_options.path, help="File of the confidential data: CSV, Excel, Parquet, Stata, SPSS, SAS or R."
        ),
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--out",
            parser=_path,
            metavar="PATH",
            help="Folder for the release; one that holds a release is never overwritten.",
        ),
    ],
    m: Annotated[int, typer.Option(help="Number of synthetic datasets.")] = 5,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed, to which 128 random bits are always added: alone it does not repeat a release."),
    ] = None,
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
        typer.Option(
            parser=file_options.path,
            help="TOML file with [[bounds]], [[zero_unless]], [[allowed_combinations]] and [[sum_of]].",
        ),
    ] = None,
    missing: Annotated[str, typer.Option(help="Missing values: keep them as a part of the data, or raise.")] = "keep",
    missing_codes: Annotated[
        list[str] | None,
        typer.Option("--missing-code", help="NAME=NUMBER, a number that means missing, or NAME=-8|-9; repeated."),
    ] = None,
    smooth: Annotated[bool, typer.Option(help="Move the numbers that fewer than 10 records hold.")] = True,
    public_levels: Annotated[
        list[str] | None,
        typer.Option(
            help="Categorical variables whose levels are all public, such as the answers of the questionnaire; comma separated "
            "or repeated."
        ),
    ] = None,
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
        typer.Option(
            "--private",
            parser=_path,
            metavar="PATH",
            help="New file outside the folder for the seed and the order of the rows, which must not be published.",
        ),
    ] = None,
    repeat: Annotated[
        Path | None,
        typer.Option(
            parser=_path,
            metavar="PATH",
            help="File that --private wrote: make the same release again, from the same data with the same options.",
        ),
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle the rows of the published files.")
    ] = False,
    na: file_options.Na = None,
    text: file_options.Text = None,
    delimiter: file_options.Delimiter = None,
    encoding: file_options.Encoding = None,
    decimal: file_options.Decimal = None,
    table: file_options.Table = None,
) -> None:
    """Synthesize a whole survey file, print the plan, and save the release with it.

    synthlab synthesize survey.csv --m 5 --out release
    """
    from synthlab import _folder, _rng
    from synthlab.design import Design
    from synthlab.report import arguments
    from synthlab.report.config import read_toml
    from synthlab.synthesis import Plan, synthesize as make
    from synthlab.synthesis.rules import codes_of, models_of, rules_of

    _folder.check_places(folder, keep_private)
    digest: str | None = None
    kept: dict[str, Any] = {"seed": _rng.fresh_key(seed), "shuffle_keys": [] if keep_order else [None]}
    if repeat is not None:
        if seed is not None or keep_order:
            raise InputError("repeat: the file sets the seed and the order of the rows; omit --seed and --keep-order")
        digest, kept = _folder.read_private(repeat, "repeat")
    rng = _rng.seed_from(kept.get("seed"))
    parts: dict[str, Any] = {"weights": weights, "strata": strata, "clusters": clusters, "fpc": fpc}
    constraints = [] if rules is None else rules_of(read_toml(rules, "rules"), f"rules={str(rules)!r}")
    files = file_options.FileReader(na, text, delimiter, encoding, decimal, table, OPTIONS)
    frame = files.first(confidential, "confidential")
    columns = list(frame.columns)
    with collected() as caught:
        release = make(
            frame,
            m=m,
            rng=rng,
            models=models_of(models, columns),
            order=None if order is None else arguments.names(order, columns),
            keep=arguments.names(keep or [], columns),
            identifiers=identifiers,  # type: ignore[arg-type]
            constraints=constraints,
            missing=missing,  # type: ignore[arg-type]
            missing_codes=codes_of(missing_codes, columns),
            design=None if not any(parts.values()) else Design(**parts),
            smooth=smooth,
            public_levels=arguments.names(public_levels or [], columns),
            progress=sys.stderr.isatty(),
        )
    for key in kept.get("shuffle_keys", []):
        release = release.shuffled(key)
    _folder.write(
        folder,
        release.frames,
        release.synthesized,
        release.provenance,
        release.rows,
        release.private,
        keep_private,
        expected_digest=digest,
    )
    print(Plan.of(release))
    say_warnings(caught)
    files.say()
    print(f"release: {folder}" + (", rows shuffled" if release.rows == "shuffled" else ""))
    if keep_private is not None:
        print(f"private: {keep_private}")
    elif repeat is None:
        print("note: without --private the seed and the order of the rows are not kept", file=sys.stderr)


def demo(
    out: Annotated[Path, typer.Option(parser=file_options.path, help="Folder for report.html and report.json.")] = Path(
        "build/demo"
    ),
    m: Annotated[int, typer.Option(help="Number of synthetic datasets.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed.")] = 1,
) -> None:
    """Synthesize a real survey, measure risk and utility before and after, and write a report.

    synthlab demo --out build/demo --m 5
    """
    from synthlab._files import check_writable
    from synthlab.report import demo as show
    from synthlab.report.page import check_libraries

    check_libraries()
    for name in ("report.html", "report.json"):
        check_writable(out / name, "--out")
    with quiet():
        result = show.demonstrate(m, seed, tell=lambda line: print(line, file=sys.stderr, flush=True))
    # Files come before what is printed: where that goes to may be full, or know few characters.
    page = result.save(out / "report.html", title=show.TITLE)
    result.save(out / "report.json")
    print_evaluation(result)
    print(f"report: {page}")
