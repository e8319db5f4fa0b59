"""Answers to the exercise of lecture 11b."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


@right("11b.expected")
def columns_without_the_diagonal(p):
    own = p.diagonal()
    return own * ((1 - p).sum(axis=0) - (1 - own)) / len(p)


@right("11b.expected")
def loop_over_records(p):
    n = len(p)
    return [p[i, i] * sum(1 - p[h, i] for h in range(n) if h != i) / n for i in range(n)]


@right("11b.expected")
def off_diagonal_matrix(p):
    others = ~np.eye(len(p), dtype=bool)
    return np.diag(p) * np.where(others, 1 - p, 0).mean(axis=0)


@wrong("11b.expected", hint="Count only")
def mean_with_the_diagonal(p):
    return p.diagonal() * (1 - p).mean(axis=0)


@wrong("11b.expected", hint="The pattern")
def mean_over_the_others(p):
    n = len(p)
    return [p[i, i] * np.mean([1 - p[h, i] for h in range(n) if h != i]) for i in range(n)]


@wrong("11b.expected", hint="The ball")
def sum_over_rows(p):
    own = p.diagonal()
    return own * ((1 - p).sum(axis=1) - (1 - own)) / len(p)


@wrong("11b.expected", hint="IR is")
def without_the_own_value(p):
    return ((1 - p).sum(axis=0) - (1 - p.diagonal())) / len(p)


@wrong("11b.expected", hint="This is the expected share")
def expected_share_inside(p):
    own = p.diagonal()
    return own * (p.sum(axis=0) - own) / len(p)


@wrong("11b.expected", hint="The own")
def own_value_outside(p):
    own = p.diagonal()
    return (1 - own) * ((1 - p).sum(axis=0) - (1 - own)) / len(p)


@wrong("11b.expected", hint="This is the expected number")
def number_outside(p):
    own = p.diagonal()
    return own * ((1 - p).sum(axis=0) - (1 - own))


@wrong("11b.expected", hint="Each record")
def one_distribution_for_all(p):
    own = np.diag(p)
    return own * (1 - own) * (len(p) - 1) / len(p)


@wrong("11b.expected")
def sum_over_records(p):
    own = p.diagonal()
    return float((own * ((1 - p).sum(axis=0) - (1 - own)) / len(p)).sum())
