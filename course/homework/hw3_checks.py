"""Checks of homework 3: the right answers and typical slips, each with its hint."""

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats

import synthlab as sl
from synthlab.teaching import Exercise
from synthlab.teaching.homework import examples, require_function, require_number

RNG = np.random.default_rng(1)


def scores(real, made, slopes):
    return RNG.integers(20, 90, real + made) / 100, np.repeat([0, 1], [real, made]), slopes


def ratio(strays=lambda p, c: (p - c) ** 2, null=lambda k, c, N: k * c * (1 - c) ** 2 / N):
    def function(p, label, slopes):
        c, N = np.mean(label), len(label)
        return np.mean(strays(p, c)) / null(slopes, c, N)

    return function


PMSE_RATIO = Exercise(
    "hw3.pmse_ratio",
    answers=examples(scores(5, 5, 3), scores(4, 8, 3), scores(9, 3, 1), scores(6, 14, 2), scores(8, 8, 4)),
    right=ratio(),
    slips={
        "Subtract c, the share of synthetic records; c is 1/2 only if the files have the same length.": ratio(
            lambda p, c: (p - 0.5) ** 2
        ),
        "The constant is not a slope: the expected value has `slopes`, not `slopes + 1`.": ratio(
            null=lambda k, c, N: (k + 1) * c * (1 - c) ** 2 / N
        ),
        "The expected value lacks a factor c: it is slopes times c (1 - c)² / N.": ratio(
            null=lambda k, c, N: k * (1 - c) ** 2 / N
        ),
        "Square 1 - c, not c.": ratio(null=lambda k, c, N: k * c**2 * (1 - c) / N),
        "This is the pMSE; divide it by its expected value.": ratio(null=lambda k, c, N: 1),
        "The pMSE is a mean over all records; this is a sum.": ratio(null=lambda k, c, N: k * c * (1 - c) ** 2 / N**2),
        "This takes absolute differences; the pMSE takes their squares.": ratio(lambda p, c: abs(p - c)),
    },
)


def rule(m, b, within):
    return (1 + 1 / m) * b - within


def full(T_f=rule, replacement=lambda within, size_ratio: size_ratio * within, ddof=1):
    def function(q, v, size_ratio):
        m, b, within = len(q), np.var(q, ddof=ddof), np.mean(v)
        T = T_f(m, b, within)
        return np.mean(q), T if T > 0 else replacement(within, size_ratio)

    return function


def unreplaced(q, v, size_ratio):
    return np.mean(q), rule(len(q), np.var(q, ddof=1), np.mean(v))


def estimates(m, scale, size_ratio):
    q = RNG.normal(10, 2, m).round(1)
    return q.tolist(), (scale * RNG.uniform(0.8, 1.2, m)).round(2).tolist(), size_ratio


LISTS = [(3, 0.6, 1), (5, 1, 2), (4, 30, 2), (6, 40, 0.5), (5, 0.8, 0.5), (3, 50, 3)]
COMBINE_FULL = Exercise(
    "hw3.combine_full",
    answers=examples(*(estimates(*one) for one in LISTS)),
    right=full(),
    slips={
        "This is the rule for partial synthesis; in full synthesis v is subtracted.": full(
            lambda m, b, within: within + b / m
        ),
        "This is the rule for missing values, which adds v; here v is subtracted.": full(
            lambda m, b, within: within + (1 + 1 / m) * b
        ),
        "Multiply b by 1 + 1 / m.": full(lambda m, b, within: b - within),
        "The term b / m belongs to partial synthesis; here the term is (1 + 1 / m) b.": full(
            lambda m, b, within: b / m - within
        ),
        "Divide b by m - 1: `np.var` divides by m unless you pass ddof=1.": full(ddof=0),
        "A variance below 0 came out; use the replacement in this case.": unreplaced,
        "You return 0 where the rule is not positive; use the replacement.": full(
            replacement=lambda within, size_ratio: 0.0
        ),
        "The replacement is the mean variance times the ratio of the lengths.": full(
            replacement=lambda within, size_ratio: within
        ),
        "Multiply the replacement by the ratio of the lengths; you divide it.": full(
            replacement=lambda within, size_ratio: within / size_ratio
        ),
    },
)


def propensity(households, synthetic):
    files = pd.concat([households, synthetic])
    seen = files[["College", "Income"]].assign(both=files["College"] * files["Income"])
    label = np.repeat([0, 1], [len(households), len(synthetic)])
    fit = sm.Logit(label, sm.add_constant(seen.to_numpy(float))).fit(disp=False)
    return fit.predict(), label


def mean_ratio(households, release, slopes=2):
    return np.mean([ratio()(*propensity(households, one), slopes) for one in release])


def gaps(households, synthetic, side="right"):
    x = np.concatenate([households["Income"], synthetic["Income"]])
    made, true = (np.sort(f["Income"]).searchsorted(x, side) / len(f) for f in (synthetic, households))
    return made - true


def largest_gaps(households, release, side="right"):
    return len(households) * np.array([np.abs(gaps(households, one, side)).max() for one in release])


