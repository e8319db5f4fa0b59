"""Statements of the lectures about a paper, computed again under every recorded fit and on every recorded file."""

from __future__ import annotations

import functools
import json

import numpy as np

from replications.intruder.claims import check_claims
from replications.intruder.settings import FIT, SETTINGS
from replications.registry import find
from tests.loops import every

SIZES = (2, 3, 10)


@functools.cache
def recorded(study, table):
    """Return a table of a recorded run."""
    return find(study).read(table)


def text_of(root, name):
    """Return the text of the markdown cells of a notebook."""
    notebook = json.loads((root / "course" / f"{name}.ipynb").read_text(encoding="utf-8"))
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


def span(values, digits=0):
    """Return the smallest and the largest value as text."""
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def table_1(fit, column="mean", measure="expected"):
    rows = recorded("intruder", "settings").query("setting == @fit and measure == @measure")
    return rows.set_index(["row", "m"])[column]


def way_of_the_form(fit, column="mean"):
    """Return how far the form of the models takes the intruder from nothing to everything, in percent."""
    table = table_1(fit, column)
    most = table["everything, fixed", 0]
    low = np.array([table["probability", m] for m in SIZES])
    return 100 * (np.array([table["models, fixed", m] for m in SIZES]) - low) / (most - low)


def numbers_of(measure):
    """Return a measure with released models under all fits."""
    return [
        table_1(fit, measure=measure)[f"models, {how}", m]
        for fit in SETTINGS
        for how in ("fixed", "drawn")
        for m in SIZES
    ]


def everything(how, fits):
    return [table_1(fit)[f"everything, {how}", 0] for fit in fits]


def ratios(statistic, case):
    """Return the ratio of a statistic to the data on the five files of real incomes, in percent of change."""
    table = recorded("real-incomes", "ratios")
    row = table[(table["measure"] == f"{statistic}, ratio") & (table["of"] == case)].drop(
        columns=["measure", "of", "stand-in"]
    )
    return 100 * (row.iloc[0].astype(float) - 1)


def bounds(mechanism):
    table = recorded("real-incomes", "bounds")
    row = table[(table["measure"] == "Lipschitz bound") & (table["of"] == mechanism)]
    return row.drop(columns=["measure", "of", "stand-in"]).iloc[0].astype(float)


def mean_bound(study, mechanism):
    """Return the Lipschitz bound at scale 1 and shift 0, on average over the runs."""
    if study == "counts":
        rows = recorded("dp", "numbers").query("measure == 'lipschitz_bound'")
        values = rows.query("study == @study and mechanism == @mechanism and scale == 1 and shift == 0")["value"]
    else:
        rows = recorded("dp", "runs").query("study == @study and mechanism == @mechanism and scale == 1 and shift == 0")
        values = rows["lipschitz_bound"]
    return f"{values.mean():.1f}"


def clipped(means):
    """Return U_m of the clipped divided by that of the weighted mechanism, for every kind of file and scale."""
    runs = recorded("strict", "mechanisms")
    by = ["case", "scale"] if means else ["case", "repetition", "scale"]
    table = runs[runs["scale"] > 0].pivot_table(index=by, columns="mechanism", values="U_m", dropna=False)
    return (table["clipped"] / table["weighted"]).dropna()


OTHERS = [fit for fit in SETTINGS if fit != FIT]
MIXTURE = "income, fitted"

