"""pMSE ratio of datasets in which a share of the records is synthetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from synthlab import _checks, _rng
from synthlab._typing import BoolArray, ColumnNames, FrameLike, FrameOrFrames
from synthlab._warnings import quiet
from synthlab.exceptions import InputError
from synthlab.release import Release
from synthlab.release.release import as_aligned_release
from synthlab.teaching.widgets._interactive import choice, explorer
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
    """Return the pMSE ratio if a share of the records has synthetic values.

    The records with synthetic values are chosen at random and are the same in every dataset. The records of a smaller share
    are a subset of the records of a larger share.

    Parameters
    ----------
    confidential : pandas.DataFrame or Dataset, n rows
        Confidential data.
    synthetic : DataFrame, sequence of DataFrames, or Release
        The m synthetic datasets of n rows. Row i is record i of the confidential data.
    variables : sequence of str
        Variables used by the classifier, a logistic regression.
    order : int
        Largest number of variables in a term of the regression.
    shares : sequence of float in [0, 1]
        Shares of the records with synthetic values, in any order.

    Returns
    -------
    pandas.DataFrame
        One row per share, in ascending order. Columns: ``ratio`` (mean over the m datasets), ``ratio_min``, ``ratio_max``, and
        ``reference_high``, which is two standard deviations above 1, the expected ratio of a correct synthesizer with fixed
        parameters.

    Raises
    ------
    InputError
        If `shares` is empty or a share is not in [0, 1]; also as `pmse`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from synthlab.teaching.widgets import pmse_by_share
    >>> income = pd.DataFrame({"income": np.arange(50.0)})
    >>> pmse_by_share(income, income + 20, variables=["income"], shares=[0, 1])["ratio"].round(1).tolist()
    [0.0, 66.4]
    """
    sorted_shares = sorted(set(_checks.check_numbers(shares, "shares", low=0.0)))
    if not sorted_shares or sorted_shares[-1] > 1:
        raise InputError("shares: must contain at least one number, and only numbers in [0, 1]")
    frame = _checks.check_frame(confidential, "confidential")
    names = list(_checks.check_columns(frame, variables, "variables", where="confidential"))
    release = as_aligned_release(synthetic, like=frame)
    _checks.check_rows_aligned(frame, list(release))
    order_of_change = _rng.as_generator(SEED).permutation(len(frame))
    rows = [
        _at_share(frame[names], release, order, order_of_change < round(share * len(frame))) for share in sorted_shares
    ]
    return pd.DataFrame(rows, index=pd.Index(sorted_shares, name="share"))


def pmse_figure(
    confidential: FrameLike,
    synthetic: FrameOrFrames,
    *,
    variables: ColumnNames,
    order: int = 1,
    share: float,
    shares: Sequence[float] = SHARES,
) -> DescribedFigure:
    """Draw the pMSE ratio against the share of synthetic records.

    Parameters
    ----------
    confidential, synthetic, variables, order, shares
        As `pmse_by_share`.
    share : float in [0, 1]
        Share to mark; it is added to `shares`.

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
    >>> print(pmse_figure(income, income + 20, variables=["income"], share=0.5).description.partition(". The")[0])
    50% of the records have synthetic values. For a classifier with main effects of income, the pMSE ratio is 18.2
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
        Releases to choose from. The first is selected.
    order : {1, 2}
        Initial terms of the classifier: main effects only (1), or also products of two variables (2).
    share : float in [0, 1]
        Initial share, which is added to a list of round values.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    InputError
        If `releases` is empty; also as `pmse_by_share`.
    ExtraUnavailableError
        If ipywidgets is not installed.
    """
    if not _checks.check_mapping(releases, "releases", "labels and synthetic datasets"):
        raise InputError("releases: must contain at least one release")
    _checks.check_choice(order, "order", tuple(ORDERS.values()))
    shares = sorted({*SHARES, _checks.check_probability(share, "share")})

    @cache
    def by_share(label: str, order: int) -> pd.DataFrame:
        return pmse_by_share(confidential, releases[label], variables=variables, order=order, shares=shares)

    def draw(label: str, order: int, share: float) -> DescribedFigure:
        return _figure(by_share(label, order), confidential, variables, order, share)

    by_share(next(iter(releases)), order)  # raises errors before the controls are shown
    return explorer(
        draw,
        label=choice("Release", releases),
        order=choice("Terms of the classifier", ORDERS.items(), order),
        share=choice("Synthetic records", [(f"{100 * value:.10g}%", value) for value in shares], share),
    )


def _at_share(frame: pd.DataFrame, release: Release, order: int, synthetic: BoolArray) -> dict[str, float]:
    mixed = [
        pd.DataFrame({c: frame[c].where(~synthetic, dataset[c].set_axis(frame.index)) for c in frame})
        for dataset in release
    ]
    # The pMSE of the unchanged confidential data is 0 for every classifier.
    count = "all" if all(dataset.equals(frame) for dataset in mixed) else "changed"
    with quiet():  # no warnings about datasets with few changes
        result = pmse(frame, mixed, order=order, null_parameters=count)
    ratio = result.ratio.round(9)  # about 1e-30 for unchanged data
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
    from synthlab.teaching.figures.lecture_06 import plot_ratio_by_share

    frame = _checks.check_frame(confidential, "confidential")
    ax = plot_ratio_by_share(table, share=share, data=frame)
    row = table.loc[share]
    names = ", ".join(_checks.check_columns(frame, variables, "variables", where="confidential"))
    terms = "main effects" if order == 1 else f"products of up to {order} variables"
    description = (
        f"{100 * share:.4g}% of the records have synthetic values. For a classifier with {terms} of {names}, the pMSE ratio is "
        f"{row['ratio']:,.3g}. The ratio is {table['ratio'].iloc[0]:,.3g} for {100 * table.index[0]:.4g}% and "
        f"{table['ratio'].iloc[-1]:,.3g} for {100 * table.index[-1]:.4g}% synthetic records. Two lines mark the expected ratio of "
        f"a correct synthesizer if all records are synthetic: 1 with fixed parameters (below {row['reference_high']:.3g} in most "
        f"releases) and 2 with parameters drawn from their posterior distribution."
    )
    return figure_with_description(ax, description)
