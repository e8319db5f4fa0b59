"""Lecture 7: the combining rule for partial synthesis, and interval overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthlab._typing import FloatArray
from synthlab.teaching.checking import Exercise
from synthlab.teaching.exercises.labels import labeled


def _rule(q: Any, v: Any, variance: str = "T_p", ddof: int = 1, tail: float = 0.975, df: str = "nu") -> FloatArray:
    """Return q_bar, the variance, and the ends of the interval."""
    from scipy import stats

    q, v = np.asarray(q, float), np.asarray(v, float)
    m, b, within = q.size, q.var(ddof=ddof), v.mean()
    variances = {
        "T_p": within + b / m,
        "whole b": within + b,
        "within": within,
        "within / m": (within + b) / m,
        "T_f": abs((1 + 1 / m) * b - within),
        "Rubin": within + (1 + 1 / m) * b,
    }
    total = variances[variance]
    degrees = {
        "nu": (m - 1) * (1 + within / (b / m)) ** 2,
        "m - 1": m - 1,
        "b": (m - 1) * (1 + within / b) ** 2,
        "normal": np.inf,
        "Rubin": (m - 1) * (1 + within / ((1 + 1 / m) * b)) ** 2,
    }
    half = stats.t.ppf(tail, degrees[df]) * np.sqrt(total)
    return np.array([q.mean(), total, q.mean() - half, q.mean() + half])


def combine_partial(q: Any, v: Any) -> FloatArray:
    """Return q_bar, T_p, and the ends of the 95% interval."""
    return _rule(q, v)


def _without_between(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, variance="within")


def _whole_between(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, variance="whole b")


def _full(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, variance="T_f")


def _divisor_m(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, ddof=0)


def _one_tail(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, tail=0.95)


def _few_degrees(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, df="m - 1")


def _variance_for_error(q: Any, v: Any) -> FloatArray:
    middle, total, _, end = _rule(q, v)
    half = (end - middle) * np.sqrt(total)
    return np.array([middle, total, middle - half, middle + half])


def _within_divided(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, variance="within / m")


def _rubin(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, variance="Rubin", df="Rubin")


def _normal(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, df="normal")


def _rounded_normal(q: Any, v: Any) -> FloatArray:
    middle, total, _, _ = _rule(q, v)
    return np.array([middle, total, middle - 1.96 * np.sqrt(total), middle + 1.96 * np.sqrt(total)])


def _between_in_degrees(q: Any, v: Any) -> FloatArray:
    return _rule(q, v, df="b")


def overlap(confidential: Any, synthetic: Any) -> float:
    """Return the interval overlap J, which is negative for disjoint intervals."""
    return _overlap(confidential, synthetic)


def _overlap(confidential: Any, synthetic: Any, kind: str = "") -> float:
    (a, b), (c, d) = confidential, synthetic
    shared = min(b, d) - max(a, c)
    if kind == "clipped":
        shared = max(shared, 0.0)
    if kind == "hull":
        return float(shared / (max(b, d) - min(a, c)))
    if kind == "length":
        return float(shared)
    parts = (shared / (b - a), shared / (d - c))
    return float({"confidential": parts[0], "synthetic": parts[1], "sum": sum(parts)}.get(kind, sum(parts) / 2))


def _clipped(confidential: Any, synthetic: Any) -> float:
    return _overlap(confidential, synthetic, "clipped")


def _hull(confidential: Any, synthetic: Any) -> float:
    return _overlap(confidential, synthetic, "hull")


def _of_confidential(confidential: Any, synthetic: Any) -> float:
    return _overlap(confidential, synthetic, "confidential")


def _of_synthetic(confidential: Any, synthetic: Any) -> float:
    return _overlap(confidential, synthetic, "synthetic")


def _sum(confidential: Any, synthetic: Any) -> float:
    return _overlap(confidential, synthetic, "sum")


def _length(confidential: Any, synthetic: Any) -> float:
    return _overlap(confidential, synthetic, "length")


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
        answers=_answers_rule,
        right=combine_partial,
        slips={
            "The between part is missing: T_p = v_bar + b/m.": _without_between,
            "q_bar is a mean of m estimates: the between part is b/m, not b.": _whole_between,
            "v_bar is not divided by m: all m datasets come from one survey.": _within_divided,
            "(1 + 1/m) b is the between part for missing data; for partial synthesis it is b/m.": _rubin,
            "This is T_f, the rule for full synthesis; use T_p.": _full,
            "b has the divisor m - 1; np.var divides by m unless you set ddof=1.": _divisor_m,
            "A 95% interval leaves 2.5% in each tail; use the 0.975 quantile.": _one_tail,
            "The degrees of freedom are (m - 1) (1 + v_bar / (b/m))^2, not m - 1.": _few_degrees,
            "The degrees of freedom use the between part b/m, not b.": _between_in_degrees,
            "The interval needs the t quantile with nu degrees of freedom, not the normal quantile.": _normal,
            "With few datasets 1.96 is too small; use the t quantile with nu degrees of freedom.": _rounded_normal,
            "T_p is a variance; use its square root for the interval.": _variance_for_error,
        },
    ),
    Exercise(
        "07.overlap",
        answers=_answers_overlap,
        right=overlap,
        slips={
            "This is the clipped version; here J must be negative for disjoint intervals.": _clipped,
            "Divide the shared length by the length of each interval, and take the mean of both ratios.": _hull,
            "Take the mean of both shares, not only the share of the confidential interval.": _of_confidential,
            "Take the mean of both shares, not only the share of the synthetic interval.": _of_synthetic,
            "This is the shared length L; J divides it by the length of each interval.": _length,
            "This is the sum of the two shares; J is their mean.": _sum,
        },
    ),
)
