"""Answers to the exercise of lecture 13b."""

from __future__ import annotations

import numpy as np

from tests.course.answers import right, wrong


@right("13b.clipped")
def clip(log, epsilon):
    return np.clip(log, -epsilon / 2, epsilon / 2)


@right("13b.clipped")
def smaller_and_larger(log, epsilon):
    return np.minimum(np.maximum(log, -epsilon / 2), epsilon / 2)


@right("13b.clipped")
def nested_lists(log, epsilon):
    return [[max(-epsilon / 2, min(epsilon / 2, x)) for x in row] for row in log]


@right("13b.clipped")
def clip_in_place(log, epsilon):
    np.clip(log, -epsilon / 2, epsilon / 2, out=log)
    return log


@wrong("13b.clipped")
def clipped_sums(log, epsilon):
    return np.clip(log.sum(axis=1), -epsilon / 2, epsilon / 2)


@wrong("13b.clipped")
def missing_beyond_the_limits(log, epsilon):
    return np.where(np.abs(log) > epsilon / 2, np.nan, log)
