"""Lecture 7: the combining rule for partial synthesis, and interval overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import as_number, as_numbers, labeled


def combine_partial(q: Any, v: Any) -> FloatArray:
    """Return q_bar, T_p, and the ends of the 95% interval."""
    from scipy import stats

    q, v = np.asarray(q, float), np.asarray(v, float)
    m, b, v_bar = q.size, q.var(ddof=1), v.mean()
    between = b / m
    variance = v_bar + between
    degrees = (m - 1) * (1 + v_bar / between) ** 2
    half = stats.t.ppf(0.975, degrees) * np.sqrt(variance)
    return np.array([q.mean(), variance, q.mean() - half, q.mean() + half])


def overlap(confidential: Any, synthetic: Any) -> float:
    """Return the interval overlap J, which is negative for disjoint intervals."""
    (a, b), (c, d) = confidential, synthetic
    shared = min(b, d) - max(a, c)
    return float((shared / (b - a) + shared / (d - c)) / 2)


RESULTS = ("mean of the estimates", "T_p", "lower end", "upper end")


def _answers_rule(function: Any) -> dict[str, Any]:
    three = function(np.array([10.0, 12.0, 14.0]), np.array([3.0, 3.0, 3.0]))
    five = function(np.array([0.49, 0.45, 0.49, 0.56, 0.53]), np.array([40.0, 41.0, 38.0, 42.0, 39.0]) * 1e-5)
    return {**labeled("three datasets", three, RESULTS), **labeled("five datasets", five, RESULTS)}


def _answers_overlap(function: Any) -> dict[str, Any]:
    others = [(0.1, 2.1), (0.75, 1.25), (1.0, 5.0), (3.0, 5.0)]
    return {f"J of [0, 2] and [{a:g}, {b:g}]": function((0.0, 2.0), (a, b)) for a, b in others}


EXERCISES = (
    Exercise(
        "07.combine_partial",
        form=as_numbers,
        answers=_answers_rule,
        right=combine_partial,
        slips={
            "The between part is missing: T_p = v_bar + b/m.": {"v_bar + between": "v_bar"},
            "q_bar is a mean of m estimates: the between part is b/m, not b.": {"v_bar + between": "v_bar + b"},
            "v_bar is not divided by m: all m datasets come from one survey.": {"v_bar + between": "(v_bar + b) / m"},
            "(1 + 1/m) b is the between part for missing data; for partial synthesis it is b/m.": {
                "b / m": "(1 + 1 / m) * b"
            },
            "This is T_f, the rule for full synthesis; use T_p.": {"v_bar + between": "abs((1 + 1 / m) * b - v_bar)"},
            "b has the divisor m - 1; np.var divides by m unless you set ddof=1.": {"ddof=1": "ddof=0"},
            "A 95% interval leaves 2.5% in each tail; use the 0.975 quantile.": {"0.975": "0.95"},
            "The degrees of freedom are (m - 1) (1 + v_bar / (b/m))^2, not m - 1.": {
                " * (1 + v_bar / between) ** 2": ""
            },
            "The degrees of freedom use the between part b/m, not b.": {"v_bar / between": "v_bar / b"},
            "The interval needs the t quantile with nu degrees of freedom, not the normal quantile.": {
                "stats.t.ppf(0.975, degrees)": "stats.norm.ppf(0.975)"
            },
            "With few datasets 1.96 is too small; use the t quantile with nu degrees of freedom.": {
                "stats.t.ppf(0.975, degrees)": "1.96"
            },
            "T_p is a variance; use its square root for the interval.": {"np.sqrt(variance)": "variance"},
        },
    ),
    Exercise(
        "07.overlap",
        form=as_number,
        answers=_answers_overlap,
        right=overlap,
        slips={
            "This is the clipped version; here J must be negative for disjoint intervals.": {
                "min(b, d) - max(a, c)": "max(min(b, d) - max(a, c), 0.0)"
            },
            "Divide the shared length by the length of each interval, and take the mean of both ratios.": {
                "(shared / (b - a) + shared / (d - c)) / 2": "shared / (max(b, d) - min(a, c))"
            },
            "Take the mean of both shares, not only the share of the confidential interval.": {
                "(shared / (b - a) + shared / (d - c)) / 2": "shared / (b - a)"
            },
            "Take the mean of both shares, not only the share of the synthetic interval.": {
                "(shared / (b - a) + shared / (d - c)) / 2": "shared / (d - c)"
            },
            "This is the shared length L; J divides it by the length of each interval.": {
                "(shared / (b - a) + shared / (d - c)) / 2": "shared"
            },
            "This is the sum of the two shares; J is their mean.": {" / 2": ""},
        },
    ),
)
