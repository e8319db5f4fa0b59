"""Propensity score: how well a classifier detects synthetic records."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from synthlab._format import listed, three_digits
from synthlab._warnings import quiet, warn
from synthlab.exceptions import SeparationWarning, TermsLeftOutWarning
from synthlab.report.evaluation_inputs import Question
from synthlab.report.measure import COLUMNS, Answer, Line, Measure, Row, Shown, Write, draw, rated
from synthlab.utility import PmseResult, pmse
from synthlab.utility._design import pmse_refuses
from synthlab.utility._frames import looks_measured

# With more columns than this, the classifier omits two-way products.
WIDEST = 200
# Largest pMSE ratios that are rated good (hardly a difference) and fair (some difference): Raab, Nowok and Dibben (2021).
SIMILAR, DIFFERENT = 3.0, 10.0
UNLIKELY = 1e-3  # probability of such a small pMSE in independent synthetic data


class Pmse(Measure[PmseResult]):
    """PMSE and its ratio to the expected value under a correct synthesizer."""

    name = "pmse"
    title = "pMSE"
    section = "utility"
    numbers = ("pmse", "pmse_ratio")
    asks_intruder = False

    def left_out(self, question: Question) -> list[str]:
        """Name the variables and products that the classifier omits, and warn about them."""
        lost = [text for text in (*question.once(refused).values(), _too_wide(question)) if text]
        for text in lost:
            warn(f"{self.title}: {text}", TermsLeftOutWarning)
        return [f"{text}." for text in lost]

    def applies(self, question: Question) -> str | None:
        """Require a variable that the classifier can use."""
        return None if seen(question) else "none of the variables can be used."

    def compute(self, question: Question) -> PmseResult:
        """Train the classifier, with two-way products unless the design is too wide."""
        names = seen(question)
        with quiet(SeparationWarning):  # the line of the page names the datasets
            return pmse(
                question.confidential,
                question.release,
                variables=names,
                categorical=[c for c in question.categorical if c in names],
                model=question.model,
                order=1 if question.model != "logistic" or len(names) < 2 or _too_wide(question) else 2,
                missing="raise" if question.intruder.missing == "raise" else "category",
                rng=question.rng,
            )

    def rows(self, result: PmseResult, question: Question) -> list[Row]:
        """Return pMSE and its ratio; both are 0 for the confidential data."""
        return [
            Row("pmse", "pMSE", per_dataset=result.pmse, confidential=0.0, hidden=COLUMNS),
            Row("pmse_ratio", "pMSE ratio", per_dataset=result.ratio, confidential=0.0, digits=1),
        ]

    def lines(self, result: PmseResult, question: Question, people: Write) -> list[Line]:
        """State the variables of the classifier and the size of the difference."""
        value, ratio = float(result.pmse.mean()), _ratio(result, question)
        shown = three_digits(ratio)
        return [
            Line(
                "Can a classifier tell them apart: pMSE " + ("ratio" if question.publish else "and its ratio"),
                shown if question.publish else f"{three_digits(value)} and {shown}",
                "0" if question.publish else "0 and 0",
                f"{_classifier(result, question.average)} {apart(ratio, shown)}{'' if question.publish else _separated(result)}",
            )
        ]

    def answers(self, result: PmseResult, question: Question, people: Write) -> list[Answer]:
        """Rate the ratio, unless the classifier omits products of variables."""
        ratio = _ratio(result, question)
        if math.isnan(ratio) or _omits_products(result):
            return []
        found = f"pMSE ratio {three_digits(ratio)}"
        return [rated("All variables (classifier)", found, "1 to 2", ratio, SIMILAR, DIFFERENT)]

    def too_good(self, result: PmseResult, question: Question) -> str | None:
        """Report a release that agrees with the data better than a draw would."""
        from scipy import stats

        ratio, df = float(result.ratio.mean()), int(result.null_df.min())
        if _omits_products(result):
            return None  # equal margins look too good even if the values are permuted
        made = set(question.release.synthesized or ()) & set(result.variables)
        if made and not result.pmse.any():
            return "the classifier sees no difference at all: the release might contain the confidential records"
        if math.isnan(ratio) or not df or float(stats.chi2.cdf(df * ratio, df)) >= UNLIKELY:
            return None
        return (
            f"the classifier sees a smaller difference (pMSE ratio {three_digits(_ratio(result, question))}) than between two independent samples: the "
            "release might contain confidential records"
        )

    def to_dict(self, result: PmseResult, question: Question, *, publish: bool) -> dict[str, Any]:
        """Return pMSE, its null distribution, and the terms of the classifier; for publication, only the terms."""
        if publish:
            return {"terms": result.terms, "left_out": result.left_out}
        return {
            "sentence": result.title,
            "terms": result.terms,
            "left_out": result.left_out,
            "per_dataset": result.to_frame().to_dict("list"),
        }

    def show(self, result: PmseResult, question: Question, *, show_values: bool, publish: bool) -> Shown:
        """Draw pMSE of each dataset and its null distribution; nothing for publication."""
        if publish:
            return Shown()
        from synthlab.plots.utility import plot_propensity

        null = float(result.null_mean.mean())
        picture = draw(
            lambda ax: plot_propensity(result, ax, data=question.data_kind),
            "pMSE of each synthetic dataset; gray: a correct synthesizer with fixed parameters, plus or minus two standard "
            "deviations.",
            f"The pMSE of {result.m} synthetic datasets lies between {result.pmse.min():.2g} and {result.pmse.max():.2g}. Its "
            f"expected value is {null:.2g} under a correct synthesizer with fixed parameters, and about {2 * null:.2g} under one "
            "that draws new parameters for each dataset.",
        )
        return Shown((picture,))


def refused(question: Question) -> dict[str, str]:
    """Return the variables that the classifier cannot use, each with the reason."""
    data = question.confidential, question.release.frames
    reasons = {name: pmse_refuses(*data, name, question.categorical) for name in question.variables}
    return {name: reason.removeprefix("variables: ") for name, reason in reasons.items() if reason is not None}


def seen(question: Question) -> list[str]:
    """Return the variables that the classifier and the tables can use."""
    return [c for c in question.variables if c not in question.once(refused)]


def _too_wide(question: Question) -> str | None:
    """State why two-way products are omitted from the logistic regression, or None."""
    names, frame = seen(question), question.confidential
    if question.model != "logistic" or len(names) < 2:
        return None
    sizes = [1 if looks_measured(frame[c]) and c not in question.categorical else frame[c].nunique() for c in names]
    width = sum(sizes) + (sum(sizes) ** 2 - sum(s**2 for s in sizes)) // 2
    widest = min(WIDEST, (question.n + question.release.n) // 10)
    if width <= widest:
        return None
    return (
        f"the classifier sees the {len(names)} variables one by one; their {math.comb(len(names), 2):,} two-way products would "
        f"make {width:,} columns, more than {widest:,}, and are omitted, so a lost relation between two variables is not "
        'detected; name fewer variables, or use model="cart"'
    )


def _ratio(result: PmseResult, question: Question) -> float:
    """Return the mean ratio; with one digit for publication, because each record affects the classifier."""
    ratio = float(result.ratio.mean())
    return float(f"{round(ratio, 9):.1g}") if question.publish else ratio


def _omits_products(result: PmseResult) -> bool:
    return result.order == 1 and len(result.variables) > 1 and result.model == "logistic"


def _classifier(result: PmseResult, average: str) -> str:
    """Explain the classifier and pMSE."""
    what = "1 variable" if len(result.variables) == 1 else f"{len(result.variables)} variables"
    tree = "A classification tree" if result.model == "cart" else "A logistic regression"
    products = " and their two-way products" if result.order == 2 else ""
    if result.model == "logistic" and result.order == 1 and len(result.variables) > 1:
        products = " one by one, without their products,"
    return (
        f"{tree} uses {what}{products} to estimate for every record the probability that it is synthetic. pMSE is the mean "
        f"squared difference between this probability and {three_digits(result.share_synthetic)}, the share of synthetic "
        f"records{average}."
    )


def _separated(result: PmseResult) -> str:
    """Name the datasets in which some records are separated perfectly."""
    found = [str(number) for number in np.flatnonzero(result.separated) + 1]
    if not found:
        return ""
    where = f"dataset {found[0]} of {result.m}" if len(found) == 1 else f"datasets {listed(found)} of {result.m}"
    return (
        f" In {'the release' if result.m == 1 else where}, the classifier separates some records perfectly; the pMSE is a limiting value there, and "
        "the ratio is only approximate."
    )


def apart(ratio: float, text: str) -> str:
    """Explain a pMSE ratio, which is written as `text`.

    A correct synthesizer that draws its parameters has a ratio of about 2 if the files have the same size.
    """
    if math.isnan(ratio):
        return "The ratio is not defined here: no variable of the classifier was changed."
    return (
        f"The ratio compares it with chance: pMSE is {text} times its expected value under a correct synthesizer "
        "with fixed parameters. A correct synthesizer that draws new parameters for each dataset, as Bayesian synthesizers do, "
        "has a ratio of about 2. Both values assume a classifier with exactly the terms of the model. This classifier "
        f"{_sees(ratio)}{'' if ratio <= DIFFERENT else ': relations were lost or distorted'}."
    )


def _sees(ratio: float) -> str:
    """State the size of the difference."""
    return (
        "hardly sees a difference"
        if ratio <= SIMILAR
        else "sees some difference"
        if ratio <= DIFFERENT
        else "sees a difference"
    )
