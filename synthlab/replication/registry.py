"""The published results that can be reproduced, by their names on the command line.

A new replication is one entry; its folder is imported when it is asked for.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import pandas as pd

from synthlab._typing import PathOrStr, RngLike
from synthlab.exceptions import InputError
from synthlab.replication.study import Study, tally

REPLICATIONS = {
    "coverage": "how often 95 % intervals from synthetic data hold the truth, right and naive",
    "dp": "Savitsky, Williams & Hu: the pseudo posterior mechanism, figures 1 to 5, table 2 and the claims",
    "gamma-family": "Jackson, Mitra, Francis & Dove: contingency tables with the gamma family, all figures and claims",
    "intruder": "Reiter & Mitra: Table 1, fourteen attacks on the youths, repeated; the claims, N_t, the prior",
    "lecture-8": "the published risks of lecture 8 on the ACS and CE samples of the slides, beside those computed here",
    "mechanisms": "all mechanisms of lectures 12 to 14 on the same data at equal epsilon, and what each guarantees",
    "risk-weighted": "Hu, Savitsky & Williams: risk weights, both studies, published numbers beside those computed here",
    "strict": "Hu, Williams & Savitsky; Hu, Savitsky & Williams: clipping and re-weighting beside the weighted mechanism",
    "survey-design": "coverage for the population behind a survey: unweighted, weighted, adjusted, pseudo-populations",
}


def find(name: str) -> Study[Any]:
    """Return a study by name.

    Raises
    ------
    InputError
        If there is no such replication.
    """
    if name not in REPLICATIONS:
        close = get_close_matches(str(name), REPLICATIONS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise InputError(f"name={name!r}: no such replication, there are {', '.join(REPLICATIONS)}{hint}")
    study: Study[Any] = import_module(f"synthlab.replication.{name.replace('-', '_')}").STUDY
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
        A smaller run, to see that it works.
    rng : int, optional
        Seed; by default the one of the recorded result.
    folder : path, optional
        Where tables, figures and the page go; see `Study.run`.
    version : str, optional
        Of the data, for the studies that take one: "intruder" real or simulated, "gamma-family" simulated or archive.
    progress : bool
        Show a progress bar on standard error.

    Returns
    -------
    result
        That of the replication: it prints itself and has `to_frame`.

    Raises
    ------
    InputError
        If there is no such replication, or it takes no seed or no version of the data, or has no quick form.
    """
    options = {} if version is None else {"version": version}
    return find(name).run(quick=quick, rng=rng, folder=folder, progress=progress, **options)


def to_csv(name: str, result: Any) -> str:
    """Return a result as the text of a CSV file, in the form its folder records it in, if it has one."""
    own = getattr(import_module(type(find(name)).__module__), "to_csv", None)
    index = not isinstance(result.to_frame().index, pd.RangeIndex)
    text = own(result) if own is not None else result.to_frame().to_csv(index=index, lineterminator="\n")
    return str(text)


def summary() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how many claims and published numbers of all replications have which verdict and status, and the list.

    Returns
    -------
    counts : pandas.DataFrame
        One row a paper and one in all.
    rows : pandas.DataFrame
        Every claim and every published number, as recorded; ``kind`` is "claim" or "published number".

    Examples
    --------
    >>> from synthlab.replication import registry
    >>> counts, rows = registry.summary()
    >>> int(counts.loc["in all", "published numbers"].sum()), rows["kind"].unique().tolist()
    (317, ['claim', 'published number'])
    """
    found = [find(name).recorded() for name in REPLICATIONS]
    claims = pd.concat([one.claims for one in found if len(one.claims)], ignore_index=True)
    numbers = pd.concat([one.published for one in found if len(one.published)], ignore_index=True)
    rows = [claims.assign(kind="claim"), numbers.assign(kind="published number")]
    table = pd.concat(rows, ignore_index=True)
    return tally(claims, numbers), table[["kind", *table.columns.drop("kind")]]
