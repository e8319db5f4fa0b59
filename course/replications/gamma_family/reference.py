"""The tau metrics of the published cell sizes, recorded from R and computed here."""

from __future__ import annotations

import numpy as np
import pandas as pd

import synthlab.counts as slc
from synthlab.datasets.esc import CELLS_ABOVE, CELLS_BY_SIZE
from synthlab.datasets.files import packaged_file

REFERENCE = "reference/tau_metrics_esc_cells_0_to_10.csv"


def check_reference() -> pd.DataFrame:
    """Compute the recorded tau metrics of the published cell sizes again.

    Returns
    -------
    pandas.DataFrame
        One row per setting, size and metric: ``recorded`` (R's gamlss.dist), ``ours``, ``relative_difference``. tau1 and
        tau4 count the arrivals from cells of size 0 to 10 alone, because the sizes above are not published.
    """
    with packaged_file(REFERENCE).open("rb") as file:
        recorded = pd.read_csv(file, skipinitialspace=True)
    sizes = np.arange(len(CELLS_BY_SIZE))
    cells = np.array(CELLS_BY_SIZE, dtype=float)
    n = cells.sum() + CELLS_ABOVE
    means = np.where(sizes > 0, sizes, 0.01)
    rows = []
    for (name, sigma, nu), part in recorded.groupby(["family", "sigma", "nu"], dropna=False, sort=False):
        family = slc.GAF(means, sigma, nu) if name == "GAF" else slc.NBI(means, sigma)
        k = part["k"].to_numpy()
        arrival = family.pmf(k[:, None])
        tau1, tau2, tau3 = arrival @ cells / n, cells[k] / n, arrival[np.arange(k.size), k]
        values = {"tau1": tau1, "tau2": tau2, "tau3": tau3, "tau4": tau2 * tau3 / tau1}
        for metric, ours in values.items():
            column = metric + ("_from_cells_0_to_10" if metric in ("tau1", "tau4") else "")
            setting = {"family": name, "sigma": sigma, "nu": nu, "k": k, "metric": metric}
            rows.append(pd.DataFrame({**setting, "recorded": part[column].to_numpy(), "ours": ours}))
    frame = pd.concat(rows, ignore_index=True)
    frame["relative_difference"] = ((frame["ours"] - frame["recorded"]) / frame["recorded"]).abs()
    return frame
