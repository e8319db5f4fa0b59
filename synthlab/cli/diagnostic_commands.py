"""Commands that check the installation, replicate papers and compare with R."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from synthlab import __version__
from synthlab._system import versions
from synthlab.cli import file_options
from synthlab.cli.printing import check_outputs, print_table
from synthlab.exceptions import InputError


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    compile: Annotated[
        bool, typer.Option("--compile", help="Also compile the package, so that first results take less time.")
    ] = False,
) -> None:
    """Report installed versions and the commands that install missing packages.

    The exit code is 1 if a required package is missing or has another version.

    synthlab doctor
    """
    import json as to_json

    from synthlab.doctor import examine, is_working, to_dict

    checks = examine()
    if json:
        print(to_json.dumps(to_dict(checks, __version__), indent=1, ensure_ascii=False))
    else:
        print("\n".join(versions.describe(__version__)))
        rows = [(c.name, c.state, c.found) for c in checks]
        print_table("synthlab on this machine", ["what", "state", "found"], rows)
        for check in checks:
            if check.state != "ok":
                print(f"{check.name}: {check.state}\n    {check.install}")
    if not is_working(checks):
        missing_measures = [c.name for c in checks if c.required and c.state != "ok"]
        print(f"error: required packages are missing or outdated: {', '.join(missing_measures)}", file=sys.stderr)
        raise typer.Exit(1)
    if compile:
        from synthlab.report.demo import fill_caches

        fill_caches()


def replicate(
    name: Annotated[str | None, typer.Argument(help="Name of the study. Default: list all studies.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run a smaller version of the study, as a test.")] = False,
    seed: Annotated[int | None, typer.Option(help="Seed. Default: the seed of the recorded result.")] = None,
    out: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="Write the result or the summary to this CSV file.")
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Count the recorded claims and published numbers of all studies.")
    ] = False,
    csv: Annotated[
        Path | None,
        typer.Option(parser=file_options.path, help="With --summary: write every claim and number to this CSV file."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="Number of processes. Default: the number of cores.")] = None,
    version: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="Version of the data: real or simulated (intruder); simulated or archive (gamma-family).",
        ),
    ] = None,
) -> None:
    """Reproduce published results.

    synthlab replicate risk-weighted --quick
    """
    course = _find_replications()
    from replications import registry
    from synthlab._system.atomic_write import write_text

    if csv is not None and not summary:
        raise InputError("--csv: requires --summary; use --out to write the result of a run")
    if summary:
        _summarise_replications(name, out, csv)
        return
    if name is None:
        print_table("replications", ["name", "what"], list(registry.REPLICATIONS.items()))
        return
    check_outputs(("--out", out, (".csv",)))
    with _at_once(jobs):
        result = registry.replicate(name, quick=quick, rng=seed, version=version, progress=True)
    if out is not None:
        write_text(out, registry.to_csv(name, result))
    print(result)
    if out is not None:
        print(f"table: {out}")
    notebook, here = course / registry.find(name).notebook.removeprefix("course/"), Path.cwd()
    print(f"notebook: {notebook.relative_to(here) if notebook.is_relative_to(here) else notebook}")


def _find_replications() -> Path:
    """Make the replications of the installed course importable and return its folder, or raise an `InputError`."""
    from synthlab.datasets.files import course_folder
    from synthlab.teaching import course_path

    folder = course_folder()
    if folder is None:
        raise InputError(
            "replicate: the replications are part of the course, which is missing here; install synthlab-sdc from a wheel "
            "or use a checkout of the project"
        )
    course_path(folder)
    return folder


def _at_once(jobs: int | None) -> AbstractContextManager[object]:
    """Return a context that sets the number of parallel processes."""
    if jobs is None:
        return nullcontext()
    from joblib import parallel_config

    from synthlab._checks import check_count

    setting: AbstractContextManager[object] = parallel_config(n_jobs=check_count(jobs, "jobs"))
    return setting


def _summarise_replications(name: str | None, out: Path | None, csv: Path | None) -> None:
    from replications import registry, summary
    from synthlab._system.atomic_write import write_text

    if name is not None:
        raise InputError(f"--summary: counts all replications; omit {name!r}")
    check_outputs(("--out", out, (".csv",)), ("--csv", csv, (".csv",)))
    counts, rows = registry.summary()
    if out is not None:
        write_text(out, summary.table(counts).to_csv(index=False, lineterminator="\n"))
    if csv is not None:
        write_text(csv, rows.to_csv(index=False, lineterminator="\n"))
    for kind, part in summary.by_kind(counts).items():
        one = part.loc[part[kind] > 0, part.any()].rename(columns={kind: "all"})
        lines = [(str(row[0]), *map(str, row[1:])) for row in one.itertuples()]
        print_table(kind, ["paper", *one.columns], lines, numbers=True)
    print(
        f"{len(rows)} claims and published numbers; --csv PATH writes all of them with their reasons. The notebooks in "
        "course/replications show them; the folder of each study contains them (claims.csv and published.csv)."
    )
    for what, path in (("table", out), ("list", csv)):
        if path is not None:
            print(f"{what}: {path}")


def crosscheck(
    groups: Annotated[list[str] | None, typer.Argument(help="Names of the checks. Default: all checks.")] = None,
    live: Annotated[
        bool,
        typer.Option("--live", help="Ask R instead of using recorded results; skip what needs a missing R package."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare results with R. The exit code is 1 if a difference is too large.

    With --live, it is also 1 if checks of IdentificationRiskCalculation or gamlss.dist were skipped. Each check is
    printed as soon as it is computed.

    synthlab crosscheck match-risk weights
    """
    import json as to_json

    from synthlab import crosscheck as checks

    done: dict[str, tuple[checks.Check, ...]] = {}

    def show(check: checks.Check) -> None:
        if not json and check.group not in done:
            print(f"{check.group}: {checks.GROUPS[check.group]}", flush=True)
        done[check.group] = (*done.get(check.group, ()), check)
        if not json:
            print(f"  {check}", flush=True)

    try:
        result = checks.crosscheck(groups or None, live=True if live else None, report=show)
    except KeyboardInterrupt:
        result = checks.CrosscheckResult(done, (), stopped={"all other checks": "interrupted"})
        print(to_json.dumps(result.to_dict(), indent=1, ensure_ascii=False) if json else f"\n{result.footer()}")
        raise
    print(to_json.dumps(result.to_dict(), indent=1, ensure_ascii=False) if json else f"\n{result.footer()}")
    if not result.passes or (live and not result.is_complete):
        raise typer.Exit(1)
