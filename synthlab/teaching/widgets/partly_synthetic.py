"""Control of the pMSE ratio of a file with a share of synthetic values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import BoolArray, ColumnNames, FrameLike, FrameOrFrames
from synthlab._warnings import quiet
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.release.release import as_aligned_release
from synthlab.teaching.widgets._base import Box, Choice, Control, Number, listed
from synthlab.utility import pmse

if TYPE_CHECKING:
    from synthlab.plots.style import DescribedFigure

SHARES = tuple(round(0.1 * tenth, 1) for tenth in range(11))
ORDERS = {"main effects": 1, "products of two variables": 2}
SEED = 1


def pmse_by_share(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames,
    order: int = 1,
    shares: Sequence[float] = SHARES,
) -> pd.DataFrame:
    """Return the pMSE ratio of files with synthetic values for a share of records.

    The records with synthetic values are chosen at random and are the same in every dataset. The records of a smaller share
    are a subset of the records of a larger share.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        Confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets of n rows; row i is record i.
    variables : sequence of str
        Variables used by the classifier, a logistic regression.
    order : int
        Largest number of variables in a term of the regression.
    shares : sequence of float in [0, 1]
        Shares of records with synthetic values, in any order.

    Returns
    -------
    pandas.DataFrame
        One row per share, in ascending order; columns ``ratio`` (mean over the m datasets), ``ratio_min``, ``ratio_max``, and
        ``reference_high``: two standard deviations above 1, the mean of a correct synthesizer with fixed parameters.

    Raises
    ------
    InputError
        If there is no share, or one is not in [0, 1]; else as `pmse`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.teaching.widgets import pmse_by_share
    >>> income = pd.DataFrame({"income": np.arange(50.0)})
    >>> pmse_by_share(income, income + 20, variables=["income"], shares=[0, 1])["ratio"].round(1).tolist()
    [0.0, 66.4]
    """
    checked = sorted(set(_checks.check_numbers(shares, "shares", low=0.0)))
    if not checked or checked[-1] > 1:
        raise InputError("shares: must hold at least one number, all of them in [0, 1]")
    frame = _checks.check_frame(confidential, "confidential")
    names = list(_checks.check_columns(frame, variables, "variables", where="confidential"))
    release = as_aligned_release(synthetic, like=frame)
    _checks.check_rows_aligned(frame, list(release))
    place = _rng.as_generator(SEED).permutation(len(frame))
    rows = [_at_share(frame[names], release, order, place < round(share * len(frame))) for share in checked]
    return pd.DataFrame(rows, index=pd.Index(checked, name="share"))


def pmse_figure(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames,
    order: int = 1,
    share: float,
    shares: Sequence[float] = SHARES,
) -> DescribedFigure:
    """Draw the pMSE ratio against the share of synthetic records, described.

    Parameters
    ----------
    confidential, synthetic, variables, order, shares
        As `pmse_by_share`.
    share : float in [0, 1]
        Share to mark, which is added to `shares`.

    Returns
    -------
    DescribedFigure

    Raises
    ------
    InputError
        As `pmse_by_share`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.teaching.widgets import pmse_figure
    >>> income = pd.DataFrame({"income": np.arange(50.0)})
    >>> print(pmse_figure(income, income + 20, variables=["income"], share=0.5).description.partition(". ")[0])
    50% of the records have synthetic values, and the classifier, which sees the main effects of income, has a pMSE ratio of 18.2
    """
    table = pmse_by_share(confidential, synthetic, variables=variables, order=order, shares=[*shares, share])
    return _figure(table, confidential, variables, order, share)


def pmse_explorer(
    confidential: FrameLike,
    releases: Mapping[str, FrameOrFrames],
    *,
    variables: ColumnNames,
    order: int = 1,
    share: float = 1.0,
) -> Any:
    """Return controls for the release, the classifier and the synthetic share.

    Parameters
    ----------
    confidential, variables
        As `pmse_by_share`.
    releases : mapping {label: synthetic datasets}
        Entries of the drop-down list; the first is selected.
    order : {1, 2}
        Initial terms of the classifier: main effects only (1), or also products of two variables (2).
    share : float in [0, 1]
        Initial share; the number box is in percent.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        If there is no release; else as `pmse_by_share`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    if not _checks.check_mapping(releases, "releases", "labels and synthetic datasets"):
        raise InputError("releases: an empty mapping; name at least one")
    _checks.check_choice(order, "order", tuple(ORDERS.values()))
    tables: dict[tuple[str, int], pd.DataFrame] = {}
    boxes: dict[str, Box] = {
        "which": listed("Release", list(releases)),
        "order": Choice("The classifier sees", ORDERS, order),
        "percent": Number(
            "Synthetic records, percent", 100 * _checks.check_probability(share, "share"), 0.0, 100.0, 5.0
        ),
    }

    def by_share(which: str, order: int, shares: Sequence[float]) -> pd.DataFrame:
        return pmse_by_share(confidential, releases[which], variables=variables, order=order, shares=shares)

    def draw(which: str, order: int, percent: float) -> DescribedFigure:
        key, share = (which, order), percent / 100
        table = tables[key] if key in tables else tables.setdefault(key, by_share(which, order, SHARES))
        if share not in table.index:
            table = pd.concat([table, by_share(which, order, [share])]).sort_index()
        return _figure(table, confidential, variables, order, share)

    return Control(boxes, draw, ahead=["which", "order"]).view


def _at_share(frame: pd.DataFrame, release: Release, order: int, synthetic: BoolArray) -> dict[str, float]:
    mixed = [
        pd.DataFrame({c: frame[c].where(~synthetic, one[c].set_axis(frame.index)) for c in frame}) for one in release
    ]
    # The pMSE of the confidential file itself is 0 for any classifier.
    count = "changed" if synthetic.any() else "all"
    with quiet():  # no warnings for files that are hardly changed
        result = pmse(frame, mixed, order=order, null_parameters=count)
    ratio = result.ratio.round(9)  # the fit returns about 1e-30 for an unchanged file
    return {
        "ratio": float(ratio.mean()),
        "ratio_min": float(ratio.min()),
        "ratio_max": float(ratio.max()),
        "reference_high": float(np.max(1 + 2 * result.null_sd / result.null_mean)),
    }


def _figure(
    table: pd.DataFrame, confidential: FrameLike, variables: ColumnNames, order: int, share: float
) -> DescribedFigure:
    from synthlab.plots.style import figure_with_description
    from synthlab.teaching.figures.utility_measures import plot_ratio_by_share

    ax = plot_ratio_by_share(table, share=share, data=_checks.check_frame(confidential, "confidential"))
    row = table.loc[share]
    terms = "main effects" if order == 1 else f"products of up to {order} variables"
    words = (
        f"{100 * share:.4g}% of the records have synthetic values, and the classifier, which sees the {terms} of "
        f"{', '.join(variables)}, has a pMSE ratio of {row['ratio']:,.3g}. The curve of the ratio goes from "
        f"{table['ratio'].iloc[0]:,.3g} with {100 * table.index[0]:.4g}% to {table['ratio'].iloc[-1]:,.3g} with "
        f"{100 * table.index[-1]:.4g}%. Two lines are the references where all records are synthetic: 1 for a correct synthesizer "
        f"with fixed parameters, which stays below {row['reference_high']:.3g} in most releases, and 2 for one that draws its parameters."
    )
    return figure_with_description(ax, words)
