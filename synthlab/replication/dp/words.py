"""Sentences of the page with the numbers in them: what the paper does not show, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from synthlab.replication.dp.models import judged
from synthlab.replication.dp.sample_size import spread
from synthlab.replication.dp.settings import FITTED, MAIN, SETTINGS
from synthlab.replication.dp.tables import STUDIES

if TYPE_CHECKING:
    from synthlab.replication.dp.study import DPResult

ORDER = (
    "With x = 1 - f in [0, 1] for the mapped sensitivity f, 0.6 x - 0.1 is at most 0.5 x: at (0.6, -0.1) no record has more weight than at "
    "(0.5, 0). The paper has the larger bound at (0.6, -0.1) all the same. Read as c (x + g) the weight there is 0.6 x - 0.06, above 0.5 x for every x above "
    "0.6. That is not enough to tell: what a record adds to the bound is about its weight times its sensitivity, in these units c (x + g) (1 - x), at most 0.1215 at "
    "(0.6, -0.1) and 0.125 at (0.5, 0). So under this reading the two bounds are within a few percent of one another, which of them is the larger depends on "
    "the records near x = 1/2, and neither reading gives the published ratio, 7.30 / 6.09. The table has both. Against this one: the paper says a scaling and then a shift, and "
    "the code the authors published with a later paper computes c x + g. So the five settings elsewhere on this page are c x + g."
)
Look: TypeAlias = Mapping[tuple[str, str, float, float, str], float]


def all_words(result: DPResult) -> dict[str, str]:
    """Return every paragraph."""
    numbers, repetitions = result.numbers, result.repetitions
    keys = numbers[["study", "mechanism", "scale", "shift", "measure"]].itertuples(index=False, name=None)
    look: Look = dict(zip(keys, numbers["value"].to_numpy(), strict=True))
    return {
        "level": _level(look),
        "local": _local(look, repetitions),
        "barycenter": _barycenter(look),
        "why": _why(look),
        "one_weight": _one_weight(result.one_weight),
        "order": ORDER,
        "formula": _formula(look),
        "mapping": _mapping(look),
        "component": _component(look),
        "truncation": _truncation(look),
        "models": _models(result.models),
        "sizes": _sizes(result.sizes),
        "runs": f"{result.runs.loc[result.runs['study'] == FITTED, 'run'].nunique()}",
        "spread": f"{repetitions.loc[repetitions['kind'] == 'paper', 'run'].nunique()}",
    }


def _value(look: Look, study: str, mechanism: str, measure: str, setting: tuple[float, float] = MAIN) -> float:
    return float(look[(study, mechanism, *setting, measure)])


def _level(look: Look) -> str:
    value = _value(look, "income", "Unweighted", "value of the most sensitive record")
    return (
        f"Unweighted, the most sensitive consumer unit has an income of {value:,.0f} dollars: the bound is set by one record that the model "
        "hardly believes in, so other data, another model or another unit of the response give another level. What can be compared is "
        "the order of the settings and the two mechanisms at one bound."
    )


def _local(look: Look, repetitions: pd.DataFrame) -> str:
    bounds = {
        kind: repetitions[(repetitions["kind"] == kind) & (repetitions["mechanism"] == "Unweighted")]["lipschitz_bound"]
        for kind in ("paper", "sample")
    }
    dp = [
        (repetitions["kind"] == kind) & (repetitions["mechanism"] == "DP") & (repetitions["scale"] == 1)
        for kind in bounds
    ]
    weighted = [repetitions[chosen]["lipschitz_bound"] for chosen in dp]
    return (
        f"The same counts fitted again give an unweighted bound of {bounds['paper'].min():.1f} to {bounds['paper'].max():.1f}, and DPweighted (1, 0) one "
        f"of {weighted[0].min():.2f} to {weighted[0].max():.2f}: Monte-Carlo noise. {len(bounds['sample'])} datasets drawn anew from the same "
        f"population give {bounds['sample'].min():.1f} to {bounds['sample'].max():.1f} and {weighted[1].min():.2f} to {weighted[1].max():.2f}. "
        "That is what local means: the number belongs to the database it was computed from, and another database of the same size "
        "may need a larger one."
    )


def _three(look: Look, study: str, measure: str) -> str:
    """Write a number of three mechanisms."""
    names = {"Unweighted": "Unweighted", "DPweighted": "DP", "EMweighted": "EM"}
    found = [f"{name} {_short(_value(look, study, mechanism, measure))}" for name, mechanism in names.items()]
    return f"{study}: {', '.join(found)}"


def _barycenter(look: Look) -> str:
    parts, single = (
        [_three(look, s, f"90 % quantile, {m}") for s in STUDIES]
        for m in ("sd between datasets", "error of one dataset")
    )
    return (
        "Averaging quantile functions hides how much the datasets differ from one another, and that is where a scalar weight may hurt: its posterior is "
        f"wide. Standard deviation of the 90 % quantile between datasets: {'; '.join(parts)}. What one dataset is worth to its user is the "
        f"root mean squared error of a single one; of the 90 % quantile: {'; '.join(single)}."
    )


def _why(look: Look) -> str:
    parts = [_three(look, study, "90 % quantile, error") for study in STUDIES]
    return (
        "In the two simple models, the counts and the one regression, one weight for all keeps the centre of the posterior: EMweighted repeats "
        "the unweighted model, its misfit with it, only more noisily. Record weights turn down the records the model does not believe, those in the "
        "tails, and so move the fit towards the crowd. That takes DPweighted away from the unweighted model; whether it takes it towards the data "
        "depends on which way the model is wrong. Error of the 90 % quantile, mean "
        f"of the datasets less the data: {'; '.join(parts)}. The incomes are one run each: a standard error of these means is the spread between "
        "datasets over the root of their number."
    )


def _one_weight(table: pd.DataFrame) -> str:
    """Say what one weight for all does to a mixture, and what is not the cause."""
    means = table.groupby(["classes", "weight"]).mean(numeric_only=True)
    classes = int(table["classes"].max())
    weights = sorted(set(table["weight"]), reverse=True)
    name = "90 % quantile, {}, error"

    def row(classes: int, column: str, form: str = "{:+,.0f}") -> str:
        return ", ".join(form.format(means.loc[(classes, w), column]) for w in weights)

    predictive = name.format("predictive")
    of_mixture = table[table["classes"] == classes].groupby("weight")
    lowest, highest, rhat = of_mixture[predictive].min(), of_mixture[predictive].max(), of_mixture["R-hat, max"].max()
    own, more = means.loc[(1, weights[0]), predictive], means.loc[(1, weights[-1]), predictive]
    ranges = "; ".join(f"{lowest[w]:+,.0f} to {highest[w]:+,.0f}" for w in weights)
    return (
        f"A mixture is another matter. Under one weight for all of {', '.join(f'{w:g}' for w in weights)} the mixture that was chosen (K = {classes}, {table['run'].nunique()} "
        f"runs) misses the 90 % quantile by {row(classes, predictive)} dollars, and one regression on the same scale by {row(1, predictive)}: with a small weight the "
        f"mixture errs as one regression does. Its components are no longer two that differ: the largest has {row(classes, 'largest component', '{:.1%}')} of the records, and the "
        f"residual sd of the other is {row(classes, 'sd of the others', '{:.2f}')} times its own. It is left with nearly all records, or with an equal. A record counts in the "
        "sizes of the components in full, but only with its weight in what tells the components apart. Other causes: "
        f"(1) the posterior gets wider with a small weight; one regression, whose posterior does too, is off by {own:+,.0f} without any weight already, and by {more - own:+,.0f} more at "
        "the smallest, and that much is its width; (2) the component of a "
        f"synthetic record may be drawn given its own income, with errors of {row(classes, name.format('record'))}: the same; (3) the chains: the largest R-hat is "
        f"{', '.join(f'{rhat[w]:.2f}' for w in weights)}, so where the components are alike shares and sds are what these chains saw; but the errors of the runs lie at {ranges}, "
        "so chance between chains is not what makes them."
    )


def _formula(look: Look) -> str:
    parts = []
    for study in STUDIES:
        wanted = _value(look, study, "DP", "lipschitz_bound")
        reached = _value(look, study, "EM", "bound of the formula's weight")
        weight, formula = _value(look, study, "EM", "weight, mean"), _value(look, study, "EM", "formula's weight")
        parts.append(
            f"{study}: wanted {wanted:.3g}, the formula's weight {formula:.3f} reaches {reached:.3g}, the weight {weight:.3f} is needed"
        )
    return (
        "The formula alpha = epsilon / (2 Delta) takes Delta from the unweighted posterior. The weighted one is wider, so that Delta grows; and a mixture "
        "may find other components under the weight, so that Delta falls. "
        f"{'; '.join(parts)}. Every EMweighted here is at the bound it achieves."
    )


def _mapping(look: Look) -> str:
    parts = []
    for study in STUDIES:
        ours, other = (_value(look, study, m, "lipschitz_bound") for m in ("DP", "DP maximum"))
        weights = [_value(look, study, m, "weight, mean") for m in ("DP", "DP maximum")]
        parts.append(
            f"{study}: {ours:.3g} becomes {other:.3g}, the mean weight {weights[0]:.2f} becomes {weights[1]:.2f}"
        )
    return (
        "The paper maps sensitivities linearly to [0, 1] and does not say which line. Here the smallest goes to 0 and the largest to 1. "
        f"Dividing by the largest instead lowers every weight; at (1, 0) the bound changes: {'; '.join(parts)}."
    )


def _component(look: Look) -> str:
    study = "income, component"
    settings = [s for s in SETTINGS if (study, "DP", *s, "lipschitz_bound") in look]
    parts = [
        f"({s[0]:g}, {s[1]:g}) {_value(look, study, 'DP', 'lipschitz_bound', s):.3g}, where the weight times |log-likelihood| "
        f"would say {_value(look, study, 'DP', 'largest weight x |log-likelihood|', s):.3g}"
        for s in settings
    ]
    value = _value(look, study, "DP", "value of the most sensitive record", settings[1])
    return (
        "A mixture can be weighted in two ways. With the weight on the density of the record's own component the record's say in the sizes "
        "of the components keeps its full weight, and what it adds to the log pseudo posterior, the log of the sum of pi_k times the "
        "component density to the power of the weight, does not vanish with the weight. Unweighted "
        f"{_value(look, study, 'Unweighted', 'lipschitz_bound'):.3g}; DPweighted {'; '.join(parts)}. At {settings[1]} the most sensitive record "
        f"has an income of {value:,.0f} dollars. As long as a small component lives from a few such records the bound does not follow the "
        "weights; where the component dies out, it does. So the study above weights the density of the mixture."
    )


def _truncation(look: Look) -> str:
    parts = []
    for study in STUDIES:
        for mechanism in ("Unweighted", "DP"):
            kept, whole = (_value(look, study, mechanism, f"lipschitz_bound{t}") for t in ("", ", all draws"))
            parts.append(f"{study}, {mechanism}: {kept:.3g} with and {whole:.3g} without")
    return (
        f"Dropping the 5 % of draws with the largest values: {'; '.join(parts)}. The quantile is taken in both fits: the weights come from the draws of "
        "the unweighted fit that are kept, and the bound, the epsilon and every release from those of the weighted fit that are kept. So each bound "
        "in the table is of 95 % of the draws of its refit, and what the other 5 % would add is not in it. That cut is computed from the confidential "
        "values and not paid for."
    )


def _models(models: pd.DataFrame) -> str:
    table = judged(models)
    chosen = table[table["chosen"]].iloc[0]
    mixtures = table[table["classes"] > 1]
    top = table.iloc[table["log score"].argmax()]
    fitting = int(mixtures["fits"].sum())
    rule = (
        f"Before mechanisms are compared the model must fit without weights: the mean of {int(chosen['releases'])} unweighted releases within one standard error "
        "of the confidential mean, and of the confidential 90 % quantile, with either way of drawing the component, because both are compared below. One release "
        "of a right model misses that about half the time. Of the mixtures that pass, the one with the highest log score on the half of the records that it was "
        "not fitted to is taken. No mechanism had been run on any of them when it was taken. The score is the mean log density of a positive income in dollars, "
        "over both halves; log has the positive incomes alone, keeps losses and zeros as they are, and promises nothing for these. Shown for comparison: one "
        "regression with normal residuals, which is no mixture, and with resampled ones, which have no likelihood and so no mechanism. "
    )
    best = f"The highest score of all has {top['scale']}, K = {int(top['classes'])}, with {top['log score']:.4f}. "
    if not fitting:
        return rule + best + "No mixture passes, so no statement about what the incomes keep can be tested."
    return (
        f"{rule}{best}{fitting} of {len(mixtures)} mixtures pass, and of those {chosen['scale']}, K = {int(chosen['classes'])}, with {chosen['log score']:.4f}: that "
        f"is the study of income below. R-hat is above 1.1 for {int((mixtures['R-hat, max'] > 1.1).sum())} of the mixtures: their rows say what these chains saw."
    )


def _sizes(sizes: pd.DataFrame) -> str:
    table = spread(sizes)
    parts = [
        f"n = {int(row['n']):,}: {row['Unweighted, mean']:.1f} (sd {row['Unweighted, std']:.2f}), DPweighted {row['DP, mean']:.2f} (sd {row['DP, std']:.2f})"
        for _, row in table.iterrows()
    ]
    first, last = table.iloc[0], table.iloc[-1]
    return (
        "Theorem 3 says that a local bound, where there is one, becomes global as n grows, at the rate of the root of n. Databases drawn anew from the population "
        f"of the counts, {int(first['databases'])} a size: {'; '.join(parts)}. From the smallest to the largest size the root of n grows by "
        f"{np.sqrt(last['n'] / first['n']):.0f}; the unweighted bound goes from {first['Unweighted, mean']:.1f} to {last['Unweighted, mean']:.1f}, its spread between databases "
        f"from {first['Unweighted, std']:.2f} to {last['Unweighted, std']:.2f}. A count has no largest value and the log density falls without end, so there is no "
        "finite bound to reach: the largest of more records lies further out."
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if np.abs(value) >= 100 else f"{value:.3g}"