# Notebook, text, and a function that returns the numbers of the text, in their order.
STATEMENTS = [
    (
        "10b_published_models",
        "In the paper's Table 1, {}% of the way. Our five fits give {}%",
        lambda: (
            span(way_of_the_form(FIT, "published")),
            span(np.concatenate([way_of_the_form(fit) for fit in SETTINGS])),
        ),
    ),
    (
        "10b_published_models",
        "Table 1 gives {}%, and our five fits {}%.",
        lambda: (
            span(way_of_the_form(FIT, "published")),
            span(np.concatenate([way_of_the_form(fit) for fit in SETTINGS])),
        ),
    ),
    (
        "10b_published_models",
        "Under the five fits, {} youths have such a probability, and {} are identified.",
        lambda: (span(numbers_of("perceived")), span(numbers_of("true"))),
    ),
    (
        "solutions/10b_published_models_solutions",
        "has {} expected matches with drawn and with fixed coefficients. "
        "The other four fits have more with fixed ones, {} against {}.",
        lambda: (
            f"{table_1(FIT)['everything, fixed', 0]:.0f}",
            span(everything("fixed", OTHERS)),
            span(everything("drawn", OTHERS)),
        ),
    ),
    (
        "solutions/10b_published_models_solutions",
        "The paper has {} with drawn and {} with fixed coefficients.",
        lambda: tuple(f"{table_1(FIT, 'published')[f'everything, {how}', 0]:.1f}" for how in ("drawn", "fixed")),
    ),
    (
        "11b_whack_a_mole",
        "marginal weights raise the median by {}%, as in the paper, and change the 90% quantile by {}%. "
        "Pairwise weights lower the median by {}%, and *raise* the 90% quantile by {}%.",
        lambda: (
            span(ratios("median", "M")),
            span(ratios("90 % quantile", "M")).replace("to ", "to +"),
            span(-ratios("median", "P")),
            span(ratios("90 % quantile", "P")),
        ),
    ),
    (
        "13b_the_same_epsilon",
        "On the counts of lecture 13, record weights lower it from {} to {}. On this mixture they lower it from {} to {} only",
        lambda: (
            mean_bound("counts", "Unweighted"),
            mean_bound("counts", "DP"),
            mean_bound(MIXTURE, "Unweighted"),
            mean_bound(MIXTURE, "DP"),
        ),
    ),
    (
        "13b_the_same_epsilon",
        "they lower it from between {} to between {}, to less than half on every file",
        lambda: tuple(span(bounds(name)).replace("to", "and") for name in ("Unweighted", "DP")),
    ),
    (
        "13b_the_same_epsilon",
        "on average {} times as far from the data ($U_m$ of lecture 6b) as the weighted file. "
        "In single runs the ratio goes from {} to {}, and in {} of {} runs the clip leaves nothing to release.",
        lambda: (
            f"{clipped(True).min():.1f} to {clipped(True).max():.0f}",
            f"{clipped(False).min():.2f}",
            f"{clipped(False).max():.0f}",
            len(recorded("strict", "mechanisms").query("mechanism == 'weighted'")) - len(clipped(False)),
            len(recorded("strict", "mechanisms").query("mechanism == 'weighted'")),
        ),
    ),
]


@every(("notebook", "text", "numbers"), STATEMENTS)
def test_a_statement_has_the_recorded_numbers(root, notebook, text, numbers):
    assert text.format(*numbers()) in text_of(root, notebook), text.format(*numbers())


def test_what_holds_under_every_fit():
    for fit in SETTINGS:
        table = table_1(fit)
        assert all(table["probability", m] > table["mode", m] for m in SIZES)
        assert all(table["everything, fixed", 0] > table["probability", m] for m in SIZES)


def test_the_six_numbers_outside_are_named(root):
    rows = recorded("intruder", "settings").query("setting == @FIT and measure != 'uniques' and not inside_95")
    outside = rows.groupby(["row", "m"])["measure"].agg(set).to_dict()
    assert outside == {
        ("everything, fixed", 0): {"perceived", "expected", "true"},
        ("everything, drawn", 0): {"perceived"},
        ("models, drawn", 2): {"expected", "true"},
    }
    assert "Six numbers are outside our intervals for this fit" in text_of(root, "10b_published_models")


def test_record_weights_halve_the_bound_on_every_real_file_and_in_no_run_of_the_mixture(root):
    assert (bounds("DP") < bounds("Unweighted") / 2).all()
    claims = recorded("dp", "claims")
    row = claims[(claims["study"] == MIXTURE) & claims["claim"].str.contains("less than half")].iloc[0]
    assert (row["share"], row["repetitions"]) == (0.0, 10)
    assert "holds in none of ten runs" in text_of(root, "13b_the_same_epsilon")


def test_claims_are_judged_under_the_fit_of_the_numbers():
    runs = recorded("intruder", "runs")
    claims = check_claims(runs[runs["setting"] == FIT])
    assert claims["share"].tolist() == recorded("intruder", "claims")["share"].tolist()
