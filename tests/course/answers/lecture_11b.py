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


@wrong("11b.expected")
def sum_over_records(p):
    own = p.diagonal()
    return float((own * ((1 - p).sum(axis=0) - (1 - own)) / len(p)).sum())
