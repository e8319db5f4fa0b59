"""Sentences of the page of the replication on its tables, with the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from synthlab.replication.intruder.attacks import MEASURES
from synthlab.replication.intruder.settings import LIVE, MAIN, PLAIN, PRECISION, PROTOTYPE, SETTINGS, prior_name
from synthlab.replication.intruder.tables import label


def on_choice(held_out: pd.DataFrame) -> str:
    """Say how the main setting was chosen."""
    by: Any = held_out.drop_duplicates("setting").set_index("setting")
    priors = by[by.index.str.startswith("precision")]["log probability"]
    main = by.loc[MAIN]
    others = "; ".join(
        f"{name} {by.loc[name, 'log probability']:.2f}" for name in SETTINGS if name != MAIN and name in by.index
    )
    return (
        f"The facility of youths left out of the fit is predicted best with a {priors.idxmax()}; Table 1 uses {PRECISION:g}, whose mean "
        f"log probability of {main['log probability']:.4f} is {main['below best']:.4f} below the best (standard error {main['se']:.4f}). "
        f"The other settings are further below ({others}). Table 1 is set by this comparison, not by the numbers published."
    )


def on_weak_prior(prior: pd.DataFrame) -> str:
    """Say what a weak prior does."""
    priors = prior[prior["setting"].str.fullmatch(r"precision [\d.]+")]
    weakest = min(priors["setting"], key=lambda name: float(name.split()[1]))
    at_weakest = priors[priors["setting"] == weakest].set_index("row")["perceived, mean"]
    return (
        f"Perceived matches with fixed coefficients rise as the prior weakens (with {weakest}: {at_weakest['models, fixed']:.1f} with the "
        f"models released, {at_weakest['everything, fixed']:.1f} with everything), with drawn ones they do not "
        f"({at_weakest['models, drawn']:.1f} and {at_weakest['everything, drawn']:.1f})."
    )


def on_settings(settings: pd.DataFrame) -> str:
    """Say how many numbers lie inside under each setting."""
    several = settings[settings["repetitions"] > 1]
    named = [
        f"{int(rows['inside_95'].sum())} of {len(rows)} under {name} ({rows['repetitions'].iloc[0]} repetitions)"
        for name, rows in several.groupby("setting", sort=False)
    ]
    ever = several.groupby(["row", "m", "measure"], sort=False)["inside_95"].any()
    lost = [f"{label(row, m)}: {measure}" for row, m, measure in ever.index[~ever]]
    single = settings.loc[settings["repetitions"] == 1, "setting"].unique()
    one = f" One run, which has no interval: {', '.join(single)}." if len(single) else ""
    found = f"Inside under none: {'; '.join(lost)}." if lost else "Each is inside under at least one."
    return f"Numbers of the paper inside the 95 % prediction interval: {', '.join(named)}. {found}{one}"


def on_stops(runs: pd.DataFrame, nnet: pd.DataFrame) -> str:
    """Say which fits were stopped, and how near R's are."""
    one = runs.drop_duplicates(["setting", "repetition"]).groupby("setting", sort=False)[["stopped", "fits"]].sum()
    stopped = ", ".join(
        f"{name} {row['stopped']:.0f} of {row['fits']:.0f}" for name, row in one.iterrows() if row["stopped"]
    )
    same = nnet["largest difference of a probability"].max()
    ours = (
        f" The agency's fits by {nnet['source'].iloc[0]} and those here differ by at most {same:.0e} in a probability."
        if np.isfinite(same)
        else f" {nnet['source'].iloc[0]}: nothing here is R's own."
    )
    return f"Fits that were stopped before they were done: {stopped or 'none'}.{ours}"


def on_live(runs: pd.DataFrame, settings: pd.DataFrame) -> str:
    """Say what repetitions by R itself give, beside those by the equal fit here."""
    live = runs[(runs["setting"] == LIVE) & runs["row"].isin(settings["row"])]
    if live.empty:
        return "R with nnet was not there: no repetition is R's own."
    keys = ["row", "m", "measure"]
    numbers = live.melt(id_vars=["repetition", "row", "m"], value_vars=list(MEASURES), var_name="measure")
    both = numbers.merge(settings[settings["setting"] == "nnet"], on=keys)
    within = (both["value"] >= both["from"]) & (both["value"] <= both["to"])
    times = live["repetition"].nunique()
    found = (
        f"{int(within.sum())} of its {len(both)} numbers lie in the 95 % prediction intervals of the {both['repetitions'].iloc[0]} repetitions of nnet"
        if both["from"].notna().all()
        else f"with one repetition of nnet there is no interval to hold its {len(both)} numbers against"
    )
    return (
        f"{times} {'repetition is' if times == 1 else 'repetitions are'} by R's own nnet as well, from the same seeds: {found}. They need not be the "
        "same numbers, since a normal distribution is drawn by a root of its covariance, and a difference in the last digit "
        "may give another root of the same covariance. A repetition by R takes ten times as long as one here, so the others are by the equal fit."
    )


