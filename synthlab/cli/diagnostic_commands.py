"""Commands that look at this machine, at the papers, and at R."""

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
) -> None:
    """Report installed versions, and the command that installs each missing package.

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


def replicate(
    name: Annotated[str | None, typer.Argument(help="Name of the study; without one, all are listed.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smaller run, to see that it works.")] = False,
    seed: Annotated[int | None, typer.Option(help="Seed; by default that of the recorded result.")] = None,
    out: Annotated[
        Path | None, typer.Option(parser=file_options.path, help="Write the result, or the summary, to this CSV file.")
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Count the claims and the published numbers of all, as recorded.")
    ] = False,
    csv: Annotated[
        Path | None,
        typer.Option(parser=file_options.path, help="With --summary: write every claim and number to this file."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(parser=file_options.path, help="With --summary: the same as a page, to this HTML file."),
    ] = None,
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
    from synthlab._system.atomic_write import write_text
    from synthlab.replication import registry

    for option, path in (("--csv", csv), ("--page", page)):
        if path is not None and not summary:
            raise InputError(f"{option}: goes with --summary; --out writes the result of a run")
    if summary:
        _summarise_replications(name, out, csv, page)
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


def _at_once(jobs: int | None) -> AbstractContextManager[object]:
    """Return a context in which so many pieces of work run at once."""
    if jobs is None:
        return nullcontext()
    from joblib import parallel_config

    from synthlab._checks import check_count

    setting: AbstractContextManager[object] = parallel_config(n_jobs=check_count(jobs, "jobs"))
    return setting


def _summarise_replications(name: str | None, out: Path | None, csv: Path | None, page: Path | None) -> None:
    from synthlab._system.atomic_write import write_text
    from synthlab.replication import registry, summary

    if name is not None:
        raise InputError(f"--summary: counts all replications, leave out {name!r}")
    check_outputs(("--out", out, (".csv",)), ("--csv", csv, (".csv",)), ("--page", page, (".html",)))
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
        print_table(kind, ["paper", *one.columns], lines, numbers=True)
    print(
        f"{len(rows)} claims and published numbers; --csv PATH and --page PATH write them all, with their reasons. They are "
        "recorded in data/replication, in claims.csv and published.csv."
    )
    for what, path in (("table", out), ("list", csv), ("page", page)):
        if path is not None:
            print(f"the {what}: {path}")


def crosscheck(
    groups: Annotated[list[str] | None, typer.Argument(help="Names of the checks; without any, all of them.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Insist on R, its packages and rpy2.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare synthlab with R, row by row; exit code 1 if any difference exceeds its tolerance.

    synthlab crosscheck match-risk weights
    """
    import json as to_json

    from synthlab import crosscheck as checks

    result = checks.crosscheck(groups or None, live=True if live else None)
    print(to_json.dumps(result.to_dict(), indent=1, ensure_ascii=False) if json else result)
    if not result.passes:
        raise typer.Exit(1)