def rich(frame):
    return ((frame["College"] == 1) & (frame["Income"] >= 150)).sum()


def premiums(release):
    fits = [smf.ols("Income ~ College", one).fit() for one in release]
    return np.array([(fit.params["College"], fit.bse["College"] ** 2) for fit in fits]).T


def interval(frame):
    return smf.ols("Income ~ College", frame).fit().conf_int().loc["College"].to_numpy()


def check_pmse_ratio(answer):
    require_function(PMSE_RATIO, answer)


def check_ratio_deck(answer, households, deck, regression):
    right = mean_ratio(households, deck)
    scored = [propensity(households, one) for one in deck]
    pair = ["College", "Income"]
    slips = {
        "College is released unchanged and its slope cannot help; count two slopes.": mean_ratio(households, deck, 3),
        "The constant is not a slope, and the slope of College cannot help; count two.": mean_ratio(
            households, deck, 4
        ),
        "This is the first dataset alone; average over all five.": ratio()(*scored[0], 2),
        "This is the pMSE; divide it by its expected value.": np.mean([np.mean((p - 0.5) ** 2) for p, _ in scored]),
        "This is the regression; the question is about the deck.": mean_ratio(households, regression),
        "This classifier does not see the product; use `propensity`.": np.mean(
            [sl.pmse(households[pair], one[pair]).ratio[0] for one in deck]
        ),
    }
    require_number(answer, right, slips, tolerance=0.05)


def check_worst_amount(answer, households, deck, regression):
    largest, n = largest_gaps(households, regression), len(households)
    signed = [gaps(households, one) for one in regression]
    both_sides = "The gap can lie on either side: take absolute values before the largest."
    slips = {
        "This is a share; multiply it by the number of households.": largest.mean() / n,
        "This is the first dataset alone; average over all five.": largest[0],
        "This is the sum over the five datasets; take the mean.": largest.sum(),
        "This is the deck; the question is about the regression.": largest_gaps(households, deck).mean(),
        both_sides: n * np.mean([one.max() for one in signed]),
        both_sides + " Yours is the largest gap below.": n * np.mean([-one.min() for one in signed]),
        "A distribution function is the share at or below an amount; many incomes are exactly 0.": largest_gaps(
            households, regression, "left"
        ).mean(),
        "This treats the five datasets as one file; average five gaps.": largest_gaps(
            households, [pd.concat(list(regression))]
        )[0],
    }
    require_number(answer, largest.mean(), slips, tolerance=0.05)


def check_missing(answer, households, deck, regression):
    counts, survey = np.array([rich(one) for one in deck]), rich(households)
    right = survey - counts.mean()
    any_degree = [(one["Income"] >= 150).sum() for one in deck]
    slips = {
        "This is the mean number in a dataset; subtract it from the number in the survey.": counts.mean(),
        "This is the number in the survey; subtract the mean number in a dataset of the deck.": survey,
        "This is the first dataset alone; average over all five.": survey - counts[0],
        "This is the sum over the five datasets; take the mean.": 5 * right,
        "The sign is wrong: the answer is above 0 if households are missing.": -right,
        "This counts households without a degree too.": (households["Income"] >= 150).sum() - np.mean(any_degree),
        "This is the regression; the question is about the deck.": survey - np.mean([rich(one) for one in regression]),
        "This is a share of the households in the cell; give their number.": right / survey,
    }
    require_number(answer, right, slips, tolerance=0.05)


def check_combine_full(answer):
    require_function(COMBINE_FULL, answer)


def check_overlap_deck(answer, households, deck, regression):
    confidential = interval(households)

    def overlap(low_high):
        return sl.interval_overlap([confidential], [np.asarray(low_high)]).interval_overlap[0]

    def around(variance, quantile=1.96):
        return overlap(q.mean() + quantile * np.sqrt(variance) * np.array([-1, 1]))

    q, v = premiums(deck)
    b, within, m = q.var(ddof=1), v.mean(), len(q)
    T_f = rule(m, b, within)
    df = (m - 1) * (T_f / ((1 + 1 / m) * b)) ** 2
    slips = {
        "This is clipped; disjoint intervals have an overlap below 0 here.": 0.0,
        "This omits b / m: the five datasets differ, and this adds uncertainty.": around(within),
        "This adds b instead of b / m; the mean of five estimates is less uncertain.": around(within + b),
        "This is the rule for full synthesis; only income is synthetic.": (
            around(T_f, stats.t.ppf(0.975, df)) if T_f > 0 else around(within)
        ),
        "This treats one dataset as the survey.": overlap(interval(deck[0])),
        "This stacks the five datasets and treats them as one survey.": overlap(interval(pd.concat(list(deck)))),
        "This is the regression; the question is about the deck.": overlap(
            sl.combine_partial(*premiums(regression)).interval[0]
        ),
        "The rule uses quantiles of a t distribution; 1.96 is too small here.": around(within + b / m),
    }
    require_number(answer, overlap(sl.combine_partial(q, v).interval[0]), slips, tolerance=0.002)