def on_widths(widths: pd.DataFrame, prior: pd.DataFrame) -> str:
    """Say why drawn coefficients spread more than in a prototype."""
    one, other = (row for _, row in widths.iterrows())
    name = prior_name(PROTOTYPE)

    def numbers(setting: str) -> str:
        found: Any = prior[prior["setting"] == setting].set_index("row")
        if found.empty:
            return "not run"
        return f"{found['perceived, mean']['probability']:.1f} and {found['expected, mean']['everything, drawn']:.1f}"

    return (
        f"Under precision {PROTOTYPE:g} an independent prototype of this study had 114.2 perceived matches with nothing released (m = 3; standard "
        f"deviation of a run 13.0) and 46.2 expected ones with everything drawn (4.2). Here: {numbers(name)}; with indicators of the "
        f"facility that are 0 and 1: {numbers(PLAIN)}. The two causes: (1) a standardised "
        f"indicator of one of many facilities is {one['prior sd of a facility'] / other['prior sd of a facility']:.1f} times as high as one of 0 "
        f"and 1, so the same precision lets a facility move the log odds of a race by a standard deviation of {one['prior sd of a facility']:.2f} "
        f"in place of {other['prior sd of a facility']:.2f}; drawn effects have {one['sd of drawn coefficients']:.2f} and "
        f"{other['sd of drawn coefficients']:.2f}. (2) The normal approximation. The {one['youths']:.0f} youths of the three rarest races "
        f"are {one['mode']:.0f} and {other['mode']:.0f} at the mode, as they are under the posterior itself (there the expected number is that of "
        f"the youths less the mean of the intercepts over the variance of their prior, at the mode too), but {one['drawn']:.0f} and "
        f"{other['drawn']:.0f} with coefficients drawn from the normal distribution and the real facilities; with drawn facilities as well "
        f"{one['drawn, drawn facility']:.0f} and {other['drawn, drawn facility']:.0f}. So what is too many is the error of the normal "
        f"approximation, and {one['drawn'] - other['drawn']:.0f} of the {one['drawn'] - one['mode']:.0f} youths too many come of the scale of "
        "the indicators, which leaves the coefficients wide enough for it."
    )


def on_imputations(imputed: pd.DataFrame) -> str:
    """Say how the unique youths depend on the missing answers."""
    shares = imputed["imputations"] / imputed["imputations"].sum()
    parts = [f"{unique} in {share:.0%}" for unique, share in zip(imputed["unique"], shares, strict=True)]
    return f"Over {imputed['imputations'].sum()} other draws of the missing answers the number of unique youths is {', '.join(parts)}."


def on_perceived(table: pd.DataFrame) -> str:
    """Say how the perceived risks compare."""
    rows = table[(table["measure"] == "perceived") & table["row"].str.contains("models|everything")]
    above = int((rows["published"] > rows["high"]).sum())
    return (
        f"In {above} of the 8 rows with models the paper's perceived risk is above all of those found here: the paper has "
        f"{rows['published'].min():g} to {rows['published'].max():g} youths with a match probability above 0.2, we "
        f"{rows['low'].min():g} to {rows['high'].max():g}."
    )


def on_limits(table: pd.DataFrame) -> str:
    """Say what infinitely many simulations would give."""
    rows = table[(table["measure"] == "expected") & table["limit"].notna()]
    gain = rows["limit"] / rows["mean"] - 1
    return (
        f"In the limit of infinitely many simulations the fixed-parameter intruder has {100 * gain.min():.0f} to {100 * gain.max():.0f} % "
        "more expected matches than with 100: noise in the match probabilities hides which is the largest."
        if np.isfinite(gain).all()
        else ""
    )
