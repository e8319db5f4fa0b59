"""The HTML page of the gamma family replication: figures with words, tables, no script, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthlab.replication.gamma_family import words
from synthlab.replication.gamma_family.figures import draw
from synthlab.replication.gamma_family.measures import BAR_SIZES
from synthlab.replication.gamma_family.mixing_distributions import say_average, say_laws, say_tolerances
from synthlab.replication.page import Shown, shown

if TYPE_CHECKING:
    from synthlab.replication.gamma_family.study import GammaFamilyResult

# Of the all-two-way model of variables with 20, 19 and 7 levels: intercept, main effects, products.
N_COEFFICIENTS = 1 + (19 + 18 + 6) + (19 * 18 + 19 * 6 + 18 * 6)


def page_content(result: GammaFamilyResult) -> dict[str, Any]:
    """Return what the template needs."""
    return {
        "figures": draw(result),
        "above": f"{int(result.sizes['cells'].iloc[-1]):,}",
        "m": result.m,
        "simulated": result.simulated,
        "bar_sizes": BAR_SIZES,
        "coefficients": N_COEFFICIENTS,
        "tables": _tables(result),
        "agreement": words.agreement(result.tau),
        "overlap": words.overlap(result.settings),
        "reference": words.reference(result.reference),
        "zeros": words.zeros(result.settings),
        "beyond": words.beyond(result.settings),
        "laws": say_laws(result.laws),
        "tolerances": say_tolerances(result.tolerances),
        "average": say_average(result.average),
    }


def _tables(result: GammaFamilyResult) -> dict[str, Shown]:
    settings = result.settings
    paper = settings[settings["group"].isin(["GAF", "NBI"])]
    expected = settings.dropna(subset=["tau3_1_expected"])
    tau = result.tau[result.tau["k"].isin([1, 10]) & result.tau["setting"].isin(paper["setting"])]
    return {
        "sizes": shown(result.sizes, "Table 2: cells by size.", {"count": "count", "cells": "cells", "percent": "% of cells"}),
        "map": shown(
            paper,
            "The points of Figure 7.",
            {
                "setting": "setting", "tau3_1": "tau3(1)", "tau4_1": "tau4(1)", "mse_occupied": "MSE, occupied",
                "utility_occupied": "utility, occupied", "mse": "MSE, all", "utility": "utility, all",
                "within_tenth_10": "10 within 10 %", "within_tenth_20": "20 within 10 %", "within_tenth_50": "50 within 10 %",
            },
        ),
        "tau": shown(
            tau,
            "tau metrics of sizes 1 and 10: a priori, measured, and the difference in standard errors; all are in tau.csv.",
            {
                "setting": "setting", "k": "k", "tau1_expected": "tau1", "tau1_measured": "measured", "tau1_z": "z",
                "tau3_expected": "tau3", "tau3_measured": "measured", "tau3_z": "z", "tau4_expected": "tau4",
                "tau4_measured": "measured", "tau4_z": "z",
            },
        ),
        "reference": shown(
            result.reference[(result.reference["k"] == 1) & result.reference["metric"].isin(["tau3", "tau4"])],
            "Size 1; all sizes are in reference.csv.",
            {"family": "family", "sigma": "sigma", "nu": "nu", "metric": "metric", "recorded": "R", "ours": "here"},
            digits=12,
        ),
        "loss": shown(
            expected,
            f"Squared loss of the mean of {result.m} tables: the paper's L1, the exact expectation, and as measured.",
            {
                "setting": "setting", "loss_paper": "L1", "loss_occupied_expected": "occupied, exact", "loss_occupied": "measured",
                "loss_empty_expected": "empty, exact", "loss_empty": "measured",
            },
        ),
        "totals": shown(
            expected,
            "The grand total: expected and measured mean, standard deviation, and the probability of being within 10,000 (exact mean; the paper's "
            "formula, with its - 1).",
            {
                "setting": "setting", "total_bare": "expected, no pseudocount", "total_expected": "expected", "total": "measured",
                "total_sd": "sd", "total_within": "P(within)", "total_within_paper": "paper",
            },
        ),
        "zeros": shown(
            settings,
            "Empty cells: the share that becomes non-zero, the largest count among them, and the share of synthetic ones that come from zeros.",
            {
                "setting": "setting", "zeros_raised_expected": "non-zero, a priori", "zeros_raised": "measured",
                "largest_from_zero": "largest", "ones_from_zeros": "ones from zeros", "loss_empty": "loss of empty cells",
            },
        ),
        "beyond": shown(
            settings[~settings["group"].isin(["GAF", "NBI"])],
            "Settings beyond the paper; epsilon in total is m times that of one table.",
            {
                "setting": "setting", "tau3_1": "tau3(1)", "tau4_1": "tau4(1)", "mse_occupied": "MSE, occupied", "mse": "MSE, all",
                "overlap_q50": "median overlap", "total": "total", "epsilon_total": "epsilon in total",
            },
        ),
        "laws": shown(
            result.laws,
            "Before anything is drawn, on the table: how many counts of 1, 5 and 10 stay what they are, and how many of the synthetic "
            "ones come from such a count. Last: the expected sum of the rounded 1, 2, ..., 10, divided by 55.",
            {
                "sigma": "sigma", "nu": "nu", "law": "before rounding", "one_to_zero": "1 to 0", "tau3_1": "tau3(1)", "tau4_1": "tau4(1)",
                "tau3_5": "tau3(5)", "tau4_5": "tau4(5)", "tau3_10": "tau3(10)", "tau4_10": "tau4(10)", "sum_of_ones_to_tens": "sum",
            },
        ),
        "tolerances": shown(
            result.tolerances,
            "tau3(k, d) and tau4(k, d) before anything is drawn, on the table.",
            {"setting": "setting", "d": "d", **{f"tau{i}_{k}": f"tau{i}({k}, d)" for k in (1, 5, 10) for i in (3, 4)}},
        ),
        "average": shown(
            result.average,
            "Quantiles over the coefficients of the interval overlap, each table analysed and combined, and the average analysed.",
            {
                "setting": "setting", "m": "m", "analysis": "analysis", "overlap_q05": "5 %", "overlap_q25": "25 %", "overlap_q50": "median",
                "overlap_q75": "75 %", "overlap_q95": "95 %", "overlap_undefined": "undefined",
            },
        ),
    }  # fmt: skip
