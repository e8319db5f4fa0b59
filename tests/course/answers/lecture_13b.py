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


@wrong("13b.clipped", hint="Two values")
def epsilon_on_both_sides(log, epsilon):
    return np.clip(log, -epsilon, epsilon)


@wrong("13b.clipped", hint="The logarithm")
def at_most_zero(log, epsilon):
    return np.clip(log, -epsilon / 2, 0)


@wrong("13b.clipped")
def clipped_sums(log, epsilon):
    return np.clip(log.sum(axis=1), -epsilon / 2, epsilon / 2)


@wrong("13b.clipped", hint="A density")
def from_below_only(log, epsilon):
    return np.where(log < -epsilon / 2, -epsilon / 2, log)


@wrong("13b.clipped", hint="A value")
def zero_beyond_the_limits(log, epsilon):
    return np.where(np.abs(log) > epsilon / 2, 0, log)


@wrong("13b.clipped")
def missing_beyond_the_limits(log, epsilon):
    return np.where(np.abs(log) > epsilon / 2, np.nan, log)


@wrong("13b.clipped", hint="Keep the")
def absolute_values(log, epsilon):
    return np.minimum(np.abs(log), epsilon / 2)
