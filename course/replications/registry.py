"""Names of the replications on the command line.

CONTRIBUTING.md describes how to add a replication. The folder of a replication is imported on request.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pandas as pd

from replications.study import Study, tally
from synthlab import _checks
from synthlab._typing import PathOrStr, RngLike
from synthlab.exceptions import InputError

REPLICATIONS = {
    "coverage": "coverage of 95% intervals from synthetic data, with correct and naive rules",
    "dp": "Savitsky, Williams & Hu: the pseudo posterior mechanism, Figures 1 to 5, Table 2 and the claims",
    "gamma-family": "Jackson, Mitra, Francis & Dove: contingency tables with the gamma family, all figures and claims",
    "hu-course": "Hu, lectures 4 to 12: every number on the slides that public data determine, except lecture 8",
    "intruder": "Reiter & Mitra: Table 1 with fourteen repeated attacks on the youths, and the claims",
    "lecture-8": "Hu, lecture 8: the published risks of the ACS and CE samples of the slides",
    "nested-households": "Hu, Reiter & Wang: the nested mixture for households, in Python and in NestedCategBayesImpute",
    "real-incomes": "risk weights and the weighted mechanism on real incomes, next to the stand-in data",
    "risk-weighted": "Hu, Savitsky & Williams: risk weights, both studies, with the published numbers",
    "strict": "Hu, Williams & Savitsky; Hu, Savitsky & Williams: clipping, re-weighting and the weighted mechanism",
    "survey-design": "coverage for the population of a survey: unweighted, weighted, adjusted, pseudo-populations",
}

DOCUMENTS = (
    "Hu, lecture 8",
    "Reiter & Mitra",
    "Hu, Savitsky & Williams",
    "Savitsky, Williams & Hu",
    "Jackson, Mitra, Francis & Dove",
)
DOCUMENTS_ROW = "the five documents"


def find(name: str) -> Study[Any]:
    """Return a study by name.

    Raises
    ------
    InputError
        If there is no such replication.
    """
    if name not in REPLICATIONS:
        hint = _checks.did_you_mean(name, REPLICATIONS)
        raise InputError(f"name={name!r}: unknown replication; use one of {', '.join(REPLICATIONS)}{hint}")
    study: Study[Any] = import_module(f"replications.{name.replace('-', '_')}").STUDY
    return study


def replicate(
    name: str,
    *,
    quick: bool = False,
    rng: RngLike = None,
    folder: PathOrStr | None = None,
    version: str | None = None,
    progress: bool = False,
) -> Any:
    """Run a replication by name.

    Parameters
    ----------
    name : str
        A key of `REPLICATIONS`.
    quick : bool
        Run a smaller version as a test.
    rng : int, optional
        Seed. Default: the seed of the recorded result.
    folder : path, optional
        Output folder for the tables; see `Study.run`.
    version : str, optional
        Version of the data: "real" or "simulated" for "intruder", "simulated" or "archive" for "gamma-family".
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    result
        The result of the replication; it has a text form and a method `to_frame`.

    Raises
    ------
    InputError
        If there is no such replication, or it does not have a seed, versions of the data or a quick version.
    """
    options = {} if version is None else {"version": version}
    return find(name).run(quick=quick, rng=rng, folder=folder, progress=progress, **options)


def to_csv(name: str, result: Any) -> str:
    """Return a result as the text of a CSV file, in the form of the recorded file if there is one."""
    own = getattr(import_module(type(find(name)).__module__), "to_csv", None)
    index = not isinstance(result.to_frame().index, pd.RangeIndex)
    text = own(result) if own is not None else result.to_frame().to_csv(index=index, lineterminator="\n")
    return str(text)


def summary() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return counts of claims by verdict and of published numbers by status, and the full list.

    Returns
    -------
    counts : pandas.DataFrame
        One row per paper, a total of the five documents that the package implements, and a total that includes our own
        studies.
    rows : pandas.DataFrame
        Every claim and every published number, as recorded; ``kind`` is "claim" or "published number".

    Examples
    --------
    >>> from replications import registry
    >>> counts, rows = registry.summary()
    >>> int(counts.loc["Reiter & Mitra", "published numbers"].sum()), rows["kind"].unique().tolist()
    (44, ['claim', 'published number'])
    """
    found = [find(name).recorded() for name in REPLICATIONS]
    claims = pd.concat([one.claims for one in found if len(one.claims)], ignore_index=True)
    numbers = pd.concat([one.published for one in found if len(one.published)], ignore_index=True)
    rows = [claims.assign(kind="claim"), numbers.assign(kind="published number")]
    table = pd.concat(rows, ignore_index=True)
    counts = tally(claims, numbers)
    documents = counts.loc[list(DOCUMENTS)].sum().to_frame(DOCUMENTS_ROW).T
    counts = pd.concat([counts.iloc[:-1], documents, counts.iloc[-1:]]).rename_axis(index="paper", columns=["", ""])
    return counts, table[["kind", *table.columns.drop("kind")]]
