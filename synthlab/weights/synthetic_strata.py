"""Survey weights of datasets whose strata are synthetic (Mitra and Reiter 2006)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from synthlab import _checks
from synthlab._typing import FloatArray, FrameLike, FrameOrFrames
from synthlab.design import SurveyDesign
from synthlab.exceptions import InputError
from synthlab.release import as_release


def synthetic_stratum_weights(
    confidential: FrameLike, synthetic: FrameOrFrames, design: SurveyDesign
) -> list[FloatArray]:
    """Return survey weights that fit the synthetic strata of each dataset.

    If the stratum is synthesized, the original weight of a record belongs to another stratum than the released one. It
    biases estimates for strata, and it shows an intruder in which stratum the person was. The new weight depends only on the
    synthetic stratum h:

        ``w_i = N_h / n_h``,

    where N_h is the sum of the confidential weights in stratum h and n_h is the number of records of the dataset in h.

    Parameters
    ----------
    confidential : DataFrame or Dataset, n rows
        The confidential data.
    synthetic : Release, DataFrame, or sequence of DataFrames
        The m synthetic datasets, with the column of the strata.
    design : SurveyDesign
        The design of the confidential data, with weights, and with the strata as the name of a column.

    Returns
    -------
    list of m numpy.ndarray of float, shape (n,)
        The weights of each dataset. In every stratum, they sum to N_h.

    Raises
    ------
    InputError
        The design has no weights, its strata are not a column of both files, or a dataset has a stratum that the
        confidential data do not have, or lacks one.
    MissingValueError
        A stratum or weight is missing.

    Notes
    -----
    This is the stratified case of the problem of Mitra and Reiter (2006), who compare weights that are left unchanged with
    weights that follow from the synthetic design variables. The formula is derived here: the model of the strata is fitted to
    the sample, so a synthetic stratum describes the sample, and N_h / n_h takes it to the population. Fit that model without
    weights. The weights of a dataset publish its N_h. Analyze dataset l with
    ``SurveyDesign(weights=w[l], strata=...)`` and the rule for partially synthetic data.

    References
    ----------
    Mitra, R. and Reiter, J. P. (2006). Adjusting survey weights when altering identifying design variables via synthetic
    data. In Privacy in Statistical Databases, 177-188. Springer. Only the abstract was available.

    Examples
    --------
    >>> import pandas as pd
    >>> import synthlab as sl
    >>> from synthlab.weights import synthetic_stratum_weights
    >>> survey = pd.DataFrame({"region": ["n", "n", "s", "s"], "weight": [10.0, 10.0, 2.0, 2.0]})
    >>> synthetic = pd.DataFrame({"region": ["n", "s", "s", "s"], "weight": [10.0, 10.0, 2.0, 2.0]})
    >>> design = sl.SurveyDesign(weights="weight", strata="region")
    >>> synthetic_stratum_weights(survey, synthetic, design)[0].round(3)
    array([20.   ,  1.333,  1.333,  1.333])
    """
    if not isinstance(design, SurveyDesign) or design.weights is None or not isinstance(design.strata, str):
        raise InputError(
            "design: must be a SurveyDesign with weights, and with the name of a column as strata, for example "
            "SurveyDesign(weights='weight', strata='region')"
        )
    frame = _checks.check_frame(confidential, "confidential")
    weights = design.read(frame).weights
    datasets, name = list(as_release(synthetic)), design.strata
    for number, dataset in enumerate(datasets, start=1):
        SurveyDesign(strata=name).read(dataset, f"synthetic dataset {number}")
    _checks.check_same_kind(frame, datasets, [name])
    totals = pd.Series(weights).groupby(frame[name].astype(object).to_numpy()).sum()
    found = []
    for number, dataset in enumerate(datasets, start=1):
        strata = dataset[name].astype(object)
        counts = strata.value_counts()
        new, lost = len(counts.index.difference(totals.index)), len(totals.index.difference(counts.index))
        if new or lost:
            raise InputError(
                f"synthetic dataset {number}: has {new:,} strata that are not in the confidential data and lacks {lost:,} of "
                "the confidential strata, so the weights are not defined; combine small strata before the synthesis"
            )
        found.append(np.asarray(strata.map(totals / counts), dtype=np.float64))
    return found


__all__ = ["synthetic_stratum_weights"]
