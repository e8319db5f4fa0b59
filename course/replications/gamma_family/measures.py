"""The computing behind the replication of the gamma family paper: one setting at a time, small tables out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import synthlab.counts as slc
from replications.gamma_family.overlap import measure_overlap, summarize_overlap
from replications.gamma_family.settings import FLAT, RIVAL, SHOWN, Setting
from synthlab._warnings import quiet
from synthlab.exceptions import PseudocountWarning

DISTANCE = 10_000
SIZES = tuple(range(1, 11))
BAR_SIZES = (1, 5, 10, 20)
ORIGINALS = (1, 5, 10, 20, 50)
TAUS = ("tau1", "tau3", "tau4")


@dataclass(frozen=True, slots=True)
class Measured:
    """One setting: a row of numbers; rows by size; the bars and the ten counts of the settings shown, else empty."""

    row: dict[str, Any]
    tau: pd.DataFrame
    bars: pd.DataFrame
    ten_counts: pd.DataFrame


def measure(
    table: slc.Table,
    setting: Setting,
    m: int,
    rng: np.random.Generator,
    *,
    model: pd.DataFrame,
    cells: dict[int, int],
) -> Measured:
    """Synthesize the table m times under one setting, and measure.

    `model` holds the confidential coefficients, `cells` the flat indices of the cells of Figure 3, by their size.
    """
    with quiet(PseudocountWarning):
        # That the pseudocount fails is one of the results, measured below.
        model_of_means: Any = "saturated" if setting.fit is None else setting.fit
        synthetic = slc.synthesize_table(table, setting.family, model=model_of_means, m=m, rng=rng, **setting.zeros)
        expected = slc.expected_tau(table, setting.family, k=SIZES, **setting.zeros) if setting.fit is None else None
        a_priori = _a_priori(table, setting, m)
    measured = slc.tau(table, synthetic, k=SIZES)
    transitions = slc.size_transitions(table, synthetic)
    summary = measured.summary().set_index("k")
    row = {
        "setting": setting.label,
        "group": setting.group,
        "m": m,
        "tau3_1": summary.loc[1, "tau3"],
        "tau4_1": summary.loc[1, "tau4"],
        "tau3_1_expected": np.nan if expected is None else expected.tau3[0],
        "tau4_1_expected": np.nan if expected is None else expected.tau4[0],
        "epsilon_total": m * float(np.asarray(getattr(setting.family, "epsilon", np.nan))),
        **_losses(table, synthetic),
        "total": float(np.mean([one.total for one in synthetic])),
        **a_priori,
        **_zeros(table, setting, transitions, m),
        **_closeness(transitions),
        **summarize_overlap(measure_overlap(model, synthetic)),
    }
    return Measured(
        row,
        _compare_tau(setting.label, expected, measured, m),
        _bars(table, setting, transitions) if setting.label in (SHOWN, RIVAL) else pd.DataFrame(),
        _ten(synthetic, cells, setting.label) if setting.label in (FLAT, SHOWN, RIVAL) else pd.DataFrame(),
    )


def _a_priori(table: slc.Table, setting: Setting, m: int) -> dict[str, float]:
    """Return loss and grand total before anything is drawn; NaN for means that are not the counts themselves."""
    names = (
        *("loss_occupied_expected", "loss_paper", "loss_empty_expected", "total_expected", "total_sd"),
        *("total_within", "total_within_paper", "total_bare", "total_bare_sd"),
    )
    if setting.fit is not None:
        return dict.fromkeys(names, np.nan)
    loss = slc.expected_loss(table, setting.family, m=m, **setting.zeros)
    total = slc.total_within(table, setting.family, DISTANCE, **setting.zeros)
    bare = _bare_total(table, setting.family)
    values = (
        *(loss.occupied, loss.approximation, loss.empty, total.mean, total.sd),
        # The sum is exact to about 1e-10: what is beyond has no meaning.
        *(round(total.probability, 10), total.approximation, *bare),
    )
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def _bare_total(table: slc.Table, family: slc.CountFamily) -> tuple[float, float]:
    """Return mean and standard deviation of the grand total without a pseudocount: what rounding alone does to it."""
    sizes, cells = table.sizes()
    drawn = (sizes > 0) | family.takes_zero
    at = family.at(sizes[drawn].astype(np.float64))
    return float(cells[drawn] @ at.mean), float(np.sqrt(cells[drawn] @ at.var))


def _losses(table: slc.Table, synthetic: slc.SynthesizedTables) -> dict[str, float]:
    """Return the squared loss of the mean of the tables, and it a cell."""
    found = slc.squared_loss(table, synthetic)
    occupied = found.of_mean - found.of_mean_empty
    return {
        "loss_occupied": occupied,
        "loss_empty": found.of_mean_empty,
        "mse_occupied": occupied / found.n_cells,
        "mse": found.mse,
    }


def _zeros(table: slc.Table, setting: Setting, transitions: pd.DataFrame, m: int) -> dict[str, float]:
    """Return what became of the empty cells."""
    empty = transitions[transitions["confidential"] == 0]
    raised = empty[empty["synthetic"] > 0]
    to_one = raised.loc[raised["synthetic"] == 1, "cells"].sum()
    from_all = transitions.loc[transitions["synthetic"] == 1, "cells"].sum()
    return {
        "zeros_raised": float(raised["cells"].sum() / m / (table.n_cells - table.n_occupied)),
        "zeros_raised_expected": _expected_raised(setting),
        "largest_from_zero": float(raised["synthetic"].max()) if len(raised) else 0.0,
        "ones_from_zeros": float(to_one / from_all) if from_all else np.nan,
    }


def _expected_raised(setting: Setting) -> float:
    """Return the probability that an empty cell becomes non-zero; NaN for means that are not the counts themselves."""
    if setting.fit is not None:
        return np.nan
    drawn = setting.pseudocount > 0 or setting.family.takes_zero
    by_family = float(setting.family.at(setting.pseudocount).sf(0)) if drawn else 0.0
    return setting.zeros_to_ones + (1 - setting.zeros_to_ones) * by_family


def _closeness(transitions: pd.DataFrame) -> dict[str, float]:
    """Return how often a count of 10, 20 or 50 comes back within a tenth of itself, and its root mean square error."""
    out = {}
    for size in (10, 20, 50):
        rows = transitions[transitions["confidential"] == size]
        away = rows["synthetic"] - size
        out[f"within_tenth_{size}"] = rows.loc[away.abs() <= 0.1 * size, "cells"].sum() / rows["cells"].sum()
        out[f"rmse_{size}"] = float(np.sqrt((away**2 * rows["cells"]).sum() / rows["cells"].sum()))
    return out


def _compare_tau(label: str, expected: slc.ExpectedTau | None, measured: slc.TauResult, m: int) -> pd.DataFrame:
    """Return measured and a priori metrics by size, with the binomial error of the measured ones."""
    summary = measured.summary()
    frame = pd.DataFrame({"setting": label, "k": summary["k"], "tau2": summary["tau2"]})
    errors = None if expected is None else expected.standard_errors(m)
    for name in TAUS:
        frame[f"{name}_measured"] = summary[name]
        if expected is not None and errors is not None:
            frame[f"{name}_expected"] = getattr(expected, name)
            frame[f"{name}_error"] = errors[name]
            frame[f"{name}_z"] = (summary[name] - getattr(expected, name)) / errors[name]
    return frame


def _bars(table: slc.Table, setting: Setting, transitions: pd.DataFrame) -> pd.DataFrame:
    """Return where counts of 1, 5, 10, 20 went, and where synthetic counts of 1, 5, 10, 20 came from."""
    sizes, cells = table.sizes()
    means = np.where(sizes > 0, sizes, setting.pseudocount)
    frames = []
    for k in BAR_SIZES:
        for given, other in (("confidential", "synthetic"), ("synthetic", "confidential")):
            rows = transitions[transitions[given] == k].groupby(other)["cells"].sum()
            values = np.arange(3 * k + 12)
            share = rows.reindex(values, fill_value=0) / rows.sum()
            if given == "confidential":
                expected = setting.family.at(k).pmf(values)
            else:
                weight = cells * setting.family.at(means).pmf(k)
                expected = pd.Series(weight / weight.sum(), index=sizes).reindex(values, fill_value=0.0).to_numpy()
            columns = {"other": values, "share": share.to_numpy(), "expected": expected}
            frames.append(pd.DataFrame({"setting": setting.label, "given": given, "k": k, **columns}))
    return pd.concat(frames, ignore_index=True)


def _ten(synthetic: slc.SynthesizedTables, cells: dict[int, int], label: str) -> pd.DataFrame:
    """Return the synthetic counts of the cells of Figure 3."""
    rows = [
        {"setting": label, "original": size, "dataset": number, "synthetic": int(t.at(np.array([cell]))[0])}
        for size, cell in cells.items()
        for number, t in enumerate(synthetic, start=1)
    ]
    return pd.DataFrame(rows)


def curves() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return Figure 1 (variance against mean, sigma = 1) and Figure 2 (the gamma and its rounding, mu = 10)."""
    mu = np.arange(1.0, 51.0)
    variance, density = [], []
    for nu in (0.0, -0.25, -0.5):
        family = slc.GAF(mu, 1.0, nu)
        frame = {
            "nu": nu,
            "mu": mu,
            "variance": family.nominal_var,
            "variance_rounded": family.var,
            "mean_rounded": family.mean,
        }
        variance.append(pd.DataFrame(frame))
        at = slc.GAF(10.0, 1.0, nu)
        w, y = np.linspace(5.0, 15.0, 201), np.arange(5, 16)
        for kind, x, value in (("density", w, at.continuous.pdf(w)), ("cell", y, at.pmf(y))):
            density.append(pd.DataFrame({"nu": nu, "kind": kind, "x": x, "value": value}))
    return pd.concat(variance, ignore_index=True), pd.concat(density, ignore_index=True)


def choose_cells(table: slc.Table, rng: np.random.Generator) -> dict[int, int]:
    """Return one cell of each size of Figure 3, drawn at random."""
    return {size: int(rng.choice(table.cells[table.counts == size])) for size in ORIGINALS}
