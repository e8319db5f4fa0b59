"""Datasets without a file in synthlab: from statsmodels, or drawn anew."""

from __future__ import annotations

import pandas as pd

from synthlab._rng import as_generator
from synthlab._typing import RngLike

NB_MIXTURE_SHARE = 0.7
NB_MIXTURE_MEAN = 100.0
NB_MIXTURE_PHI = (20.0, 5.0)


def affairs(rng: RngLike, n: int) -> pd.DataFrame:
    """Return the Fair survey of statsmodels."""
    from statsmodels.datasets import fair

    return pd.DataFrame(fair.load_pandas().data)


def anes96(rng: RngLike, n: int) -> pd.DataFrame:
    """Return the subset of the American National Election Study 1996 of statsmodels."""
    from statsmodels.datasets import anes96 as study

    return pd.DataFrame(study.load_pandas().data)


def esc_table(rng: RngLike, n: int) -> pd.DataFrame:
    """Return the simulated school census table with a fixed seed."""
    from synthlab.datasets.esc import make_esc_frame

    return make_esc_frame()


def nb_mixture(rng: RngLike, n: int) -> pd.DataFrame:
    """Draw n values from 0.7 NB(mu 100, phi 20) + 0.3 NB(mu 100, phi 5).

    Equations: Hu, Savitsky & Williams (5)

    The variance of each component is mu + mu^2 / phi.
    """
    generator = as_generator(rng)
    first = generator.random(n) < NB_MIXTURE_SHARE
    size = pd.Series(first).map({True: NB_MIXTURE_PHI[0], False: NB_MIXTURE_PHI[1]}).to_numpy()
    return pd.DataFrame({"outcome": generator.negative_binomial(size, size / (size + NB_MIXTURE_MEAN))})
